// Orders of events that once went wrong, each found by thinking against the engine.
#include "tests/sim/engine/simulated.hpp"

namespace headlight::tests {
namespace {

using Adversary = Simulated;

TEST_F(Adversary, ABlockAfterALongIdleTimeIsNoStall) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.follow = true});
    world->run_for(5'000);
    for (std::uint32_t i = 0; i < 4; ++i) {
        world->run_for(40'000);
        node.mine(world->now_ms(), {.transactions = {pay(i)}});
    }
    world->run_for(5'000);
    expect_right(node.tip().hash);
    EXPECT_TRUE(world->drops(node).empty()) << story();
}

TEST_F(Adversary, OnePeersFutureHeaderDoesNotEndAnothersDownload) {
    for (const std::int64_t lost_at : {0, 380, 420, 460, 500, 540}) {
        SCOPED_TRACE(lost_at);
        new_world(3);
        world->set_delay(50, 50);
        auto& liar = world->add_node({.faults = {{"future-header"}}});
        liar.set_tip(chain.mine(chain.genesis().hash).hash, 0);
        auto& honest = world->add_node();
        const auto last = chain.mine_empty(chain.genesis().hash, 4'500).hash;
        honest.set_tip(chain.mine(last, {.transactions = {pay(3)}}).hash, 0);
        if (lost_at) world->at(lost_at, [&] { world->set_reachable(liar, false); });
        sync();
        expect_right(honest.tip().hash);
        EXPECT_EQ(balance().confirmed, 100'000);
    }
}

TEST_F(Adversary, TheEndOfTheMempoolWaitIsNoBusyLoop) {
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->at(2'900, [&] { world->set_reachable(node, false); });
    world->start({.mempool_wait_ms = 3'000});
    ASSERT_TRUE(world->run(60'000)) << story();
    EXPECT_LT(world->trace().size(), 200u);
}

TEST_F(Adversary, ANodeWithoutBlocksDoesNotSpendTheBirthday) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
        new_world(seed);
        const auto made = wallet::Wallet::create(regtest_network(), 1, 0);
        ASSERT_TRUE(made->add(account(), 20, {wallet::Birthday::Kind::height, 2'500}, true));
        world->disk().wallet = made->state();
        world->add_node(); // at the start of its own sync
        auto& full = world->add_node();
        full.set_tip(chain.mine_empty(chain.genesis().hash, 3'000).hash, 0);
        sync();
        EXPECT_EQ(world->engine().statistics().scanned_blocks, 501);
    }
}

TEST_F(Adversary, ALargerGapOfAKnownDescriptorIsScannedFor) {
    auto& node = world->add_node();
    node.mine(0, {.transactions = {pay(0)}});
    const auto far = pay(250);
    node.mine(0, {.transactions = {far}});
    for (std::uint32_t index = 19; index <= 190; index += 19) {
        node.mine(0, {.transactions = {pay(index)}});
    }
    sync();
    EXPECT_EQ(stored()->ledger().find(chain::txid(far)), nullptr);
    auto wallet = stored();
    ASSERT_TRUE(wallet->add(account(), 100, {}, true));
    wallet->ledger().reindex();
    world->disk().wallet = wallet->state();
    sync();
    EXPECT_NE(stored()->ledger().find(chain::txid(far)), nullptr);
    expect_right();
}

TEST_F(Adversary, AFalsePositiveSeenByRelayCompletesItsBlock) { // pitfalls B5
    auto& node = world->add_node({.noban = true, .faults = {{"matches-all"}, {"not-sent-again"}}});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    node.add_to_mempool(chain.pay({to_stranger(5)}), world->now_ms());
    world->run_for(3'000);
    node.mine(world->now_ms());
    world->run_for(9'000);
    expect_right(node.tip().hash);
    EXPECT_TRUE(world->drops(node).empty()) << story();
}

TEST_F(Adversary, ARescanOfManyOwnTransactionsIsNoFlood) {
    auto& node = world->add_node();
    for (int block = 0; block < 40; ++block) {
        BlockPlan plan;
        for (std::uint32_t i = 0; i < 600; ++i) {
            plan.transactions.push_back(pay(i % 20, 1'000 + static_cast<Amount>(i)));
        }
        node.mine(0, std::move(plan));
    }
    sync();
    auto wallet = stored();
    wallet->request_rescan({});
    world->disk().wallet = wallet->state();
    sync();
    // One connection, then two: so many coins need two filters.
    EXPECT_EQ(world->drops(node), std::vector(3, sync::DropReason::done));
    EXPECT_EQ(stored()->ledger().size(), 24'000u);
}

TEST_F(Adversary, APeerThatKnowsLessThanTheBestChainIsNoReasonToFail) {
    auto& behind = world->add_node();
    behind.set_tip(chain.mine_empty(400).hash, 0);
    auto& full = world->add_node();
    full.set_tip(chain.mine(chain.mine_empty(900).hash, {.transactions = {pay(1)}}).hash, 0);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
        make_wallet({account()});
        world->disk().headers = {};
        sync();
        expect_right(full.tip().hash);
    }
}

TEST_F(Adversary, AProvenTransactionOf64BytesIsRefused) { // CVE-2017-12842
    auto small = chain.pay(Bytes(4, 0x51), 1);
    ASSERT_EQ(chain::serialize(small, chain::Witness::strip).size(), 64U);
    const auto tip = chain.mine(chain.genesis().hash, {.transactions = {small}}).hash;
    auto& node = world->add_node({.faults = {{"matches-all"}}});
    node.set_tip(tip, 0);
    sync_fails(errc::bad_peer);
    EXPECT_EQ(world->drops(node), std::vector{sync::DropReason::bad_transaction});
}

TEST_F(Adversary, AFloodOfAnnouncementsDoesNotKeepTheRunFromEnding) {
    auto& flood = world->add_node({.noban = true, .faults = {{"inv-flood", 1}}});
    auto& honest = world->add_node({.noban = true});
    const auto tip = chain.mine(chain.mine_empty(20).hash, {.transactions = {pay(1)}}).hash;
    flood.set_tip(tip, 0);
    honest.set_tip(tip, 0);
    world->set_line(flood, {.bytes_per_second = 20'000});
    world->start({.mempool_wait_ms = 5'000});
    ASSERT_TRUE(world->run(300'000)) << story();
    expect_right(tip);
}

TEST_F(Adversary, WhoScannedInAnEarlierRunIsNoSecondOpinion) {
    auto& liar = world->add_node({.noban = true, .faults = {{"matches-nothing"}}});
    auto& honest = world->add_node({.noban = true});
    const auto tip = chain.mine(chain.mine_empty(20).hash, {.transactions = {pay(1)}}).hash;
    liar.set_tip(tip, 0);
    honest.set_tip(tip, 0);
    sync({.peers = {world->endpoint(liar)}});
    // The honest one is first in rank, so that it scans what there is: nothing.
    sync({.peers = {world->endpoint(honest), world->endpoint(liar)}, .cross_check = 1.0});
    expect_right(tip);
}

TEST_F(Adversary, ATransactionThatIsAnnouncedAndNeverSentDoesNotHoldUpTheEnd) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.mempool_wait_ms = 5'000});
    world->run_for(1'000);
    world->set_deaf(node, true); // it still speaks, and hears nothing
    node.add_to_mempool(pay(0), world->now_ms());
    ASSERT_TRUE(world->run(120'000)) << story();
}

} // namespace
} // namespace headlight::tests
