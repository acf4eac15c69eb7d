// The filter policy: what a wallet tells its peers by a filter, decided in one place
// (docs/privacy.md). It follows from the wallet and from the rate that people choose, and from
// nothing that a peer sends; so two starts, and two peers, get the same bytes.
#pragma once

#include "bip37/sizing.hpp"
#include "sync/parts.hpp"

namespace headlight::sync {

/// How many strangers are to match, against how much bandwidth.
enum class PrivacyLevel { low, medium, high };

/// The design rate of a level: that of a filter whose size class is full.
constexpr double fp_rate_of(PrivacyLevel level) {
    switch (level) {
    case PrivacyLevel::low:
        return 0.00005;
    case PrivacyLevel::high:
        return 0.005;
    case PrivacyLevel::medium:
        break;
    }
    return 0.0005;
}

/// What may be chosen: below, a filter names its scripts; above, what a server adds by itself
/// fills it within a block or two.
inline constexpr double least_fp_rate = 0.000001;
inline constexpr double most_fp_rate = 0.1;

/// The class of a wallet that watches `elements` and had `size_class` so far (0: none yet).
std::uint32_t size_class_for(std::size_t elements, std::uint32_t size_class);

/// The size of the filter that such a wallet loads: its class's, so that it rarely changes; the
/// largest that BIP-37 allows where that is not enough.
bip37::FilterSize filter_size_for(std::size_t elements, std::uint32_t size_class, double fp_rate);

/// How many elements the wallet's filters hold now: one for each script (for a bare multisig, one
/// for each key), and the outpoint of each watched coin. At least 1, so that there is a size.
std::size_t elements_of(const wallet::Wallet& wallet);
/// The part with the most elements.
std::uint32_t fullest(const wallet::Wallet& wallet, const Parts& parts);
/// Of the fullest part, at least 1: all parts' filters have one size, so that it tells of none.
std::size_t elements_of(const wallet::Wallet& wallet, const Parts& parts);

/// The filter that this wallet loads for a part: everything of it that is derived, and every
/// watched coin, under the tweak of part and identity (parts.hpp).
bip37::BloomFilter filter_of(const wallet::Wallet& wallet, double fp_rate, const Parts& parts,
                             std::uint32_t part = 0, std::string_view identity = {});
/// Of a wallet that is not spread.
inline bip37::BloomFilter filter_of(const wallet::Wallet& wallet, double fp_rate) {
    return filter_of(wallet, fp_rate, Parts(wallet));
}

} // namespace headlight::sync
