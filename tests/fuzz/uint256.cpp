// 256-bit arithmetic and compact targets against a slow number of 320 bits that works bit by bit.
#include "chain/uint256.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>

using namespace headlight;
using chain::Uint256;
using tests::require;

namespace {

/// Bytes, least significant first.
using Big = std::array<std::uint8_t, 40>;

Big big(const Uint256& value) {
    Big out{};
    std::ranges::copy(value.to_bytes(), out.begin());
    return out;
}

Big big(std::uint64_t value) {
    Big out{};
    for (std::size_t i = 0; i < 8; ++i)
        out[i] = static_cast<std::uint8_t>(value >> (8 * i));
    return out;
}

/// Modulo 2^256.
Uint256 low(const Big& value) {
    std::array<std::uint8_t, 32> bytes{};
    std::copy_n(value.begin(), bytes.size(), bytes.begin());
    return Uint256::from_bytes(bytes);
}

bool less(const Big& a, const Big& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Big add(Big a, const Big& b) {
    unsigned carry = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        carry += a[i] + b[i];
        a[i] = static_cast<std::uint8_t>(carry);
        carry >>= 8;
    }
    return a;
}

Big subtract(Big a, const Big& b) {
    int borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const int digit = a[i] - b[i] - borrow;
        borrow = digit < 0 ? 1 : 0;
        a[i] = static_cast<std::uint8_t>(digit);
    }
    return a;
}

bool bit(const Big& value, std::size_t i) { return (value[i / 8] >> (i % 8) & 1) != 0; }

Big multiply(const Big& a, const Big& b) {
    Big product{};
    for (std::size_t i = 8 * a.size(); i-- > 0;) {
        product = add(product, product);
        if (bit(a, i)) product = add(product, b);
    }
    return product;
}

Big divide(const Big& a, const Big& b) {
    Big quotient{};
    Big remainder{};
    for (std::size_t i = 8 * a.size(); i-- > 0;) {
        remainder = add(remainder, remainder);
        remainder[0] = static_cast<std::uint8_t>(remainder[0] | (bit(a, i) ? 1 : 0));
        quotient = add(quotient, quotient);
        if (less(remainder, b)) continue;
        remainder = subtract(remainder, b);
        quotient[0] |= 1;
    }
    return quotient;
}

std::size_t length(const Big& value) {
    std::size_t bytes = value.size();
    while (bytes > 0 && value[bytes - 1] == 0)
        --bytes;
    return bytes;
}

void check_compact(std::uint32_t bits) {
    const auto compact = chain::decode_compact(bits);
    const std::size_t size = bits >> 24;
    // The mantissa's bytes stand at size-3 .. size-1; what falls below 0 is lost.
    Big value{};
    bool overflow = false;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto digit = static_cast<std::uint8_t>((bits & 0x7fffff) >> (8 * i));
        if (size + i < 3 || digit == 0) continue;
        if (size + i - 3 >= 32) {
            overflow = true;
        } else {
            value[size + i - 3] = digit;
        }
    }
    require(compact.overflow == overflow);
    if (overflow) return;
    require(big(compact.magnitude) == value);
    require(compact.negative == ((bits & 0x800000) != 0 && length(value) != 0));
    if (!compact.valid()) return require(chain::work_of(bits).is_zero());

    Big two_to_256{};
    two_to_256[32] = 1;
    require(big(chain::work_of(bits)) == divide(two_to_256, add(value, big(1))));
    const auto again = chain::decode_compact(chain::encode_compact(compact.magnitude));
    require(again.valid() && again.magnitude == compact.magnitude);
}

/// The compact form keeps the upper two or three bytes.
void check_encoding(const Uint256& value) {
    const auto decoded = chain::decode_compact(chain::encode_compact(value));
    require(!decoded.negative && !decoded.overflow && decoded.magnitude <= value);
    auto kept = big(value);
    const auto bytes = length(kept);
    const std::size_t digits = bytes > 0 && kept[bytes - 1] >= 0x80 ? 2 : 3;
    for (std::size_t i = 0; i + digits < bytes; ++i)
        kept[i] = 0;
    require(big(decoded.magnitude) == kept);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Input input(data, size);
    const auto bits = static_cast<std::uint32_t>(input.number(4));
    const auto factor = static_cast<std::uint32_t>(input.number(4));
    const auto divisor = static_cast<std::uint32_t>(input.number(4));
    std::array<std::uint8_t, 32> first{};
    std::array<std::uint8_t, 32> second{};
    std::ranges::copy(input.bytes(32), first.begin());
    std::ranges::copy(input.bytes(32), second.begin());
    const auto a = Uint256::from_bytes(first);
    const auto b = Uint256::from_bytes(second);

    require(a.to_bytes() == first && Uint256::from_string(a.to_string()) == a);
    require(a + b == low(add(big(a), big(b))) && a - b == low(subtract(big(a), big(b))));
    require((a < b) == less(big(a), big(b)) && (a == b) == (big(a) == big(b)));
    if (divisor != 0) {
        require(chain::multiply_divide(a, factor, divisor) ==
                low(divide(multiply(big(factor), big(a)), big(divisor))));
    }
    check_compact(bits);
    check_encoding(a);
    return 0;
}
