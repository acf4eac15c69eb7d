// Spends that only an outpoint can find: BIP-37 never matches witness data, and a sweep pays
// nobody of ours (pitfalls A3, A4, D3).
#include "tests/live/stories/fixture.hpp"

namespace headlight::stories {

class Spending : public Story {
  protected:
    static chain::TxOut elsewhere(Amount amount) {
        return {amount, script_of(node().new_address())};
    }
};

TEST_F(Spending, ASweepWithoutChangeInALaterSyncLeavesNothing) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    std::vector<PaidTo> payments;
    for (const auto kind : all_kinds)
        payments.push_back({wallet.address(kind, 0, 0), coin / 4});
    node().pay(payments);
    mine(1);
    sync(wallet, node());
    const auto coins = wallet.books().coins;
    ASSERT_EQ(coins.size(), 4U);

    const Signer signer(node(), wallet);
    const auto sweep = node().send_raw(signer.spend(outpoints(coins), {elsewhere(coin - fee)}));
    mine(1);
    sync(wallet, node());
    const auto books = wallet.books();
    EXPECT_EQ(books.balance.total(), 0);
    ASSERT_TRUE(books.entry(sweep));
    EXPECT_EQ(books.entry(sweep)->amount, -coin);
    EXPECT_EQ(books.entry(sweep)->fee, fee);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Spending, ASweepServedByAnotherPeerThanTheOneThatShowedTheCoinIsSeen) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    std::vector<PaidTo> payments;
    for (const auto kind : all_kinds)
        payments.push_back({wallet.address(kind, 0, 1), coin / 4});
    const auto paid = node().transaction(node().pay(payments));
    mine(1);
    sync(wallet, node());

    const auto other = start_node();
    other->connect(node());
    wait_for_tip(*other, node().best_hash());
    other->disconnect(node());
    std::vector<chain::OutPoint> coins;
    for (const auto kind : all_kinds)
        coins.push_back(output_to(paid, wallet.script(kind, 0, 1)));
    other->mine_block({Signer(node(), wallet).spend(coins, {elsewhere(coin - fee)})});
    sync(wallet, *other);
    EXPECT_EQ(wallet.books().balance.total(), 0);
    expect_equal_to_bitcoind(*other, wallet);
}

TEST_F(Spending, ReceivedAndSpentInOneBlockIsBothInTheHistory) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    const Signer signer(node(), wallet);
    std::vector<chain::TxOut> outputs;
    for (const auto kind : all_kinds)
        outputs.push_back({coin / 2, wallet.script(kind, 0, 0)});
    const auto paid = fund(node(), outputs);
    std::vector<chain::Transaction> block{paid};
    for (const auto kind : all_kinds) {
        const auto from = output_to(paid, wallet.script(kind, 0, 0));
        block.push_back(signer.spend({from}, {elsewhere(coin / 2 - fee)}, {paid}));
    }
    node().mine_block(block);
    sync(wallet, node());
    const auto books = wallet.books();
    EXPECT_EQ(books.history.size(), 5U);
    EXPECT_EQ(books.balance.total(), 0);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Spending, AChainOfChangeInsideOneBlockEndsInItsLastCoin) {
    StoryWallet wallet(folder());
    wallet.create();
    const Signer signer(node(), wallet);
    auto last = fund(node(), {{coin, wallet.script(AccountKind::wpkh, 0, 0)}});
    std::vector<chain::Transaction> block{last};
    auto from = output_to(last, wallet.script(AccountKind::wpkh, 0, 0));
    for (std::uint32_t i = 0; i < 6; ++i) {
        const auto change = wallet.script(AccountKind::wpkh, 1, i);
        const Amount left = coin - (i + 1) * (coin / 10);
        const auto next =
            signer.spend({from}, {elsewhere(coin / 10 - fee), {left, change}}, {last});
        block.push_back(next);
        from = output_to(next, change);
        last = next;
    }
    node().mine_block(block);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.confirmed, coin - 6 * (coin / 10));
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
