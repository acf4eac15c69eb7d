// WIF private keys: recognised only to refuse them, with the public key as the cure.
#pragma once

#include "chain/network.hpp"
#include "wallet/curve.hpp"

namespace headlight::wallet {

struct WifPublicKey {
    curve::Point point;
    bool compressed = true;
    std::uint8_t version = 0; ///< Network::base58_private_key

    /// 33 or 65 bytes, as the WIF text says.
    Bytes bytes() const;
};

/// The public key of a WIF key of any network; nothing for other text. The private one is wiped.
std::optional<WifPublicKey> parse_wif(std::string_view text);

/// The descriptor texts, without checksum, of the scripts that combo(KEY) stands for (BIP-384):
/// what to suggest in place of a key alone.
std::vector<std::string> descriptors_of_key(std::string_view key, bool compressed);

} // namespace headlight::wallet
