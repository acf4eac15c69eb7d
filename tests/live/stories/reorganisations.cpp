// Reorganisations of a real node, between syncs and under a running one (pitfalls D2).
#include "tests/live/stories/fixture.hpp"

namespace headlight::stories {

class Reorganisations : public Story {
  protected:
    // Replaces the last `depth` blocks by one more, that hold nothing but their coinbases.
    static void replace_tip(int depth) {
        const auto fork = node().height() - depth;
        node().invalidate(node().block_hash(fork + 1));
        // Empty blocks: what fell back into the mempool stays there.
        const auto address = node().new_address();
        for (int i = 0; i <= depth; ++i)
            node().rpc("generateblock", {address, boost::json::array{}}).value();
    }

    static wallet::TxStatus status_of(const StoryWallet& wallet, const chain::Hash256& txid) {
        return wallet.books().entry(txid).value().status;
    }
};

TEST_F(Reorganisations, OneBlockDeepThePaymentIsPendingAndThenConfirmedInItsNewBlock) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = node().pay(wallet.address(0), coin / 2);
    mine(1);
    sync(wallet, node());
    const auto old_block = wallet.books().entry(paid)->block;

    replace_tip(1);
    sync(wallet, node());
    EXPECT_EQ(status_of(wallet, paid), wallet::TxStatus::pending);
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, coin / 2, 0}));
    expect_equal_to_bitcoind(node(), wallet);

    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().entry(paid)->height, node().height());
    EXPECT_NE(wallet.books().entry(paid)->block, old_block);
    EXPECT_EQ(wallet.books().history.size(), 1U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Reorganisations, SixBlocksDeepEveryBlockFromTheForkOnIsScannedAgain) {
    StoryWallet wallet(folder());
    wallet.create();
    std::vector<chain::Hash256> paid;
    for (std::uint32_t i = 0; i < 6; ++i) {
        paid.push_back(pay_at_any_height(wallet.address(i), coin / 20));
        mine(1);
    }
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.confirmed, 6 * (coin / 20));

    const auto fork = node().height() - 6;
    node().invalidate(node().block_hash(fork + 1));
    mine(1); // all six in one block now, and six more blocks
    mine(6);
    const auto outcome = sync(wallet, node());
    EXPECT_GE(outcome.statistics.scanned_blocks, 7);
    for (const auto& txid : paid)
        EXPECT_EQ(wallet.books().entry(txid)->height, fork + 1);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Reorganisations, AHundredBlocksDeepTheBooksAreThoseOfTheNewBranch) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto kept = node().pay(wallet.address(0), coin / 4);
    mine(1);
    std::vector<chain::Hash256> paid;
    for (std::uint32_t i = 0; i < 100; ++i) {
        if (i % 20 == 10) paid.push_back(node().pay(wallet.address(1 + i / 20), coin / 50));
        mine(1);
    }
    std::vector<chain::Transaction> forgotten;
    for (const auto& txid : paid)
        forgotten.push_back(node().transaction(txid));
    sync(wallet, node());
    ASSERT_EQ(wallet.books().history.size(), 6U);

    const auto fork = node().height() - 100;
    node().invalidate(node().block_hash(fork + 1));
    mine(101);
    const auto outcome = sync(wallet, node());
    EXPECT_GE(outcome.statistics.scanned_blocks, 101);
    EXPECT_EQ(status_of(wallet, kept), wallet::TxStatus::confirmed);
    EXPECT_EQ(wallet.books().entry(kept)->height, fork);
    for (const auto& txid : paid) // so deep, a node forgets them; the payers have them still
        EXPECT_EQ(status_of(wallet, txid), wallet::TxStatus::pending);
    EXPECT_EQ(wallet.books().balance.confirmed, coin / 4);

    for (const auto& tx : forgotten)
        node().send_raw(tx);
    mine(1);
    sync(wallet, node());
    for (const auto& txid : paid)
        EXPECT_EQ(wallet.books().entry(txid)->height, node().height());
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Reorganisations, APaymentThatTheNewBranchReplacesIsInConflictAndSoIsItsChild) {
    StoryWallet wallet(folder());
    wallet.create();
    const Signer signer(node(), wallet);
    const auto first = node().transaction(node().pay(wallet.address(0), coin));
    mine(1);
    const auto from = output_to(first, script_of(wallet.address(0)));
    const auto away = script_of(node().new_address());
    const auto old_spend =
        signer.spend({from}, {{coin - fee, wallet.script(AccountKind::wpkh, 1, 0)}});
    const auto old_child =
        signer.spend({{chain::txid(old_spend), 0}}, {{coin / 2, away}}, {old_spend});
    const auto new_spend = signer.spend(
        {from}, {{coin / 4, away}, {coin / 2, wallet.script(AccountKind::wpkh, 1, 1)}});
    node().mine_block({old_spend, old_child});
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.total(), 0);

    node().invalidate(node().best_hash());
    node().mine_block({new_spend});
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(status_of(wallet, chain::txid(old_spend)), wallet::TxStatus::conflicted);
    EXPECT_EQ(status_of(wallet, chain::txid(old_child)), wallet::TxStatus::conflicted);
    EXPECT_EQ(status_of(wallet, chain::txid(new_spend)), wallet::TxStatus::confirmed);
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{coin / 2, 0, 0}));
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Reorganisations, ACoinbaseOfTheOldBranchIsGone) {
    StoryWallet wallet(folder());
    wallet.create();
    node().mine(1, wallet.address(0));
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 1U);
    EXPECT_GT(wallet.books().balance.immature, 0);
    replace_tip(1);
    sync(wallet, node());
    EXPECT_TRUE(wallet.books().history.empty());
    EXPECT_EQ(wallet.books().balance.total(), 0);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Reorganisations, GoingBackToTheOldBranchBringsItsPaymentsBack) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = node().pay(wallet.address(0), coin / 3);
    mine(2);
    sync(wallet, node());
    const auto before = wallet.books();
    const auto old_branch = node().block_hash(node().height() - 1);
    replace_tip(2);
    sync(wallet, node());
    EXPECT_EQ(status_of(wallet, paid), wallet::TxStatus::pending);

    const auto new_branch = node().block_hash(node().height() - 2);
    node().invalidate(new_branch);
    node().reconsider(old_branch);
    mine(2); // longer than the other one
    sync(wallet, node());
    EXPECT_EQ(wallet.books().entry(paid)->block, before.entry(paid)->block);
    expect_equal_to_bitcoind(node(), wallet);
    node().reconsider(new_branch);
}

} // namespace headlight::stories
