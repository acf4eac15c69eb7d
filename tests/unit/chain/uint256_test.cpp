#include "chain/uint256.hpp"
#include "tests/support/vectors.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <gtest/gtest.h>

#include <random>

namespace headlight::tests {
namespace {

using chain::Uint256;
using Number = boost::multiprecision::cpp_int;

Number number(const Uint256& value) { return Number("0x" + value.to_string()); }
const Number two_256 = Number(1) << 256;

std::uint32_t bits_of(const boost::json::value& object, std::string_view key) {
    return static_cast<std::uint32_t>(std::stoul(text(object, key), nullptr, 16));
}

/// Numbers of every length, with runs of zeros and ones, where carries and shifts go wrong.
std::vector<Uint256> numbers() {
    std::mt19937_64 random(20090103);
    std::vector<Uint256> out{{}, {{1, 0, 0, 0}}, {{~0ull, ~0ull, ~0ull, ~0ull}}};
    for (int i = 0; i < 60; ++i) {
        Uint256 value;
        for (std::size_t limb = 0; limb < 4; ++limb) {
            if (random() % 4 != 0) value.limbs[limb] = random() >> (random() % 64);
            if (random() % 8 == 0) value.limbs[limb] = ~0ull;
        }
        out.push_back(value);
    }
    return out;
}

TEST(Uint256, AddsSubtractsAndComparesAsWideIntegersDo) {
    for (const auto& a : numbers()) {
        for (const auto& b : numbers()) {
            EXPECT_EQ(number(a + b), (number(a) + number(b)) % two_256);
            EXPECT_EQ(number(a - b), (number(a) + two_256 - number(b)) % two_256);
            EXPECT_EQ(a < b, number(a) < number(b));
            EXPECT_EQ(a == b, number(a) == number(b));
        }
    }
}

TEST(Uint256, MultipliesAndDividesWithoutLosingUpperBits) {
    for (const auto& value : numbers()) {
        for (const std::uint32_t factor : {0u, 1u, 302'400u, 4'838'400u, 0xffffffffu}) {
            const Number exact = number(value) * factor / 1'209'600;
            EXPECT_EQ(number(chain::multiply_divide(value, factor, 1'209'600)), exact % two_256);
        }
    }
}

TEST(Uint256, SurvivesItsTextAndItsBytes) {
    for (const auto& value : numbers()) {
        EXPECT_EQ(Uint256::from_string(value.to_string()), value);
        EXPECT_EQ(Uint256::from_bytes(value.to_bytes()), value);
    }
    EXPECT_EQ((Uint256{{0x12, 0, 0, 0}}.to_string()), std::string(62, '0') + "12");
    EXPECT_FALSE(Uint256::from_string("12"));
    EXPECT_FALSE(Uint256::from_string(std::string(64, 'g')));
}

TEST(Compact, DecodesAndReencodesAsBitcoinCoreDoes) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& row : json.at("compact_decode").at("cases").as_array()) {
        SCOPED_TRACE(text(row, "bits"));
        const auto compact = chain::decode_compact(bits_of(row, "bits"));
        EXPECT_EQ(compact.negative, row.at("negative").as_bool());
        EXPECT_EQ(compact.overflow, row.at("overflow").as_bool());
        if (compact.overflow) continue;
        EXPECT_EQ(compact.magnitude.to_string(), text(row, "magnitude"));
        const auto sign = row.at("reencode_with_sign").as_bool() ? 0x00800000u : 0u;
        EXPECT_EQ(chain::encode_compact(compact.magnitude) | sign, bits_of(row, "reencoded"));
    }
}

TEST(Compact, EncodesEveryPublishedValue) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& row : json.at("compact_encode").at("cases").as_array()) {
        const auto value = Uint256::from_string(text(row, "value"));
        ASSERT_TRUE(value);
        EXPECT_EQ(chain::encode_compact(*value), bits_of(row, "bits")) << text(row, "value");
    }
}

TEST(Compact, EncodingIsTheLargestCompactValueNotAbove) {
    for (const auto& value : numbers()) {
        const auto compact = chain::decode_compact(chain::encode_compact(value));
        EXPECT_FALSE(compact.negative || compact.overflow);
        EXPECT_LE(compact.magnitude, value);
        EXPECT_LE(number(value) - number(compact.magnitude), number(value) >> 15);
    }
}

TEST(Compact, TellsOverflowByTheLengthOfTheWord) {
    EXPECT_FALSE(chain::decode_compact(0x220000ff).overflow);
    EXPECT_TRUE(chain::decode_compact(0x2200ffff).overflow);
    EXPECT_FALSE(chain::decode_compact(0x2100ffff).overflow);
    EXPECT_TRUE(chain::decode_compact(0x21010000).overflow);
    EXPECT_TRUE(chain::decode_compact(0x23000001).overflow);
    EXPECT_FALSE(chain::decode_compact(0xff000000).overflow); // zero never overflows
}

TEST(Work, IsTheExactQuotient) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& row : json.at("block_work").at("cases").as_array()) {
        EXPECT_EQ(chain::work_of(bits_of(row, "bits")).to_string(), text(row, "work"));
    }
    for (const auto& value : numbers()) {
        const auto bits = chain::encode_compact(value);
        const auto compact = chain::decode_compact(bits);
        if (!compact.valid()) continue;
        EXPECT_EQ(number(chain::work_of(bits)), two_256 / (number(compact.magnitude) + 1));
    }
}

TEST(Work, OfInvalidBitsIsNothing) {
    for (const auto bits : {0u, 0x01800001u, 0x04923456u, 0xff123456u}) {
        EXPECT_TRUE(chain::work_of(bits).is_zero()) << bits;
    }
}

} // namespace
} // namespace headlight::tests
