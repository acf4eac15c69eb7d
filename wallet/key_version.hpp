// The version numbers of extended keys: BIP-32's own, and those of SLIP-132 that also name a
// script.
#pragma once

#include "chain/network.hpp"

#include <cstdint>
#include <string_view>

namespace headlight::wallet {

struct KeyVersion {
    enum class Scripts { any, sh_wpkh, wpkh, sh_wsh_multi, wsh_multi };
    std::uint32_t public_version = 0;
    std::uint32_t private_version = 0;
    std::string_view public_prefix; ///< "xpub"
    std::string_view private_prefix;
    std::uint32_t standard_version = 0; ///< public_version of the xpub or tpub with the same key
    Scripts scripts = Scripts::any;

    bool is_standard() const { return public_version == standard_version; }
    bool belongs_to(const chain::Network& network) const {
        return standard_version == network.bip32_public;
    }
};

/// By either of its version numbers; null when unknown.
const KeyVersion* find_key_version(std::uint32_t version);
/// By the first four characters of a text; null when it is no extended key.
const KeyVersion* find_key_version(std::string_view text);

} // namespace headlight::wallet
