// The controller itself: what live stories stand on.
#include "tests/live/node/live.hpp"

#include <thread>

using namespace headlight;
using namespace headlight::regtest;

TEST(Bitcoind, MinesPaysAndTellsItsChain) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    const auto hashes = node.mine(101);
    ASSERT_EQ(hashes.size(), 101U);
    EXPECT_EQ(node.height(), 101);
    EXPECT_EQ(node.best_hash(), hashes.back());
    EXPECT_EQ(node.block_hash(50), hashes[49]);

    const auto txid = node.pay(node.new_address("legacy"), 123'456'789);
    EXPECT_EQ(node.mempool(), std::vector{txid});
    EXPECT_EQ(chain::txid(node.transaction(txid)), txid);
    node.mine(1);
    EXPECT_TRUE(node.mempool().empty());
    EXPECT_EQ(chain::txid(node.transaction(txid)), txid);

    const auto tip = node.best_hash();
    node.invalidate(tip);
    EXPECT_EQ(node.height(), 101);
    node.reconsider(tip);
    EXPECT_EQ(node.best_hash(), tip);
}

TEST(Bitcoind, ListsTheCoinsOfAWatchOnlyWalletToTheSatoshi) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    node.mine(101);
    const auto address = node.new_address();
    const auto txid = node.pay({{address, 1'234'567'891}, {node.new_address(), 1'000}});
    node.import_descriptors("watch", {"addr(" + address + ")"});
    EXPECT_EQ(node.balances("watch"), (NodeBalances{0, 1'234'567'891, 0}));
    node.mine(1);
    node.mine(1, address);
    EXPECT_EQ(node.balances("watch").trusted, 1'234'567'891);
    EXPECT_EQ(node.balances("watch").immature, 2'500'000'000 * 2);
    const auto coins = node.list_unspent("watch");
    ASSERT_EQ(coins.size(), 2U);
    const auto& paid = coins[0].outpoint.txid == txid ? coins[0] : coins[1];
    EXPECT_EQ(paid.outpoint.txid, txid);
    EXPECT_EQ(paid.amount, 1'234'567'891);
    EXPECT_EQ(paid.confirmations, 2);
}

TEST(Bitcoind, ComesBackAfterAKillWithItsChainAndWallet) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    node.mine(3);
    node.restart();
    EXPECT_EQ(node.height(), 3);
    node.kill_hard();
    EXPECT_FALSE(node.rpc("getblockcount"));
    node.start_again().value();
    node.mine(1);
    EXPECT_GE(node.height(), 1);
}

TEST(Bitcoind, TwoNodesAgreeOnceConnected) {
    HEADLIGHT_BITCOIND_OR_SKIP(first);
    HEADLIGHT_BITCOIND_OR_SKIP(second);
    first.mine(5);
    second.connect(first);
    for (int tries = 0; tries < 200 && second.height() != 5; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(second.best_hash(), first.best_hash());
    second.disconnect(first);
}

TEST(Bitcoind, AmountsAreWrittenAndReadWithoutRounding) {
    EXPECT_EQ(amount_text(1), "0.00000001");
    EXPECT_EQ(amount_text(2'099'999'999'999'999), "20999999.99999999");
    for (const Amount amount : {Amount{1}, Amount{99'999'999}, Amount{123'456'789'012'345}})
        EXPECT_EQ(satoshis(boost::json::value(std::stod(amount_text(amount)))), amount);
}
