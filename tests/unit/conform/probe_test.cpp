// One look at simulated nodes.
#include "conform/probe.hpp"

#include "tests/unit/conform/simulated.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

TEST(ServiceNames, FollowTheBitsAndNameUnknownOnesByNumber) {
    using namespace p2p::services;
    EXPECT_EQ(conform::service_names(network | bloom | network_limited),
              (std::vector<std::string>{"NODE_NETWORK", "NODE_BLOOM", "NODE_NETWORK_LIMITED"}));
    EXPECT_EQ(conform::service_names(1ULL << 63), std::vector<std::string>{"bit 63"});
    EXPECT_TRUE(conform::service_names(0).empty());
}

conform::ProbeFindings look_at(const std::string& fault) {
    regtest::ChainBuilder chain;
    const SimulatedNode node(chain, {chain.mine_empty(3).hash}, fault);
    const auto found = conform::probe(node.address(), hasty());
    EXPECT_TRUE(found) << to_string(found.error());
    return found ? *found : conform::ProbeFindings{};
}

TEST(Probe, SeesWhatANodeOffersAndWhatItDoes) {
    const auto found = look_at("");
    EXPECT_EQ(found.serves, conform::Serves::yes);
    EXPECT_EQ(found.version.start_height, 3);
    EXPECT_EQ(found.feefilter, 1'000);
    EXPECT_GT(found.latency_ms, 0);
}

TEST(Probe, TellsSilenceFromAnEndedConnection) {
    EXPECT_EQ(look_at("ignores-filtered").serves, conform::Serves::silent);
    EXPECT_EQ(look_at("over-upload-limit").serves, conform::Serves::closes);
}

TEST(Probe, NamesANodeThatDoesNotShakeHands) {
    regtest::ChainBuilder chain;
    const SimulatedNode node(chain, {chain.mine_empty(3).hash}, "silent");
    const auto found = conform::probe(node.address(), hasty());
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, errc::no_peer);
}

} // namespace
} // namespace headlight::tests
