// Mnemonics from any text: what is taken stands for its entropy, both ways, and for one seed.
#include "wallet/mnemonic.hpp"

#include <cstdlib>

namespace {

using namespace headlight;

void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto entropy = wallet::entropy_from_mnemonic(text);
    if (entropy) {
        const auto words = wallet::mnemonic_from_entropy(*entropy);
        require(words.has_value() && wallet::entropy_from_mnemonic(*words).value() == *entropy);
        require(wallet::seed_from_mnemonic(text, "p") == wallet::seed_from_mnemonic(*words, "p"));
    } else {
        require(!entropy.error().message.empty());
    }
    const auto words = wallet::mnemonic_from_entropy({data, size});
    if (words) require(wallet::entropy_from_mnemonic(*words).value() == Bytes(data, data + size));
    return 0;
}
