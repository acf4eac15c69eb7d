// The ledger against a model that recomputes everything from scratch by the plain wording of the
// rules, over random stories.
#include "tests/support/ledger_driver.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headlight::wallet {
namespace {

class LedgerModel : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LedgerModel, AgreesAtEveryStep) {
    std::mt19937 random{GetParam()};
    LedgerDriver driver([&](std::uint32_t n) {
        return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
    });
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(driver.step(), "") << "seed " << GetParam() << ", step " << i;
        ASSERT_EQ(driver.compare(), "") << "seed " << GetParam() << ", step " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LedgerModel, ::testing::Range(1u, 41u));

} // namespace
} // namespace headlight::wallet
