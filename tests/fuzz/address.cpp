// Addresses from any text, and from any script: both ways agree.
#include "wallet/address.hpp"
#include "wallet/base58.hpp"
#include "wallet/bech32.hpp"
#include "wallet/text.hpp"

#include <cstdlib>

namespace {

using namespace headlight;

void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ByteView bytes(data, size);
    for (const auto& network : chain::all_networks()) {
        if (const auto script = wallet::decode_address(text, network)) {
            const auto address = wallet::encode_address(*script, network);
            require(address && wallet::to_lower(*address) == wallet::to_lower(text));
        } else {
            require(!script.error().message.empty());
        }
        if (const auto address = wallet::encode_address(bytes, network)) {
            const auto script = wallet::decode_address(*address, network);
            require(script.has_value() && Bytes(data, data + size) == *script);
        }
    }
    if (const auto decoded = wallet::decode_base58(text, 200))
        require(wallet::encode_base58(*decoded) == text);
    if (size <= 200) {
        const auto decoded = wallet::decode_base58check(wallet::encode_base58check(bytes), size);
        require(decoded.has_value() &&
                Bytes(decoded->begin(), decoded->end()) == Bytes(data, data + size));
    }
    if (const auto parts = wallet::decode_bech32(text))
        require(wallet::encode_bech32(*parts) == wallet::to_lower(text));
    require(wallet::from_five_bits(wallet::to_five_bits(bytes)) == Bytes(data, data + size));
    return 0;
}
