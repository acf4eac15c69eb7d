// The whole list against the simulated node, which has to keep to all of it.
#include "tests/support/vectors.hpp"
#include "tests/unit/conform/simulated.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

namespace headlight::tests {
namespace {

using conform::Verdict;

TEST(HonestNode, PassesEveryCheck) {
    const auto report = check_node({}, {}, patient());
    EXPECT_EQ(report.results.size(), conform::all_checks().size());
    for (const auto& result : report.results)
        EXPECT_EQ(result.outcome.verdict, Verdict::pass)
            << result.check->id << ": sent " << result.sent << "; got " << result.outcome.got;
}

TEST(Checks, AreSixtyAtLeastWithIdsOfTheirOwn) {
    std::set<std::string_view> ids, groups;
    for (const auto& check : conform::all_checks()) {
        EXPECT_TRUE(ids.insert(check.id).second) << check.id;
        groups.insert(check.group());
        EXPECT_FALSE(check.clause.empty()) << check.id;
        EXPECT_FALSE(check.source.empty()) << check.id;
    }
    EXPECT_GE(ids.size(), 60U);
    EXPECT_EQ(groups,
              (std::set<std::string_view>{"handshake", "filterload", "filteradd", "matching",
                                          "update", "merkleblock", "relay", "headers", "limits"}));
}

TEST(Checks, AreCountedInTheirDocument) {
    std::map<std::string, std::string> counts, told;
    std::map<std::string_view, int> numbers;
    for (const auto& check : conform::all_checks())
        counts[std::string(check.group())] = std::to_string(++numbers[check.group()]);
    std::ifstream file(source_folder() / "docs/conformance.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::regex row("\n\\| `([a-z]+)` \\| ([0-9]+) \\|");
    for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it)
        told[(*it)[1]] = (*it)[2];
    EXPECT_EQ(told, counts);
}

TEST(Checks, AreChosenByIdAndByGroup) {
    EXPECT_EQ(conform::choose({}).value().size(), conform::all_checks().size());
    EXPECT_EQ(conform::choose({"handshake.ping"}).value().size(), 1U);
    const auto both = conform::choose({"limits", "handshake.ping"}).value();
    EXPECT_GT(both.size(), 10U);
    EXPECT_EQ(both.front()->id, "handshake.ping") << "in the order of the list";
    EXPECT_EQ(conform::choose({"handshake", "nothing"}).error().code, errc::bad_argument);
}

TEST(WithoutAMaker, WhatTheChainHoldsIsChecked) {
    SimulatedNode node(stage().chain, stage().branches);
    conform::RunOptions options;
    options.deadlines = patient();
    const auto report = conform::run(node.address(), options).value();
    EXPECT_EQ(report.count(Verdict::fail), 0U);
    EXPECT_GT(report.count(Verdict::pass), 120U);
    for (const auto& result : report.results) {
        if (result.check->id.starts_with("relay.m") || result.check->id.starts_with("relay.b")) {
            EXPECT_EQ(result.outcome, conform::skipped("needs --rpc")) << result.check->id;
        }
    }
}

TEST(ANodeThatIsNotThere, IsAnErrorAtTheStart) {
    conform::NodeAddress nobody;
    {
        SimulatedNode node(stage().chain, stage().branches);
        nobody = node.address();
    }
    const auto report = conform::run(nobody, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, errc::no_peer);
}

TEST(ANodeThatSaysNothing, IsAnErrorAtTheStart) {
    SimulatedNode node(stage().chain, stage().branches, "silent");
    conform::RunOptions options;
    options.deadlines = hasty();
    const auto report = conform::run(node.address(), options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, errc::no_peer);
}

} // namespace
} // namespace headlight::tests
