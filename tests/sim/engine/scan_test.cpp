// Complete: whatever pays or spends a wallet script ends in the ledger.
#include "tests/sim/engine/simulated.hpp"

namespace headlight::tests {
namespace {

using Scan = Simulated;

TEST_F(Scan, FindsWhatWasPaidAndSpentAlongAChain) {
    auto& node = world->add_node();
    const auto first = pay(0);
    node.mine(0, {.transactions = {first}});
    chain.mine_empty(node.tip().hash, 30);
    node.set_tip(chain.newest().hash, 0);
    const auto spend =
        ChainBuilder::spend({coin(first)}, {to_stranger(60'000), {39'000, script(0, 1)}});
    node.mine(0, {.transactions = {spend, pay(7)}});
    sync();
    expect_right(node.tip().hash);
    EXPECT_EQ(balance().confirmed, 139'000);
    EXPECT_EQ(world->engine().statistics().filterloads, 1);
}

TEST_F(Scan, AnEmptyChainIsSyncedAtOnce) {
    world->add_node();
    sync();
    expect_right();
    EXPECT_EQ(world->disk().headers.tip_height(), 0);
}

TEST_F(Scan, ThousandsOfBlocksGoThroughTheWindow) { // pitfalls B6: empty merkleblocks advance
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(4'500).hash, 0);
    const auto& last = node.mine(0, {.transactions = {pay(3)}});
    sync();
    expect_right(last.hash);
    EXPECT_EQ(world->engine().statistics().scanned_blocks, 4'501);
    EXPECT_EQ(world->engine().statistics().rescanned_blocks, 0);
}

TEST_F(Scan, ReceivedAndSpentInOneBlock) {
    auto& node = world->add_node();
    const auto received = pay(0);
    const auto spent = ChainBuilder::spend({coin(received)}, {to_stranger(90'000)});
    node.mine(0, {.transactions = {received, spent}});
    sync();
    expect_right();
    EXPECT_EQ(balance().total(), 0);
    EXPECT_EQ(stored()->ledger().size(), 2u);
}

TEST_F(Scan, OneBlockPaysFarBeyondTheLookAhead) { // pitfalls A2, both chains
    auto& node = world->add_node();
    BlockPlan plan;
    for (std::uint32_t index = 0; index < 700; index += 19) {
        plan.transactions.push_back(pay(index, 1'000 + index, 0));
        plan.transactions.push_back(pay(index, 2'000 + index, 1));
    }
    node.mine(0, {.transactions = {pay(5)}});
    node.mine(0, plan);
    node.set_tip(chain.mine_empty(node.tip().hash, 40).hash, 0);
    sync();
    expect_right();
    EXPECT_EQ(stored()->ledger().size(), 75u);
    EXPECT_GT(world->engine().statistics().rescanned_blocks, 0);
}

TEST_F(Scan, GapJumpsAlongTheChainAreFollowed) { // pitfalls A2, A10
    auto& node = world->add_node();
    for (std::uint32_t index = 0; index < 900; index += 20) {
        node.mine(0, {.transactions = {pay(index)}});
    }
    sync();
    expect_right();
    EXPECT_EQ(stored()->ledger().size(), 45u);
    EXPECT_LE(world->engine().statistics().filterloads, 8); // pitfalls A9
}

TEST_F(Scan, NothingBeyondTheGapIsPromised) {
    auto& node = world->add_node();
    node.mine(0, {.transactions = {pay(5'000)}});
    sync();
    EXPECT_EQ(balance().total(), 0);
}

TEST_F(Scan, ASweepWithoutChangeIsSeen) {
    auto& node = world->add_node();
    const auto a = pay(0);
    const auto b = pay(1);
    node.mine(0, {.transactions = {a, b}});
    const auto sweep = ChainBuilder::spend({coin(a), coin(b)}, {to_stranger(190'000)});
    node.mine(0, {.transactions = {sweep}}); // pitfalls D3
    sync();
    expect_right();
    EXPECT_EQ(stored()->ledger().size(), 3u);
}

TEST_F(Scan, ASweepServedByAnotherPeerThanTheReceiptIsSeen) { // pitfalls A3
    auto& first = world->add_node();
    const auto received = pay(0);
    first.mine(0, {.transactions = {received}});
    sync();
    EXPECT_EQ(balance().confirmed, 100'000);
    world->set_reachable(first, false);

    auto& second = world->add_node();
    second.set_tip(first.tip().hash, world->now_ms());
    second.mine(world->now_ms(),
                {.transactions = {ChainBuilder::spend({coin(received)}, {to_stranger(99'000)})}});
    sync({.peers = {world->endpoint(second)}});
    expect_right(second.tip().hash);
    EXPECT_EQ(balance().total(), 0);
}

TEST_F(Scan, APeerLostInMidScanIsTakenOverFrom) {
    auto& first = world->add_node();
    for (std::uint32_t i = 0; i < 40; ++i) {
        const auto received = pay(i % 20);
        first.mine(0, {.transactions = {received}});
        first.mine(
            0, {.transactions = {ChainBuilder::spend({coin(received)}, {to_stranger(99'000)})}});
        first.set_tip(chain.mine_empty(first.tip().hash, 50).hash, 0);
    }
    auto& second = world->add_node();
    second.set_tip(first.tip().hash, 0);
    for (std::int64_t moment = 20; moment < 400; moment += 20) {
        SCOPED_TRACE(moment);
        world->start();
        world->at(world->now_ms() + moment, [&] { world->set_reachable(first, false); });
        ASSERT_TRUE(world->run());
        ASSERT_FALSE(world->outcome()->error) << to_string(*world->outcome()->error);
        expect_right(second.tip().hash);
        world->set_reachable(first, true);
        make_wallet({account()});
        world->disk().headers = {};
    }
}

TEST_F(Scan, EveryScriptKindIsFound) {
    using enum wallet::AccountKind;
    make_wallet({account(pkh), account(sh_wpkh), account(wpkh), account(tr)});
    auto& node = world->add_node();
    for (std::uint32_t descriptor = 0; descriptor < 4; ++descriptor) {
        const auto received = chain.pay(script(2, 0, descriptor), 5'000);
        node.mine(0, {.transactions = {received}});
        node.mine(
            0, {.transactions = {ChainBuilder::spend(
                    {coin(received)}, {to_stranger(1'000), {3'000, script(9, 1, descriptor)}})}});
    }
    sync();
    expect_right();
    EXPECT_EQ(balance().confirmed, 12'000);
}

TEST_F(Scan, ACoinbaseMaturesAsBitcoinCoreCountsIt) { // pitfalls D4
    auto& node = world->add_node();
    node.mine(0, {.coinbase_script = script(0)});
    node.set_tip(chain.mine_empty(node.tip().hash, 99).hash, 0);
    sync();
    EXPECT_EQ(balance().confirmed, 0);
    EXPECT_GT(balance().immature, 0);
    node.mine(world->now_ms());
    sync();
    EXPECT_EQ(balance().immature, 0);
    EXPECT_GT(balance().confirmed, 0);
    expect_right();
}

TEST_F(Scan, AnAddressAddedToASyncedWalletBringsItsHistory) { // pitfalls D6
    auto& node = world->add_node();
    const auto other = account(wallet::AccountKind::tr, 9);
    const auto paid = chain.pay(*other.script_pubkey(0, 0), 7'000);
    node.mine(0, {.transactions = {paid, pay(0)}});
    node.set_tip(chain.mine_empty(node.tip().hash, 20).hash, 0);
    sync();
    EXPECT_EQ(balance().confirmed, 100'000);
    auto wallet = stored();
    ASSERT_TRUE(wallet->add(other, 20, {}, false));
    wallet->ledger().reindex();
    world->disk().wallet = wallet->state();
    sync();
    EXPECT_EQ(balance().confirmed, 107'000);
}

TEST_F(Scan, ABirthdaySparesTheBlocksBeforeIt) {
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(3'000).hash, 0);
    const auto& block = node.mine(0, {.transactions = {pay(0)}});
    const auto made = wallet::Wallet::create(regtest_network(), 1, 0);
    ASSERT_TRUE(
        made->add(account(), 20, {wallet::Birthday::Kind::time, block.header.time + 7'000}, true));
    world->disk().wallet = made->state();
    sync(); // block times drift: it starts early enough, pitfalls D5
    EXPECT_EQ(balance().confirmed, 100'000);
    EXPECT_LT(world->engine().statistics().scanned_blocks, 3'000);
}

TEST_F(Scan, TheSameSeedGivesTheSameActions) {
    std::vector<std::string> first;
    for (int run = 0; run < 2; ++run) {
        ChainBuilder own;
        SimWorld twin(own, 77);
        twin.disk().wallet = stored()->state();
        auto& node = twin.add_node();
        for (std::uint32_t i = 0; i < 12; ++i) {
            node.mine(0, {.transactions = {own.pay(script(i * 19), 1'000)}});
        }
        twin.start();
        ASSERT_TRUE(twin.run());
        if (run == 0) {
            first = twin.trace();
        } else {
            EXPECT_EQ(twin.trace(), first);
        }
    }
    EXPECT_GT(first.size(), 10u);
}

TEST_F(Scan, UntilAHeightOrATransactionEndsSooner) {
    auto& node = world->add_node();
    node.set_tip(chain.mine_empty(1'500).hash, 0);
    const auto wanted = pay(0);
    node.mine(0, {.transactions = {wanted}});
    node.set_tip(chain.mine_empty(node.tip().hash, 1'500).hash, 0);
    sync({.until_height = 700});
    EXPECT_EQ(stored()->scan().height, 700);
    sync({.until_txid = chain::txid(wanted)});
    EXPECT_GE(stored()->scan().height, 1'501);
    EXPECT_LT(stored()->scan().height, 3'001);
    EXPECT_EQ(balance().confirmed, 100'000);
}

} // namespace
} // namespace headlight::tests
