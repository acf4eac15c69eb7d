// The arithmetic of filter sizes. Core's roundings are kept to the operation, since the size is
// part of what a filter tells about its wallet: ours is to look like everybody's.
#include "bip37/sizing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace headlight::bip37 {
namespace {

constexpr double ln2 = 0.6931471805599453094172321214581765680755001343602552;
constexpr double ln2_squared = 0.4804530139182014246671025263266649717305529515945455;
constexpr double tolerated_excess = 1.1; ///< how far above the wanted rate rounding may lead

bool is_rate(double fp_rate) { return fp_rate > 0.0 && fp_rate < 1.0; } // false for NaN

// std::to_string would show 1e-9 as 0.000000.
std::string shortest(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

result<> check_elements(std::size_t elements) {
    if (elements > 0) return {};
    return Error{errc::bad_argument, "a Bloom filter cannot be sized", "it is to hold 0 elements",
                 "Give at least 1"};
}

result<> check_arguments(std::size_t elements, double fp_rate) {
    if (auto fine = check_elements(elements); !fine) return fine;
    if (!is_rate(fp_rate)) {
        return Error{errc::bad_argument, "a Bloom filter cannot be sized",
                     "its false-positive rate " + shortest(fp_rate) + " is not between 0 and 1",
                     "Give a rate above 0 and below 1, such as 0.0001"};
    }
    return {};
}

std::size_t rounded_bytes(std::size_t elements, double fp_rate) {
    const double bits = -1 / ln2_squared * static_cast<double>(elements) * std::log(fp_rate);
    const double most_bits = static_cast<double>(limits::max_filter_bytes) * 8;
    return static_cast<std::size_t>(std::min(bits, most_bits)) / 8;
}

// Core divides whole numbers before it multiplies, and so do we.
std::uint32_t functions_for(std::size_t bytes, std::size_t elements) {
    const double functions = static_cast<double>(bytes * 8 / elements) * ln2;
    const double most = limits::max_hash_functions;
    return static_cast<std::uint32_t>(std::clamp(functions, 1.0, most));
}

Error needs_several(std::size_t elements, double fp_rate, std::size_t held) {
    const auto filters = elements / held + (elements % held != 0);
    return Error{errc::too_large,
                 std::to_string(elements) + " elements do not fit one Bloom filter",
                 "36,000 bytes, the most that BIP-37 allows, hold " + std::to_string(held) +
                     " at a false-positive rate of " + shortest(fp_rate),
                 "Split them over " + std::to_string(filters) + " filters or accept a higher rate"};
}

} // namespace

result<FilterSize> core_size(std::size_t elements, double fp_rate) {
    if (auto fine = check_arguments(elements, fp_rate); !fine) return fine.error();
    const auto bytes = std::max<std::size_t>(rounded_bytes(elements, fp_rate), 1);
    return FilterSize{bytes, functions_for(bytes, elements)};
}

result<FilterSize> plan_size(std::size_t elements, double fp_rate) {
    auto size = core_size(elements, fp_rate);
    if (!size) return size;
    size->bytes = std::max(size->bytes, limits::min_filter_bytes);
    size->hash_functions = functions_for(size->bytes, elements);

    // Both must hold: what the formula says fits is never refused for a rounding of the functions,
    // so that splitting into the number of filters we name always works.
    const auto held = capacity(limits::max_filter_bytes, fp_rate);
    if (elements > held && expected_fp_rate(*size, elements) > tolerated_excess * fp_rate) {
        return needs_several(elements, fp_rate, held);
    }
    return size;
}

result<FilterSize> size_of_bytes(std::size_t bytes, std::size_t elements) {
    if (auto fine = check_elements(elements); !fine) return fine.error();
    if (bytes == 0 || bytes > limits::max_filter_bytes) {
        return Error{errc::bad_argument,
                     "a Bloom filter cannot have " + std::to_string(bytes) + " bytes",
                     "BIP-37 allows up to 36,000, and none matches everything",
                     "Give a size from 1 to 36000"};
    }
    return FilterSize{bytes, functions_for(bytes, elements)};
}

double expected_fp_rate(const FilterSize& size, std::size_t elements) {
    if (size.bytes == 0 || size.hash_functions == 0) return 1.0; // matches everything
    const double functions = size.hash_functions;
    const double bits = static_cast<double>(size.bytes) * 8;
    return std::pow(-std::expm1(-functions * static_cast<double>(elements) / bits), functions);
}

std::size_t capacity(std::size_t bytes, double fp_rate) {
    if (!is_rate(fp_rate)) return 0;
    const double bits = static_cast<double>(bytes) * 8;
    const double elements = bits * ln2_squared / -std::log(fp_rate);
    constexpr double most = static_cast<double>(std::numeric_limits<std::int64_t>::max());
    return elements < most ? static_cast<std::size_t>(elements)
                           : std::numeric_limits<std::size_t>::max();
}

} // namespace headlight::bip37
