// The version handshake: every order in which it may come. pitfalls E3
#include "p2p/handshake.hpp"

#include <gtest/gtest.h>

namespace headlight::p2p {
namespace {

Handshake::Config config() { return {42, 100, 1'700'000'000, "/headlight/", false}; }

Version peers_version() {
    Version version;
    version.nonce = 7;
    version.services = services::network | services::bloom;
    return version;
}

TEST(Handshake, GreetsWithoutRelayAndTellsNoAddress) {
    const auto greeting = std::get<Version>(Handshake(config()).greeting());
    EXPECT_EQ(greeting.version, protocol_version);
    EXPECT_EQ(greeting.services, 0u);
    EXPECT_EQ(greeting.time, 1'700'000'000);
    EXPECT_EQ(greeting.receiver, NetAddress{});
    EXPECT_EQ(greeting.sender, NetAddress{});
    EXPECT_EQ(greeting.nonce, 42u);
    EXPECT_EQ(greeting.user_agent, "/headlight/");
    EXPECT_EQ(greeting.start_height, 100);
    EXPECT_FALSE(greeting.relay);
}

TEST(Handshake, AnswersVersionWithVerackAndIsDoneWithTheirs) {
    Handshake handshake(config());
    const auto first = handshake.on(peers_version());
    EXPECT_EQ(first.send, std::vector<Message>{Verack{}});
    EXPECT_FALSE(first.done);
    EXPECT_FALSE(handshake.done());
    EXPECT_EQ(handshake.peer(), peers_version());
    const auto second = handshake.on(Verack{});
    EXPECT_TRUE(second.send.empty());
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.refusal);
    EXPECT_TRUE(handshake.done());
}

TEST(Handshake, ToleratesOtherMessagesAtAnyTime) {
    const std::vector<Message> noise{Unknown{"wtxidrelay", 0},
                                     SendAddrV2{},
                                     Unknown{"sendtxrcncl", 12},
                                     SendHeaders{},
                                     Unknown{"sendcmpct", 9},
                                     FeeFilter{},
                                     Ping{},
                                     Alert{{1}},
                                     Inv{{{InvType::tx, {}}}},
                                     Unknown{"x", 0}};
    Handshake handshake(config());
    const auto shout = [&] {
        for (const auto& message : noise) {
            const auto step = handshake.on(message);
            EXPECT_TRUE(step.send.empty());
            EXPECT_FALSE(step.refusal);
            EXPECT_EQ(step.done, handshake.done());
        }
    };
    shout();
    EXPECT_FALSE(handshake.on(peers_version()).refusal);
    shout();
    EXPECT_TRUE(handshake.on(Verack{}).done);
    shout();
    EXPECT_TRUE(handshake.done());
}

TEST(Handshake, RefusesAVerackBeforeTheVersion) {
    Handshake handshake(config());
    EXPECT_EQ(handshake.on(Verack{}).refusal, HandshakeRefusal::out_of_order);
    EXPECT_FALSE(handshake.done());
}

TEST(Handshake, RefusesASecondVersion) {
    Handshake before(config());
    before.on(peers_version());
    EXPECT_EQ(before.on(peers_version()).refusal, HandshakeRefusal::out_of_order);
    Handshake after(config());
    after.on(peers_version());
    after.on(Verack{});
    EXPECT_EQ(after.on(peers_version()).refusal, HandshakeRefusal::out_of_order);
}

TEST(Handshake, ToleratesASecondVerack) {
    Handshake handshake(config());
    handshake.on(peers_version());
    handshake.on(Verack{});
    const auto again = handshake.on(Verack{});
    EXPECT_TRUE(again.done);
    EXPECT_FALSE(again.refusal);
}

TEST(Handshake, RefusesItself) {
    Handshake handshake(config());
    const auto step = handshake.on(handshake.greeting());
    EXPECT_EQ(step.refusal, HandshakeRefusal::own_nonce);
    EXPECT_TRUE(step.send.empty());
    EXPECT_FALSE(step.done);
}

TEST(Handshake, RefusesVersionsBelow70011AndKeepsTheVersionForTheMessage) {
    Handshake handshake(config());
    auto old = peers_version();
    old.version = least_protocol_version - 1;
    EXPECT_EQ(handshake.on(old).refusal, HandshakeRefusal::old_version);
    EXPECT_EQ(handshake.peer(), old);
    EXPECT_EQ(handshake.on(Verack{}).refusal, HandshakeRefusal::out_of_order);
    EXPECT_FALSE(handshake.done());

    Handshake least(config());
    old.version = least_protocol_version;
    EXPECT_FALSE(least.on(old).refusal);
}

} // namespace
} // namespace headlight::p2p
