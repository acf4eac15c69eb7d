// Filter sizes at and beyond the limits of the wire.
#include "bip37/sizing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight::bip37 {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Sizing, RefusesWhatIsNoRateOrNoCount) { // pitfalls A5
    for (const double rate : {not_a_number, 0.0, -0.0, 1.0, -0.5, 2.0, infinite, -infinite}) {
        for (const auto& size : {core_size(10, rate), plan_size(10, rate)}) {
            ASSERT_FALSE(size) << rate;
            EXPECT_EQ(size.error().code, errc::bad_argument);
            EXPECT_NE(size.error().cause.find("rate"), std::string::npos);
        }
        EXPECT_EQ(capacity(36'000, rate), 0u);
    }
    for (const auto& size : {core_size(0, 0.01), plan_size(0, 0.01)}) {
        ASSERT_FALSE(size);
        EXPECT_EQ(size.error().code, errc::bad_argument);
        EXPECT_NE(size.error().cause.find("0 elements"), std::string::npos);
    }
}

TEST(Sizing, NeverRoundsDownToAFilterThatMatchesEverything) { // pitfalls A5
    // Core's formula gives 7 bits, so 0 bytes.
    EXPECT_EQ(core_size(1, 0.03).value(), (FilterSize{1, 5}));
    EXPECT_EQ(plan_size(1, 0.03).value(), (FilterSize{8, 44}));
    // Core's whole division gives 0 functions.
    EXPECT_EQ(core_size(1'000'000, 0.0001).value(), (FilterSize{36'000, 1}));
    const auto planned = plan_size(1'000'000, 0.0001);
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().code, errc::too_large);
}

TEST(Sizing, StaysInsideTheLimitsForEveryInput) {
    for (const double rate : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-30, 1e-9,
                              0.0001, 0.03, 0.5, 0.9, 0.999999, std::nextafter(1.0, 0.0)}) {
        for (const std::size_t elements :
             {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{100}, std::size_t{20'000},
              std::size_t{1'000'000}, std::numeric_limits<std::size_t>::max()}) {
            for (const auto& size : {core_size(elements, rate), plan_size(elements, rate)}) {
                if (!size) {
                    EXPECT_EQ(size.error().code, errc::too_large);
                    continue;
                }
                EXPECT_GE(size->bytes, 1u);
                EXPECT_LE(size->bytes, limits::max_filter_bytes);
                EXPECT_GE(size->hash_functions, 1u);
                EXPECT_LE(size->hash_functions, limits::max_hash_functions);
            }
        }
    }
}

TEST(Sizing, SaysHowManyFiltersItTakesAndThoseSuffice) { // pitfalls A5
    const auto planned = plan_size(100'000, 0.0001);
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().code, errc::too_large);
    EXPECT_NE(planned.error().message.find("100000 elements"), std::string::npos);
    EXPECT_NE(planned.error().cause.find("15023"), std::string::npos) << planned.error().cause;
    EXPECT_NE(planned.error().cure.find("7 filters"), std::string::npos) << planned.error().cure;

    for (const double rate : {1e-12, 0.0001, 0.001, 0.02, 0.1, 0.3, 0.7, 0.88, 0.95}) {
        const auto held = capacity(limits::max_filter_bytes, rate);
        EXPECT_TRUE(plan_size(held, rate)) << rate;
        const auto filters = 10 * held / held + 1;
        EXPECT_TRUE(plan_size((10 * held + 1) / filters, rate)) << rate;
    }
}

TEST(Sizing, KeepsTheWantedRateUntilTheLimitIsReached) {
    for (const std::size_t elements : {20u, 60u, 300u, 5'000u, 15'000u}) {
        const auto size = plan_size(elements, 0.0001).value();
        const double rounding =
            elements < 50 ? 1.25 : 1.1; // of whole bytes and whole bits an element
        EXPECT_LE(expected_fp_rate(size, elements), 0.0001 * rounding) << elements;
        EXPECT_GE(capacity(size.bytes + 1, 0.0001), elements);
    }
    EXPECT_FALSE(plan_size(15'700, 0.0001)); // 1.1 times the rate is behind us
}

TEST(Sizing, HasAFloorThatSmallWalletsShare) {
    EXPECT_EQ(plan_size(1, 0.0001)->bytes, limits::min_filter_bytes);
    EXPECT_EQ(plan_size(2, 0.0001)->bytes, limits::min_filter_bytes);
    EXPECT_EQ(plan_size(2, 0.0001)->hash_functions, 22u);
    EXPECT_EQ(plan_size(1, 1e-30).value(), (FilterSize{17, 50}));
}

TEST(Sizing, ExpectsTheRatesOfTheFormula) {
    EXPECT_DOUBLE_EQ(expected_fp_rate({0, 5}, 1), 1.0);
    EXPECT_DOUBLE_EQ(expected_fp_rate({8, 0}, 1), 1.0);
    EXPECT_DOUBLE_EQ(expected_fp_rate({8, 3}, 0), 0.0);
    EXPECT_NEAR(expected_fp_rate({119, 6}, 100), std::pow(1 - std::exp(-600.0 / 952), 6), 1e-12);
    EXPECT_NEAR(expected_fp_rate({8, 50}, 1'000'000), 1.0, 1e-9);
}

TEST(Sizing, ThirtySixThousandBytesHoldTwentyThousandElementsAtOneInAThousand) {
    EXPECT_EQ(capacity(limits::max_filter_bytes, 0.001), 20'031u);
    const auto size = plan_size(20'031, 0.001).value();
    EXPECT_EQ(size.hash_functions, 9u);
    EXPECT_NEAR(expected_fp_rate(size, 20'031), 0.001022, 0.0000005);
}

TEST(Sizing, AGivenSizeGetsTheFunctionsThatSuitIt) {
    EXPECT_EQ(size_of_bytes(119, 100).value(), (FilterSize{119, 6}));
    EXPECT_EQ(size_of_bytes(1, 1'000).value(), (FilterSize{1, 1}));
    EXPECT_EQ(size_of_bytes(36'000, 1).value(), (FilterSize{36'000, 50}));
    for (const auto& size :
         {size_of_bytes(0, 10), size_of_bytes(36'001, 10), size_of_bytes(10, 0)}) {
        ASSERT_FALSE(size);
        EXPECT_EQ(size.error().code, errc::bad_argument);
    }
}

} // namespace
} // namespace headlight::bip37
