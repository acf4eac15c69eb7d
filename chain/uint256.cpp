#include "chain/uint256.hpp"

#include <algorithm>
#include <bit>

namespace headlight::chain {
namespace {

constexpr std::uint32_t sign_bit = 0x00800000;

unsigned bit_length(const Uint256& value) {
    for (unsigned i = 4; i-- > 0;) {
        if (value.limbs[i] != 0)
            return 64 * i + static_cast<unsigned>(std::bit_width(value.limbs[i]));
    }
    return 0;
}

Uint256 shift_left(const Uint256& value, unsigned bits) {
    Uint256 out;
    const unsigned limbs = bits / 64;
    const unsigned rest = bits % 64;
    for (unsigned i = 4; i-- > limbs;) {
        out.limbs[i] = value.limbs[i - limbs] << rest;
        if (rest != 0 && i > limbs) out.limbs[i] |= value.limbs[i - limbs - 1] >> (64 - rest);
    }
    return out;
}

Uint256 shift_right(const Uint256& value, unsigned bits) {
    Uint256 out;
    const unsigned limbs = bits / 64;
    const unsigned rest = bits % 64;
    for (unsigned i = limbs; i < 4; ++i) {
        out.limbs[i - limbs] = value.limbs[i] >> rest;
        if (rest != 0 && i + 1 < 4) out.limbs[i - limbs] |= value.limbs[i + 1] << (64 - rest);
    }
    return out;
}

Uint256 complement(const Uint256& value) {
    Uint256 out;
    for (std::size_t i = 0; i < 4; ++i)
        out.limbs[i] = ~value.limbs[i];
    return out;
}

/// Schoolbook division, one bit a step: it runs once for each new value of bits, no more.
Uint256 divide(Uint256 value, const Uint256& divisor) {
    Uint256 quotient;
    if (bit_length(value) < bit_length(divisor)) return quotient;
    for (unsigned shift = bit_length(value) - bit_length(divisor) + 1; shift-- > 0;) {
        const auto part = shift_left(divisor, shift);
        if (part > value) continue;
        value = value - part;
        quotient.limbs[shift / 64] |= std::uint64_t{1} << (shift % 64);
    }
    return quotient;
}

} // namespace

std::strong_ordering operator<=>(const Uint256& a, const Uint256& b) {
    for (std::size_t i = 4; i-- > 0;) {
        if (a.limbs[i] != b.limbs[i]) return a.limbs[i] <=> b.limbs[i];
    }
    return std::strong_ordering::equal;
}

std::array<std::uint8_t, 32> Uint256::to_bytes() const {
    std::array<std::uint8_t, 32> raw{};
    for (std::size_t i = 0; i < 32; ++i) {
        raw[i] = static_cast<std::uint8_t>(limbs[i / 8] >> (8 * (i % 8)));
    }
    return raw;
}

Uint256 Uint256::from_bytes(const std::array<std::uint8_t, 32>& bytes) {
    Uint256 value;
    for (std::size_t i = 0; i < 32; ++i) {
        value.limbs[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (8 * (i % 8));
    }
    return value;
}

std::string Uint256::to_string() const { return Hash256{to_bytes()}.to_string(); }

std::optional<Uint256> Uint256::from_string(std::string_view hex) {
    const auto raw = Hash256::from_string(hex);
    if (!raw) return std::nullopt;
    return from_bytes(raw->bytes);
}

Uint256 operator+(const Uint256& a, const Uint256& b) {
    Uint256 sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint64_t partial = a.limbs[i] + carry;
        sum.limbs[i] = partial + b.limbs[i];
        carry = std::uint64_t{partial < carry} + std::uint64_t{sum.limbs[i] < partial};
    }
    return sum;
}

Uint256 operator-(const Uint256& a, const Uint256& b) {
    return a + complement(b) + Uint256{{1, 0, 0, 0}};
}

Compact decode_compact(std::uint32_t bits) {
    const unsigned size = bits >> 24; // bytes
    std::uint32_t word = bits & 0x007fffff;
    Compact out;
    if (size <= 3) {
        word >>= 8 * (3 - size);
        out.magnitude.limbs[0] = word;
    } else if (size - 3 < 32) {
        out.magnitude = shift_left(Uint256{{word, 0, 0, 0}}, 8 * (size - 3));
    }
    out.negative = word != 0 && (bits & sign_bit) != 0;
    out.overflow =
        word != 0 && (size > 34 || (word > 0xff && size > 33) || (word > 0xffff && size > 32));
    return out;
}

std::uint32_t encode_compact(const Uint256& value) {
    unsigned size = (bit_length(value) + 7) / 8;
    std::uint32_t word =
        size <= 3 ? static_cast<std::uint32_t>(value.limbs[0] << (8 * (3 - size)))
                  : static_cast<std::uint32_t>(shift_right(value, 8 * (size - 3)).limbs[0]);
    if ((word & sign_bit) != 0) { // the top bit of the word means negative
        word >>= 8;
        ++size;
    }
    return word | (size << 24);
}

Uint256 to_number(const Hash256& hash) { return Uint256::from_bytes(hash.bytes); }

Uint256 work_of(std::uint32_t bits) {
    const auto compact = decode_compact(bits);
    if (!compact.valid()) return {};
    // 2^256 does not fit; 2^256 / (t + 1) == (2^256 - t - 1) / (t + 1) + 1, and 2^256 - t - 1 ==
    // ~t.
    const Uint256 one{{1, 0, 0, 0}};
    return divide(complement(compact.magnitude), compact.magnitude + one) + one;
}

Uint256 multiply_divide(const Uint256& value, std::uint32_t factor, std::uint32_t divisor) {
    std::array<std::uint32_t, 9> words{}; // 288 bits, least significant first
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const auto word = static_cast<std::uint32_t>(value.limbs[i / 2] >> (32 * (i % 2)));
        carry += std::uint64_t{word} * factor;
        words[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    words[8] = static_cast<std::uint32_t>(carry);
    std::uint64_t remainder = 0;
    for (std::size_t i = words.size(); i-- > 0;) {
        remainder = (remainder << 32) | words[i];
        words[i] = static_cast<std::uint32_t>(remainder / divisor);
        remainder %= divisor;
    }
    Uint256 out;
    for (std::size_t i = 0; i < 8; ++i) {
        out.limbs[i / 2] |= std::uint64_t{words[i]} << (32 * (i % 2));
    }
    return out;
}

} // namespace headlight::chain
