// What a filter tells, and what its rate costs, in figures. Formulas:
//   the rate of false positives is fill^k (BIP-37, after Bloom 1970);
//   a filter of m bits and k functions holds about -(m/k) ln(1 - fill) elements (Swamidass and
//   Baldi 2007), and j of its matches are all ours with the chance P_h(j) of Gervais, Capkun,
//   Karame and Gruber: "On the Privacy Provisions of Bloom Filters in Lightweight Bitcoin Clients",
//   ACSAC 2014.
#pragma once

#include "bip37/sizing.hpp"

namespace headlight::bip37 {

/// -(m/k) ln(1 - fill); infinite for a filter that is full, or that matches everything.
double estimated_elements(const BloomFilter& filter);

/// 1 + fill + ... + fill^(k-1): how many functions a stranger's test evaluates until a bit that is
/// not set. (What is in the filter costs all k.)
double expected_evaluations(double fill, std::uint32_t hash_functions);

/// P_h(j) = product over i < j of (N - i) / (N + F - i): the chance that j different scripts out of
/// those that match, N of them ours and F by chance, are all ours. 0 when j > N.
double guess_chance(double ours, double by_chance, int guesses);

/// What a chain's blocks hold on average. The defaults are round figures for mainnet in the 2020s
/// (docs/privacy.md).
struct Traffic {
    double transactions_per_block = 3'000;
    double tests_per_transaction = 8;      ///< txid, outpoints and pushes that a server tests
    double outputs_per_transaction = 2.5;  ///< each match adds an outpoint (BLOOM_UPDATE_ALL)
    double bytes_per_transaction = 300;    ///< without witness
    double overhead_per_transaction = 408; ///< frame header, and 12 hashes of the merkle proof
    double blocks_per_day = 144;
};

struct ExtraTraffic {
    double transactions_per_block = 0;
    double bytes_per_block = 0;
    double bytes_per_day = 0;
};
/// What a filter of this rate brings that is not ours.
ExtraTraffic extra_traffic(double fp_rate, const Traffic& traffic = {});

/// How many blocks pass until the outpoints that a server adds by itself for false positives have
/// brought the rate of a filter with `elements` up to `fp_rate`; infinite when that never happens.
double blocks_until_rate(const FilterSize& size, std::size_t elements, double fp_rate,
                         const Traffic& traffic = {});

} // namespace headlight::bip37
