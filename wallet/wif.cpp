// WIF private keys: recognised only to refuse them, with the public key as the cure.
#include "wallet/wif.hpp"

#include "wallet/base58.hpp"

#include <algorithm>

namespace headlight::wallet {

Bytes WifPublicKey::bytes() const {
    if (compressed) {
        const auto key = point.compressed();
        return {key.begin(), key.end()};
    }
    const auto key = point.uncompressed();
    return {key.begin(), key.end()};
}

std::optional<WifPublicKey> parse_wif(std::string_view text) {
    const auto payload = decode_base58check(text, 34);
    if (!payload || payload->size() < 33) return std::nullopt;
    const bool compressed = payload->size() == 34;
    if (compressed && payload->back() != 1) return std::nullopt;
    const auto version = payload->front();
    const auto networks = chain::all_networks();
    if (std::none_of(networks.begin(), networks.end(),
                     [&](const auto& n) { return n.base58_private_key == version; }))
        return std::nullopt;
    curve::Scalar secret{};
    const Wiped wiped(secret);
    std::copy_n(payload->begin() + 1, secret.size(), secret.begin());
    const auto point = curve::Point::of_secret(secret);
    if (!point) return std::nullopt;
    return WifPublicKey{*point, compressed, version};
}

std::vector<std::string> descriptors_of_key(std::string_view key, bool compressed) {
    const std::string text(key);
    std::vector<std::string> descriptors{"pk(" + text + ")", "pkh(" + text + ")"};
    if (!compressed) return descriptors; // segwit has no place for uncompressed keys
    descriptors.push_back("wpkh(" + text + ")");
    descriptors.push_back("sh(wpkh(" + text + "))");
    return descriptors;
}

} // namespace headlight::wallet
