// Random worlds, each from one seed (life.hpp). HEADLIGHT_SWARM_SEEDS sets how many,
// HEADLIGHT_SWARM_FIRST the first one, HEADLIGHT_SWARM_KNOBS what they are made of (knobs.hpp), and
// HEADLIGHT_STORY_LINES how many actions of a failing one are printed.
#include "tests/sim/swarm/life.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace headlight::tests {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::optional<Knobs> chosen_knobs() {
    const char* text = std::getenv("HEADLIGHT_SWARM_KNOBS");
    return Knobs::parse(text ? text : "");
}

/// What was wrong, if anything.
std::vector<std::string> live(Life& life) {
    try {
        life.run();
    } catch (const std::exception& thrown) {
        auto complaints = life.complaints();
        complaints.emplace_back(thrown.what());
        return complaints;
    }
    return life.complaints();
}

std::string story(const std::vector<std::string>& trace) {
    const auto lines = from_environment("HEADLIGHT_STORY_LINES", 40);
    std::string text = "the last actions:\n";
    for (auto i = trace.size() > lines ? trace.size() - lines : 0; i < trace.size(); ++i)
        text += trace[i].substr(0, 200) + "\n";
    return text;
}

void tell(std::uint64_t seed, const Knobs& knobs) {
    Life again(seed, knobs, true);
    std::string text = "seed " + std::to_string(seed) + " fails: " + again.cast() + "\n";
    const auto complaints = live(again);
    for (std::size_t i = 0; i < complaints.size() && i < 10; ++i)
        text += complaints[i] + "\n";
    ADD_FAILURE() << text << story(again.trace()) << "again: HEADLIGHT_SWARM_FIRST=" << seed
                  << " HEADLIGHT_SWARM_SEEDS=1 sim_swarm --gtest_filter='*Swarm*/0'";
}

constexpr std::uint64_t shards = 2;

/// Halves of the seeds, so that they run beside each other.
class Swarm : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Swarm, EndsRightWithOneHonestPeer) {
    const auto first = from_environment("HEADLIGHT_SWARM_FIRST", 1);
    const auto count = from_environment("HEADLIGHT_SWARM_SEEDS", 2'000);
    const auto knobs = chosen_knobs();
    ASSERT_TRUE(knobs) << "there is no such knob; the knobs are " << Knobs::names();
    int failing = 0;
    Tally tally;
    for (auto seed = first + GetParam(); seed < first + count && failing < 10; seed += shards) {
        Life life(seed, *knobs);
        if (!live(life).empty()) {
            ++failing;
            tell(seed, *knobs);
        }
        tally.add(life.tally());
    }
    std::cout << "seeds " << first << " to " << first + count - 1 << ", every " << shards
              << "nd: " << failing << " fail; " << tally.to_string() << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Half, Swarm, testing::Range<std::uint64_t>(0, shards));

TEST(SwarmSeeds, GiveTheSameActionsAgainAndOthersOtherOnes) {
    std::vector<std::string> before;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Life one(seed, {}, true);
        Life two(seed, {}, true);
        EXPECT_EQ(live(one), live(two));
        ASSERT_EQ(one.trace().size(), two.trace().size()) << seed;
        EXPECT_EQ(one.trace(), two.trace()) << seed;
        EXPECT_NE(one.trace(), before) << seed;
        before = one.trace();
    }
}

TEST(SwarmKnobs, LeaveTheRestAlone) {
    Knobs few;
    few.crashes = few.weather = few.mempool = few.disk = few.growth = false;
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
        EXPECT_EQ(Life(seed, few).cast(), Life(seed, {}).cast()) << seed;
}

TEST(SwarmKnobs, AreRefusedWhenThereIsNoSuchOne) {
    EXPECT_TRUE(Knobs::parse("no-faults,blocks=30,wallet=tr,no-disk"));
    EXPECT_FALSE(Knobs::parse("no-fault"));
    EXPECT_FALSE(Knobs::parse("blocks=x"));
    EXPECT_FALSE(Knobs::parse("peers="));
}

} // namespace
} // namespace headlight::tests
