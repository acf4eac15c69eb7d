// At the tip: pending payments, replacements, announcements, and peers that come and go.
#include "tests/sim/engine/simulated.hpp"

namespace headlight::tests {
namespace {

using Following = Simulated;
using Kind = wallet::LedgerDelta::Event::Kind;

int events(const SimWorld& world, const chain::Hash256& txid, Kind kind) {
    int count = 0;
    for (const auto& notice : world.notices()) {
        const auto* told = std::get_if<sync::notice::Transaction>(&notice);
        count += told && told->event.txid == txid && told->event.kind == kind;
    }
    return count;
}

TEST_F(Following, APendingPaymentBehindTheFenceIsSeenWithNoban) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(3).hash, 0);
    const auto pending = pay(0);
    node.add_to_mempool(pending, 0);
    sync();
    expect_right(node.tip().hash, {pending});
    EXPECT_EQ(balance().unconfirmed, 100'000);
}

TEST_F(Following, OtherwiseItIsWaitedForAsLongAsAsked) {
    auto& node = world->add_node({.trickle_ms = 20'000});
    node.set_tip(chain.mine_empty(3).hash, 0);
    node.add_to_mempool(pay(0), 0);
    sync();
    EXPECT_EQ(balance().unconfirmed, 0);
    sync({.mempool_wait_ms = 30'000});
    EXPECT_EQ(balance().unconfirmed, 100'000);
}

TEST_F(Following, AReplacementCountsOnce) { // pitfalls D3
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(3).hash, 0);
    const auto first = pay(0, 50'000);
    world->start({.follow = true});
    world->run_for(2'000);
    node.add_to_mempool(first, world->now_ms());
    world->run_for(2'000);
    const auto second = ChainBuilder::spend({first.inputs[0].prevout}, {{49'000, script(1)}});
    node.add_to_mempool(second, world->now_ms());
    world->run_for(2'000);
    EXPECT_EQ(balance().unconfirmed, 49'000);
    node.mine(world->now_ms());
    world->run_for(5'000);
    EXPECT_EQ(balance().confirmed, 49'000);
    EXPECT_EQ(balance().total(), 49'000);
    EXPECT_EQ(events(*world, chain::txid(second), Kind::seen), 1);
    EXPECT_EQ(events(*world, chain::txid(second), Kind::confirmed), 1);
}

TEST_F(Following, NewBlocksAreScannedAsTheyCome) { // pitfalls C6
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(30).hash, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    for (std::uint32_t i = 0; i < 5; ++i) {
        node.mine(world->now_ms(), {.transactions = {pay(i)}});
        world->run_for(1'000);
        EXPECT_EQ(stored()->scan().height, node.tip().height);
    }
    // Twelve at once: only the tip is announced.
    auto tip = node.tip().hash;
    for (std::uint32_t i = 0; i < 12; ++i) {
        tip = chain.mine(tip, {.transactions = {pay(i)}}).hash;
    }
    node.set_tip(tip, world->now_ms());
    world->run_for(5'000);
    expect_right(tip);
    world->stop(errc::stopped);
    EXPECT_FALSE(world->outcome()->error) << "a follower that is stopped at the tip ends well";
}

TEST_F(Following, ARelayedPaymentNeedsNoNewFilterWhenItConfirms) { // pitfalls A9
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    for (std::uint32_t i = 0; i < 10; ++i) {
        node.add_to_mempool(pay(i), world->now_ms());
        world->run_for(1'000);
        node.mine(world->now_ms());
        world->run_for(2'000);
    }
    expect_right(node.tip().hash);
    EXPECT_LE(world->engine().statistics().filterloads, 2);
}

/// The phases in the order in which they were told, without repeats.
std::vector<sync::notice::Phase> phases(const SimWorld& world) {
    std::vector<sync::notice::Phase> all;
    for (const auto& notice : world.notices()) {
        const auto* progress = std::get_if<sync::notice::Progress>(&notice);
        if (progress && (all.empty() || all.back() != progress->phase))
            all.push_back(progress->phase);
    }
    return all;
}

TEST_F(Following, TheTipIsOnePhaseWhateverIsRelayedThere) {
    using enum sync::notice::Phase;
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    node.add_to_mempool(pay(9), 0);
    world->start({.follow = true});
    world->run_for(3'000);
    for (std::uint32_t i = 0; i < 5; ++i) {
        node.add_to_mempool(pay(i), world->now_ms());
        world->run_for(1'000);
    }
    const std::vector<sync::notice::Phase> start{connecting, headers, blocks, mempool, at_tip};
    EXPECT_EQ(phases(*world), start);
    node.mine(world->now_ms());
    world->run_for(2'000);
    auto after = start;
    after.insert(after.end(), {blocks, at_tip});
    EXPECT_EQ(phases(*world), after);
}

TEST_F(Following, WaitingForPendingPaymentsIsThePhaseBeforeTheTip) {
    using enum sync::notice::Phase;
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(5).hash, 0);
    sync({.mempool_wait_ms = 5'000});
    EXPECT_EQ(phases(*world), (std::vector{connecting, headers, blocks, mempool, at_tip}));
}

TEST_F(Following, AReorganisationWhileFollowing) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(30).hash, 0);
    const auto fork = node.tip().hash;
    node.mine(0, {.transactions = {pay(0)}});
    world->start({.follow = true});
    world->run_for(3'000);
    EXPECT_EQ(balance().confirmed, 100'000);
    const auto replaced = pay(1, 7'000);
    const auto& a = chain.mine(fork, {.transactions = {replaced}});
    node.set_tip(chain.mine_empty(a.hash, 2).hash, world->now_ms());
    world->run_for(5'000);
    EXPECT_EQ(stored()->scan().height, 33);
    EXPECT_EQ(balance().confirmed, 7'000);
    EXPECT_EQ(world->engine().statistics().reorganised, 30);
}

TEST_F(Following, AFollowerComesBackAfterItsPeer) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    world->set_reachable(node, false);
    world->run_for(100'000);
    EXPECT_FALSE(world->outcome()) << story();
    world->set_reachable(node, true);
    node.mine(world->now_ms(), {.transactions = {pay(0)}});
    world->run_for(130'000);
    expect_right(node.tip().hash);
}

TEST_F(Following, AChildThatComesBeforeItsParentIsUnderstoodOnceTheParentIs) {
    auto& node = world->add_node({.noban = true});
    node.set_tip(chain.mine_empty(5).hash, 0);
    world->start({.follow = true});
    world->run_for(3'000);
    const auto parent = pay(0);
    const auto child = ChainBuilder::spend({coin(parent)}, {to_stranger(90'000)});
    node.add_to_mempool(parent, world->now_ms());
    node.add_to_mempool(child, world->now_ms());
    world->run_for(5'000);
    EXPECT_EQ(balance().unconfirmed, 0) << "received and sent on";
    EXPECT_EQ(stored()->ledger().size(), 2u);
}

TEST_F(Following, ABroadcastEndsWhenThePeerShowsTheTransaction) {
    auto& node = world->add_node({.noban = true});
    const auto funding = pay(0);
    node.mine(0, {.transactions = {funding}});
    sync();
    const auto signed_tx = ChainBuilder::spend({coin(funding)}, {to_stranger(80'000)});
    sync({.broadcast = signed_tx});
    EXPECT_EQ(world->engine().statistics().accepted_by, std::vector<std::string>{"node-0:18444"});
    EXPECT_NE(node.find_in_mempool(chain::txid(signed_tx)), nullptr);
    EXPECT_EQ(stored()->ledger().status(chain::txid(signed_tx)), wallet::TxStatus::pending);
}

} // namespace
} // namespace headlight::tests
