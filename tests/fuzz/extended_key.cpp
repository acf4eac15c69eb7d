// Extended keys from any text: what is taken is written back as it was, and public derivation
// agrees with private.
#include "wallet/hd_key.hpp"

#include <cstdlib>

namespace {

using namespace headlight;

void require(bool holds) {
    if (!holds) std::abort();
}

void check_seed(ByteView seed) {
    const auto master = wallet::master_key(seed);
    if (!master) return;
    const auto& network = chain::network(chain::NetworkId::main);
    const auto child = wallet::derive(*master, seed[0]);
    const auto public_child = wallet::derive(wallet::neuter(*master), seed[0]);
    require(child.has_value() == public_child.has_value());
    require(!child || wallet::neuter(*child) == *public_child);
    const auto text = wallet::to_string(*master, network);
    require(wallet::parse_extended_private_key(text)->key == master->key);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = wallet::parse_extended_key(text);
    require(parsed.has_value() || !parsed.error().message.empty());
    require(wallet::parse_extended_private_key(text).has_value() ==
            (parsed.has_value() && parsed->is_private));
    if (parsed && !parsed->is_private)
        require(wallet::to_string(parsed->public_key, parsed->version) == text);
    check_seed({data, size});
    return 0;
}
