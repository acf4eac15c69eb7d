// Omission: what one peer hides and another one proves, and what two honest peers may answer
// differently without blame.
#include "tests/sim/engine/simulated.hpp"

namespace headlight::tests {
namespace {

using sync::DropReason;

class CrossCheck : public Simulated {
  protected:
    /// `blocks` empty ones, then a payment, a spend without change, a spend with change, each in a
    /// block of its own.
    chain::Hash256 story_above(const chain::Hash256& base, int blocks) {
        auto tip = chain.mine_empty(base, blocks).hash;
        const auto first = pay(first_index_);
        const auto second = pay(first_index_ + 1, 70'000);
        tip = chain.mine(tip, {.transactions = {first, second}}).hash;
        tip =
            chain
                .mine(tip,
                      {.transactions = {ChainBuilder::spend({coin(first)}, {to_stranger(99'000)})}})
                .hash;
        tip = chain
                  .mine(tip, {.transactions = {ChainBuilder::spend(
                                  {coin(second)}, {{60'000, script(first_index_, 1)}})}})
                  .hash;
        first_index_ += 2;
        return tip;
    }

    std::uint32_t first_index_ = 0;
};

TEST_F(CrossCheck, AHiddenTransactionIsTakenAndItsOmitterBanned) {
    const auto tip = story_above(chain.genesis().hash, 20);
    for (const auto* fault : {"matches-nothing", "hides-spends", "no-auto-update"}) {
        for (const bool liar_scans : {true, false}) {
            SCOPED_TRACE(std::string(fault) + (liar_scans ? " scans" : " checks"));
            new_world(7);
            if (!liar_scans) node(tip);
            auto& liar = node(tip, {{fault}});
            if (liar_scans) node(tip);
            sync();
            expect_right(tip);
            EXPECT_TRUE(dropped(liar, DropReason::omission)) << story();
            EXPECT_GT(statistics().omissions, 0);
            EXPECT_TRUE(warned(errc::bad_peer));
            ASSERT_EQ(world->disk().bans.size(), 1U);
            EXPECT_EQ(world->disk().bans[0].endpoint, world->endpoint(liar));
        }
    }
}

TEST_F(CrossCheck, TwoHonestPeersAreNeverBlamed) {
    // A second connection answers the spend's block empty: the coin was added by an answer of the
    // first one only (probed).
    auto tip = story_above(chain.genesis().hash, 5);
    for (int i = 0; i < 8; ++i)
        tip = story_above(tip, 40);
    for (const double share : {0.0, 0.3, 1.0}) {
        SCOPED_TRACE(share);
        new_world(11);
        auto& first = node(tip);
        auto& second = node(tip);
        sync({.cross_check = share});
        expect_right(tip);
        EXPECT_EQ(statistics().omissions, 0) << story();
        EXPECT_FALSE(dropped(first, DropReason::omission) || dropped(second, DropReason::omission));
        EXPECT_EQ(statistics().unchecked, 0);
        const auto height = world->engine().headers().tip_height();
        const auto older = height - limits::always_checked_blocks;
        const auto checked = statistics().cross_checked - limits::always_checked_blocks;
        if (share == 0.3) {
            EXPECT_NEAR(static_cast<double>(checked), 0.3 * older, 0.1 * older);
        } else {
            EXPECT_EQ(checked, share == 1.0 ? older : 0);
        }
    }
}

TEST_F(CrossCheck, IsLeftAloneWhenNotWanted) {
    const auto tip = story_above(chain.genesis().hash, 20);
    node(tip);
    node(tip);
    sync({.cross_check = std::nullopt});
    expect_right(tip);
    EXPECT_EQ(statistics().cross_checked, 0);
    EXPECT_EQ(statistics().filterloads, 1);
}

TEST_F(CrossCheck, WithOnePeerNothingIsChecked) {
    const auto tip = story_above(chain.genesis().hash, 20);
    node(tip);
    sync({.cross_check = 1.0});
    EXPECT_EQ(statistics().cross_checked, 0);
    EXPECT_GT(statistics().unchecked, 0);
}

TEST_F(CrossCheck, WhatAnEarlierRunWasNotShownIsFoundByALaterOne) {
    auto tip = story_above(chain.genesis().hash, 5);
    tip = story_above(tip, 100);
    tip = story_above(tip, 100);
    auto& liar = node(tip, {{"matches-nothing"}});
    sync();
    EXPECT_EQ(balance().confirmed, 0);
    auto& honest = node(tip);
    for (const bool liar_first : {true, false}) {
        SCOPED_TRACE(liar_first);
        world->disk().bans.clear();
        if (liar_first) {
            sync({.peers = {world->endpoint(liar), world->endpoint(honest)}});
            EXPECT_GT(statistics().omissions, 0);
        } else {
            sync({.peers = {world->endpoint(honest), world->endpoint(liar)}});
        }
        expect_right(tip);
    }
}

TEST_F(CrossCheck, ATransactionThatTheScannerNeedNotShowBlamesNobody) {
    // Relay adds a coin to the checker's filter that the scanning connection has never seen; its
    // spend is then shown by one of them only.
    auto& first = world->add_node({.noban = true});
    auto& second = world->add_node({.noban = true});
    const auto base = chain.mine_empty(5).hash;
    first.set_tip(base, 0);
    second.set_tip(base, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    const auto payment = pay(0);
    second.add_to_mempool(payment, world->now_ms());
    world->run_for(3'000);
    const auto spend = ChainBuilder::spend({coin(payment)}, {to_stranger(1'000)});
    const auto tip = chain.mine(base, {.transactions = {payment, spend}}).hash;
    first.set_tip(tip, world->now_ms());
    second.set_tip(tip, world->now_ms());
    world->run_for(10'000);
    expect_right(tip);
    EXPECT_EQ(statistics().omissions, 0) << story();
}

TEST_F(CrossCheck, ALostScannerLeavesItsCheckerInOrder) {
    auto tip = story_above(chain.genesis().hash, 300);
    for (int i = 0; i < 6; ++i)
        tip = story_above(tip, 300);
    for (std::int64_t lost_at = 40; lost_at < 400; lost_at += 20) {
        SCOPED_TRACE(lost_at);
        new_world(static_cast<std::uint64_t>(lost_at));
        world->set_delay(10, 20);
        auto& first = node(tip);
        node(tip);
        world->at(lost_at, [&] { world->set_reachable(first, false); });
        world->at(lost_at + 900, [&] { world->set_reachable(first, true); });
        sync({.cross_check = 1.0});
        expect_right(tip);
        EXPECT_EQ(statistics().omissions, 0) << story();
    }
}

TEST_F(CrossCheck, ACheckerThatDoesNotAnswerIsReplacedOrDoneWithout) {
    auto tip = story_above(chain.genesis().hash, 300);
    for (const auto* fault :
         {"ignores-filtered", "stalls-after", "no-pongs", "wrong-root", "omits-transaction"}) {
        for (const bool third : {true, false}) {
            SCOPED_TRACE(std::string(fault) + (third ? " and a third" : ""));
            new_world(3);
            node(tip);
            node(tip, {{fault}});
            if (third) node(tip);
            sync({.cross_check = 1.0});
            expect_right(tip);
            EXPECT_TRUE(!third || statistics().unchecked == 0) << story();
        }
    }
}

TEST_F(CrossCheck, BlocksThatCameWhileFollowingAreChecked) {
    auto& first = world->add_node({.noban = true});
    auto& second = world->add_node({.noban = true, .faults = {{"hides-spends"}}});
    const auto payment = pay(0);
    auto tip = chain.mine(chain.genesis().hash, {.transactions = {payment}}).hash;
    first.set_tip(tip, 0);
    second.set_tip(tip, 0);
    world->start({.peers = {world->endpoint(second), world->endpoint(first)}, .follow = true});
    world->run_for(5'000);
    EXPECT_FALSE(dropped(second, DropReason::omission));
    tip =
        chain.mine(tip, {.transactions = {ChainBuilder::spend({coin(payment)}, {to_stranger(5)})}})
            .hash;
    first.set_tip(tip, world->now_ms());
    second.set_tip(tip, world->now_ms());
    world->run_for(30'000);
    EXPECT_TRUE(dropped(second, DropReason::omission)) << story();
    expect_right(tip);
}

TEST_F(CrossCheck, AReorganisationWhileCheckingIsNoOmission) {
    const auto base = story_above(chain.genesis().hash, 30);
    const auto next = first_index_;
    const auto one = story_above(base, 60);
    first_index_ = next;
    const auto other = story_above(base, 90);
    for (std::int64_t at = 20; at < 300; at += 20) {
        SCOPED_TRACE(at);
        new_world(static_cast<std::uint64_t>(at));
        world->set_delay(5, 15);
        auto& first = node(one);
        auto& second = node(one);
        world->at(at, [&] { first.set_tip(other, world->now_ms()); });
        world->at(at + 37, [&] { second.set_tip(other, world->now_ms()); });
        world->start({.cross_check = 1.0, .follow = true});
        world->run_for(40'000);
        EXPECT_EQ(world->engine().headers().tip().hash, other);
        EXPECT_EQ(statistics().omissions, 0) << story();
        EXPECT_EQ(stored()->scan().hash, other);
    }
}

// ---------------------------------------------------------------------------------------- bans

TEST_F(CrossCheck, ABanOfAnEarlierRunIsHeededUntilItEnds) {
    const auto tip = story_above(chain.genesis().hash, 5);
    auto& liar = node(tip, {{"wrong-root"}});
    sync_fails(errc::bad_peer);
    ASSERT_EQ(world->disk().bans.size(), 1U);
    const auto bans = world->disk().bans;
    EXPECT_EQ(bans[0].endpoint, world->endpoint(liar));

    const auto before = world->drops(liar).size();
    sync_fails(errc::bad_peer, {.bans = bans});
    EXPECT_EQ(world->drops(liar).size(), before) << "it was dialled";
    EXPECT_NE(world->outcome()->error->message.find("banned for another 10 minutes"),
              std::string::npos);

    auto& honest = node(tip);
    sync({.bans = bans});
    expect_right(tip);
    EXPECT_EQ(world->drops(liar).size(), before) << "it was dialled";
    EXPECT_TRUE(dropped(honest, DropReason::done));

    world->run_for(limits::regtest_ban_seconds * 1000);
    sync({.peers = {world->endpoint(liar)}, .bans = bans}); // which has nothing to prove now
    EXPECT_GT(world->drops(liar).size(), before) << "its ban is over";
}

TEST_F(CrossCheck, ABanEndsWithinALongRun) {
    const auto tip = story_above(chain.genesis().hash, 5);
    auto& liar = node(tip, {{"wrong-root"}});
    node(tip);
    world->start({.follow = true});
    world->run_for(60'000);
    EXPECT_EQ(world->drops(liar).size(), 1U);
    world->run_for(limits::regtest_ban_seconds * 1000);
    EXPECT_EQ(world->drops(liar).size(), 2U) << "it is dialled again, and lies again";
}

} // namespace
} // namespace headlight::tests
