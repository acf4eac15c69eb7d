// The header tree against an obvious model, over random stories. A failure names its seed.
#include "tests/support/header_tree_driver.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headlight::tests {
namespace {

using chain::DifficultyRule;

HeaderTreeDriver::Choose random_choices(unsigned seed) {
    return [random = std::mt19937(seed)](std::uint32_t n) mutable {
        return static_cast<std::uint32_t>(random() % n);
    };
}

void run_story(HeaderTreeDriver& driver, int steps, int compare_every, unsigned seed) {
    for (int step = 0; step < steps; ++step) {
        auto differs = driver.step();
        if (differs.empty() && step % compare_every == 0) differs = driver.compare();
        ASSERT_EQ(differs, "") << "seed " << seed << ", step " << step;
    }
    EXPECT_EQ(driver.compare(), "") << "seed " << seed;
}

TEST(HeaderTreeModel, AgreesOnRandomTreesWithEveryLimit) { // pitfalls C1, C3, C8
    std::map<chain::HeaderVerdict, int> verdicts;
    for (unsigned seed = 1; seed <= 120; ++seed) {
        static constexpr std::size_t limits[] = {0, 1, 2, 3, 5, 8, 13, 1000};
        // Twenty-minute blocks are sixteen times lighter: length and work go apart.
        const auto rule = seed % 3 == 0 ? DifficultyRule::none : DifficultyRule::twenty_minutes;
        const auto network = toy_network(rule, seed % 3 == 2 ? 0x2007ffff : 0x207fffff);
        HeaderTreeDriver driver(network, limits[seed % 8], random_choices(seed));
        ASSERT_NO_FATAL_FAILURE(run_story(driver, 200, 3, seed));
        for (const auto& [verdict, count] : driver.verdicts())
            verdicts[verdict] += count;
    }
    for (const auto& [verdict, count] : verdicts) {
        EXPECT_GT(count, 100) << "the stories hardly show verdict " << static_cast<int>(verdict);
    }
    EXPECT_EQ(verdicts.size(), 8u);
}

/// A chain that ends a few blocks before a retarget.
NaiveHeaderTree::Branch chain_up_to_a_boundary(const chain::Network& network, unsigned seed) {
    std::mt19937 random(seed);
    NaiveHeaderTree::Branch chain = NaiveHeaderTree(network, 0, {}).best();
    const auto work = chain[0].work;
    while (chain.size() < 2013) {
        const auto& last = chain.back();
        const auto time = last.header.time + 150 + static_cast<std::uint32_t>(random() % 200);
        const auto header = mine(network, last.hash, time, last.header.bits);
        chain.push_back(
            {header, chain::hash_of(header), last.height + 1, chain.back().work + work});
    }
    return chain;
}

TEST(HeaderTreeModel, AgreesOnBranchesThatCrossARetarget) { // pitfalls C4, C5
    for (const auto rule : {DifficultyRule::retarget, DifficultyRule::twenty_minutes,
                            DifficultyRule::twenty_minutes_bip94}) {
        const auto network = toy_network(rule, 0x203fffff);
        constexpr unsigned seed = 7;
        HeaderTreeDriver driver(network, 10, random_choices(seed),
                                chain_up_to_a_boundary(network, seed));
        ASSERT_NO_FATAL_FAILURE(run_story(driver, 150, 25, seed));
        EXPECT_GT(driver.best_height(), 2017) << "the story never crossed the boundary";
    }
}

} // namespace
} // namespace headlight::tests
