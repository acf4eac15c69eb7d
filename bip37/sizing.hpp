// How large a filter has to be: the three formulas, and the limits of the wire.
#pragma once

#include "bip37/bloom_filter.hpp"

namespace headlight::bip37 {

struct FilterSize {
    std::size_t bytes = 0;
    std::uint32_t hash_functions = 0;

    friend bool operator==(const FilterSize&, const FilterSize&) = default;
};

/// m = -n ln p / (ln 2)^2 bits and k = m/n ln 2 functions, rounded and clamped as Bitcoin Core does
/// (down, to 36,000 bytes and 50 functions); never below 1 byte and 1 function.
/// Errors: bad_argument for n = 0 or p not inside (0, 1), NaN included.
result<FilterSize> core_size(std::size_t elements, double fp_rate);

/// The size we load: core_size with a floor of limits::min_filter_bytes; the functions follow the
/// bytes after the floor. Errors: as core_size; too_large, naming the number of filters it takes,
/// when 36,000 bytes cannot hold `elements` within 1.1 times `fp_rate`.
result<FilterSize> plan_size(std::size_t elements, double fp_rate);

/// A filter of exactly `bytes`, with the functions that suit `elements`. Errors: bad_argument for
/// no element, or a size outside 1..36,000.
result<FilterSize> size_of_bytes(std::size_t bytes, std::size_t elements);

/// (1 - e^(-kn/m))^k for m = 8 * bytes: the rate to expect once `elements` are inserted.
double expected_fp_rate(const FilterSize& size, std::size_t elements);

/// The most elements that `bytes` hold at `fp_rate`, by the first formula.
std::size_t capacity(std::size_t bytes, double fp_rate);

} // namespace headlight::bip37
