// 256-bit unsigned numbers: targets and cumulative work. Compact form as consensus reads it.
#pragma once

#include "chain/hash.hpp"

#include <array>
#include <compare>
#include <cstdint>

namespace headlight::chain {

struct Uint256 {
    std::array<std::uint64_t, 4> limbs{}; ///< least significant first

    friend bool operator==(const Uint256&, const Uint256&) = default;
    friend std::strong_ordering operator<=>(const Uint256& a, const Uint256& b);

    bool is_zero() const { return *this == Uint256{}; }
    /// 64 hex digits, most significant first (as `getblockheader` prints chainwork).
    std::string to_string() const;
    static std::optional<Uint256> from_string(std::string_view hex);
    /// 32 bytes, least significant first.
    std::array<std::uint8_t, 32> to_bytes() const;
    static Uint256 from_bytes(const std::array<std::uint8_t, 32>& bytes);
};

Uint256 operator+(const Uint256& a, const Uint256& b); ///< wraps at 2^256
Uint256 operator-(const Uint256& a, const Uint256& b); ///< wraps below 0

/// What the compact form ("bits") spells. `magnitude` is meaningless when `overflow`.
struct Compact {
    Uint256 magnitude;
    bool negative = false;
    bool overflow = false;

    /// A usable target: positive and below 2^256.
    bool valid() const { return !negative && !overflow && !magnitude.is_zero(); }
};

Compact decode_compact(std::uint32_t bits);
std::uint32_t encode_compact(const Uint256& value);

/// A block hash as a number, the way it is held against a target.
Uint256 to_number(const Hash256& hash);

/// 2^256 / (target + 1): the work that one header with these bits stands for; zero for invalid
/// bits.
Uint256 work_of(std::uint32_t bits);

/// (value * factor) / divisor, computed without losing the upper bits.
Uint256 multiply_divide(const Uint256& value, std::uint32_t factor, std::uint32_t divisor);

} // namespace headlight::chain
