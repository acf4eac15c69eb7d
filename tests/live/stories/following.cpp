// The program staying at the tip: blocks, payments, reorganisations and restarts as they come.
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <csignal>

namespace headlight::stories {

class Following : public Story {};

TEST_F(Following, PaymentsShowWhenTheyArriveAndWhenTheyAreMined) {
    StoryWallet wallet(folder());
    wallet.create();
    Follower follower(wallet, {&node()});
    follower.wait_for_tip_phase();
    const auto paid = node().pay(wallet.address(0), coin / 4);
    const auto seen = follower.wait_for_transaction(paid, "seen");
    EXPECT_EQ(seen.at("amount"), coin / 4);
    mine(1);
    const auto confirmed = follower.wait_for_transaction(paid, "confirmed");
    EXPECT_EQ(confirmed.at("height"), node().height());
    EXPECT_TRUE(follower.stop());
    expect_equal_to_bitcoind(node(), wallet);
}

// pitfalls C6: a node announces only the last one.
TEST_F(Following, MoreThanEightBlocksAtOnceAreCaughtUpWithin) {
    StoryWallet wallet(folder());
    wallet.create();
    Follower follower(wallet, {&node()});
    follower.wait_for_tip_phase();
    const auto paid = node().pay(wallet.address(0), coin / 4);
    mine(30);
    follower.wait_for_block(node().height());
    pay_at_any_height(wallet.address(1), coin / 4);
    const auto fork = node().height() - 9;
    node().invalidate(node().block_hash(fork + 1));
    mine(10);
    follower.wait_for_block(node().height());
    EXPECT_TRUE(follower.stop());
    EXPECT_EQ(wallet.books().entry(paid)->status, wallet::TxStatus::confirmed);
    EXPECT_EQ(wallet.books().history.size(), 2U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Following, AReorganisationIsToldOnceAndUndone) {
    StoryWallet wallet(folder());
    wallet.create();
    Follower follower(wallet, {&node()});
    follower.wait_for_tip_phase();
    const auto paid = node().pay(wallet.address(0), coin / 4);
    follower.wait_for_transaction(paid, "seen");
    mine(1);
    follower.wait_for_transaction(paid, "confirmed");
    const auto fork = node().height() - 1;
    node().invalidate(node().best_hash());
    for (int i = 0; i < 2; ++i)
        node().rpc("generateblock", {node().new_address(), boost::json::array{}}).value();
    follower.wait_for_transaction(paid, "unconfirmed");
    follower.wait_for_block(fork + 2);
    EXPECT_TRUE(follower.stop());
    int told = 0;
    for (const auto& line : follower.lines())
        told += line.at("event") == "block" && line.at("fork") == fork;
    EXPECT_EQ(told, 1);
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
}

TEST_F(Following, AnAddressHandedOutAheadIsSeenInTheMempoolAndInBlocks) {
    StoryWallet wallet(folder());
    wallet.create();
    Follower follower(wallet, {&node()});
    follower.wait_for_tip_phase();
    for (std::uint32_t index = 19; index < 320; index += 60) {
        // Three jumps of 20 each in a transaction of its own, so that the filter has to grow.
        for (std::uint32_t step = 0; step < 60; step += 20)
            node().pay(wallet.address(index + step), 20'000 + index);
        mine(1);
        follower.wait_for_block(node().height());
    }
    EXPECT_TRUE(follower.stop());
    EXPECT_EQ(wallet.books().history.size(), 18U);
    expect_equal_to_bitcoind(node(), wallet, 500);
}

TEST_F(Following, ARestartedNodeIsFoundAgain) {
    const auto own = start_node(110);
    StoryWallet wallet(folder());
    wallet.create();
    Follower follower(wallet, {own.get()});
    follower.wait_for_tip_phase();
    own->restart();
    const auto first = own->pay(wallet.address(0), coin / 4);
    own->mine(1);
    follower.wait_for_transaction(first, "confirmed");
    flush(*own);
    own->kill_hard();
    own->start_again().value();
    const auto second = own->pay(wallet.address(1), coin / 4);
    own->mine(1);
    follower.wait_for_transaction(second, "confirmed");
    EXPECT_TRUE(follower.stop());
    expect_equal_to_bitcoind(*own, wallet);
}

} // namespace headlight::stories
