// Reorganisations, other branches, wiped chains, times: what headers do to a wallet.
#include "tests/sim/engine/simulated.hpp"

namespace headlight::tests {
namespace {

using Chains = Simulated;

TEST_F(Chains, AReorganisationUndoesAndConfirmsAnew) { // pitfalls D2
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(20).hash, 0);
    const auto fork = node.tip().hash;
    const auto in_both = pay(0);
    const auto only_old = pay(1);
    const auto gone = pay(2);
    const auto child_of_gone = ChainBuilder::spend({coin(gone)}, {{90'000, script(3, 1)}});
    node.mine(0, {.transactions = {in_both, only_old, gone}, .coinbase_script = script(8)});
    node.mine(0, {.transactions = {child_of_gone}});
    sync();
    expect_right();
    EXPECT_FALSE(world->engine().statistics().reorganised);

    const auto conflicting = ChainBuilder::spend({gone.inputs[0].prevout}, {{1, script(9)}});
    const auto& a = chain.mine(fork, {.transactions = {conflicting}});
    const auto& b = chain.mine(a.hash, {.transactions = {in_both}});
    const auto& c = chain.mine(b.hash);
    node.set_tip(c.hash, world->now_ms());
    sync();
    EXPECT_EQ(world->engine().statistics().reorganised, 20);
    const auto told = std::count_if(
        world->notices().begin(), world->notices().end(), [](const sync::Notice& notice) {
            const auto* block = std::get_if<sync::notice::Block>(&notice);
            return block && block->fork == 20;
        });
    EXPECT_EQ(told, 1);
    const auto wallet = stored();
    const auto& ledger = wallet->ledger();
    EXPECT_EQ(ledger.find(chain::txid(in_both))->confirmation->height, b.height);
    EXPECT_EQ(ledger.status(chain::txid(only_old)), wallet::TxStatus::pending);
    EXPECT_EQ(ledger.status(chain::txid(child_of_gone)), wallet::TxStatus::conflicted);
    EXPECT_EQ(ledger.balance(c.height).immature, 0) << "the coinbase is gone";
    EXPECT_EQ(ledger.balance(c.height).confirmed, 100'001);
}

TEST_F(Chains, AHundredDeepReorganisationInAFewQuestions) { // pitfalls C2
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(300).hash, 0);
    const auto fork = node.tip().hash;
    for (std::uint32_t i = 0; i < 150; ++i)
        node.mine(0, {.transactions = {pay(i % 18)}});
    sync();
    expect_right();
    auto tip = fork;
    for (std::uint32_t i = 0; i < 151; ++i) {
        tip = chain.mine(tip, {.transactions = {pay(i % 18, 7'000)}}).hash;
    }
    node.set_tip(tip, world->now_ms());
    const auto before = world->trace().size();
    sync();
    EXPECT_EQ(stored()->scan().height, 451);
    EXPECT_EQ(balance().confirmed, 151 * 7'000);
    EXPECT_EQ(world->engine().statistics().reorganised, 300);
    int questions = 0;
    for (auto i = before; i < world->trace().size(); ++i) {
        questions += world->trace()[i].find("getheaders") != std::string::npos;
    }
    EXPECT_LE(questions, 2);
}

TEST_F(Chains, BlocksOfASideBranchAreScannedWhenItWins) { // pitfalls D2: scanned again
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(10).hash, 0);
    const auto fork = node.tip().hash;
    const auto coin_tx = pay(0);
    node.mine(0, {.transactions = {coin_tx}});
    node.mine(0, {.transactions = {ChainBuilder::spend({coin(coin_tx)}, {to_stranger(9)})}});
    const auto old_tip = node.tip().hash;
    sync();
    EXPECT_EQ(balance().total(), 0);
    // Another branch without the spend, then the old one again, heavier.
    auto tip = chain.mine(fork, {.transactions = {coin_tx}}).hash;
    tip = chain.mine_empty(tip, 2).hash;
    node.set_tip(tip, world->now_ms());
    sync();
    expect_right(tip, {ChainBuilder::spend({coin(coin_tx)}, {to_stranger(9)})});
    node.set_tip(chain.mine_empty(old_tip, 3).hash, world->now_ms());
    sync();
    expect_right(node.tip().hash);
    EXPECT_EQ(balance().total(), 0);
}

TEST_F(Chains, ALighterBranchIsIgnoredAndAHeavierOneTaken) { // pitfalls C1
    auto& light = world->add_node();
    light.set_tip(chain.mine_empty(30).hash, 0);
    auto& heavy = world->add_node();
    heavy.set_tip(chain.mine_empty(chain.genesis().hash, 40).hash, 0);
    heavy.mine(0, {.transactions = {pay(0)}});
    sync();
    expect_right(heavy.tip().hash);
    EXPECT_EQ(balance().confirmed, 100'000);
}

TEST_F(Chains, AWipedChainIsNamedWithItsCure) { // pitfalls C10
    auto& node = world->add_node();
    for (int i = 0; i < 5; ++i)
        node.mine(0, {.transactions = {pay(0)}});
    sync();
    auto& wiped = world->add_node();
    wiped.set_tip(chain.mine_empty(chain.genesis().hash, 3).hash, world->now_ms());
    sync_fails(errc::wiped_chain, {.peers = {world->endpoint(wiped)}});
    EXPECT_NE(world->outcome()->error->cure.find("reset-chain"), std::string::npos);
    std::vector<sync::notice::Phase> phases;
    for (const auto& notice : world->notices()) {
        if (const auto* progress = std::get_if<sync::notice::Progress>(&notice))
            phases.push_back(progress->phase);
    }
    ASSERT_FALSE(phases.empty());
    EXPECT_EQ(phases.back(), sync::notice::Phase::headers) << "nobody connects any more";
    EXPECT_EQ(balance().confirmed, 500'000) << "the wallet stays";
    // reset-chain: the headers go, the wallet follows the new chain.
    world->disk().headers = {};
    sync({.peers = {world->endpoint(wiped)}});
    EXPECT_EQ(balance().confirmed, 0);
    EXPECT_EQ(stored()->scan().height, 3);
}

TEST_F(Chains, AnEmptyWipedNodeIsNamedToo) {
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(5).hash, 0);
    sync();
    auto& wiped = world->add_node();
    sync_fails(errc::wiped_chain, {.peers = {world->endpoint(wiped)}});
}

TEST_F(Chains, AFutureBlockIsSetAsideAndTakenLater) { // pitfalls C3
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(10).hash, 0);
    const auto now = SimNodeConfig{}.unix_at_zero;
    node.mine(0, {.transactions = {pay(0)}, .time = static_cast<std::uint32_t>(now + 7'300)});
    node.mine(0, {.transactions = {pay(1)}, .time = static_cast<std::uint32_t>(now + 7'301)});
    sync_fails(errc::future_block);
    EXPECT_EQ(stored()->scan().height, 10) << "everything before it is kept";
    EXPECT_TRUE(world->drops(node).empty() || world->drops(node).back() == sync::DropReason::done);
    world->run_for(200'000);
    sync();
    EXPECT_EQ(balance().confirmed, 200'000);
}

TEST_F(Chains, NobodyListeningEndsSoonWithTheCure) { // pitfalls E6
    auto& node = world->add_node();
    world->set_reachable(node, false);
    const auto begun = world->now_ms();
    sync_fails(errc::no_peer);
    EXPECT_LT(world->now_ms() - begun, 5'000);
}

TEST_F(Chains, StoppingKeepsWhatIsWhole) {
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(2'900).hash, 0);
    world->set_delay(90, 110);
    world->start();
    world->at(world->now_ms() + 700, [&] { world->stop(errc::stopped); });
    ASSERT_TRUE(world->run());
    ASSERT_TRUE(world->outcome()->error);
    EXPECT_EQ(world->outcome()->error->code, errc::stopped);
    EXPECT_TRUE(world->outcome()->kept_part);
    const auto kept = stored()->scan().height;
    sync();
    EXPECT_EQ(world->engine().statistics().scanned_blocks, 2'900 - std::max(kept, 0));
}

TEST_F(Chains, ACrashAtAnyMomentLosesNothing) { // pitfalls D1
    auto& node = world->add_node();
    for (std::uint32_t i = 0; i < 60; ++i) {
        const auto received = pay(i % 40);
        node.mine(0, {.transactions = {received}});
        if (i % 2) {
            node.mine(0, {.transactions = {ChainBuilder::spend({coin(received)},
                                                               {{80'000, script(i % 40, 1)}})}});
        }
        node.set_tip(chain.mine_empty(node.tip().hash, 20).hash, 0);
    }
    world->set_delay(10, 300);
    for (int crash = 0; crash < 40; ++crash) {
        world->start();
        world->run_for(150 + crash * 37);
        world->crash();
    }
    sync();
    expect_right(node.tip().hash);
}

TEST_F(Chains, AFailedWriteEndsTheRunAndLosesNothing) {
    auto& node = world->add_node();
    for (std::uint32_t i = 0; i < 30; ++i)
        node.mine(0, {.transactions = {pay(i % 20)}});
    for (int failing = 0; failing < 4; ++failing) {
        int count = 0;
        world->on_persist = [&](const auto&) -> std::optional<Error> {
            if (count++ < failing) return std::nullopt;
            return Error{errc::disk_full, "the disk is full", "no space left", "free some"};
        };
        world->start();
        ASSERT_TRUE(world->run());
        if (count <= failing) break; // it needed no more writes
        EXPECT_EQ(world->outcome()->error->code, errc::disk_full);
    }
    world->on_persist = {};
    sync();
    expect_right();
}

} // namespace
} // namespace headlight::tests
