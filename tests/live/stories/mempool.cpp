// Pending payments of a real node: seen, replaced, confirmed, in conflict (pitfalls D3).
#include "tests/live/stories/fixture.hpp"

namespace headlight::stories {

class Mempool : public Story {
  protected:
    static std::size_t counted(const Books& books, wallet::TxStatus status) {
        std::size_t count = 0;
        for (const auto& entry : books.history)
            count += entry.status == status;
        return count;
    }
};

TEST_F(Mempool, APendingPaymentIsUnconfirmedUntilItIsMined) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    for (const auto kind : all_kinds)
        node().pay(wallet.address(kind, 0, 0), coin / 8);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, coin / 2, 0}));
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{coin / 2, 0, 0}));
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Mempool, AnOrdinaryNodeAnswersWithinTheMempoolWait) {
    const auto ordinary = start_node();
    ordinary->connect(node());
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = node().pay(wallet.address(0), coin / 8);
    wait_for_tip(*ordinary, node().best_hash());
    ordinary->rpc("sendrawtransaction", {to_hex(serialize(node().transaction(paid)))});
    wait_for_transaction(*ordinary, paid);
    auto outcome = try_sync(wallet, {ordinary.get()}, [&](client::SyncOptions& options) {
        options.config.mempool_wait_ms = 40'000;
        options.config.until_txid = paid;
    });
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, coin / 8, 0}));
    mine(1);
}

TEST_F(Mempool, APendingSpendTakesItsCoinsOutOfTheBalance) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = node().transaction(node().pay(wallet.address(0), coin));
    mine(1);
    sync(wallet, node());
    const Signer signer(node(), wallet);
    const auto from = output_to(paid, script_of(wallet.address(0)));
    const auto spend =
        node().send_raw(signer.spend({from}, {{coin / 4, script_of(node().new_address())},
                                              {coin / 2, wallet.script(AccountKind::wpkh, 1, 0)}}));
    sync(wallet, node());
    const auto books = wallet.books();
    EXPECT_EQ(books.balance, (wallet::Balance{0, coin / 2, 0}));
    ASSERT_EQ(books.coins.size(), 2U); // the spent one is shown, with what spends it
    EXPECT_EQ(books.coins.front().spent_by, spend);
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{coin / 2, 0, 0}));
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Mempool, AReplacementByFeeCountsOnce) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = node().transaction(node().pay(wallet.address(0), coin));
    mine(1);
    const Signer signer(node(), wallet);
    const auto from = output_to(paid, script_of(wallet.address(0)));
    const auto away = script_of(node().new_address());
    const auto change = wallet.script(AccountKind::wpkh, 1, 0);
    const auto first =
        node().send_raw(signer.spend({from}, {{coin / 4, away}, {coin * 3 / 4 - fee, change}}));
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);

    const auto second = node().send_raw(
        signer.spend({from}, {{coin / 4, away}, {coin * 3 / 4 - 20 * fee, change}}));
    sync(wallet, node());
    auto books = wallet.books();
    EXPECT_EQ(books.entry(first)->status, wallet::TxStatus::conflicted);
    EXPECT_EQ(books.entry(second)->status, wallet::TxStatus::pending);
    EXPECT_EQ(books.entry(second)->conflicts, std::set{first});
    EXPECT_EQ(books.balance, (wallet::Balance{0, coin * 3 / 4 - 20 * fee, 0}));
    expect_equal_to_bitcoind(node(), wallet);

    mine(1);
    sync(wallet, node());
    books = wallet.books();
    EXPECT_EQ(books.entry(first)->status, wallet::TxStatus::conflicted);
    EXPECT_EQ(books.entry(second)->status, wallet::TxStatus::confirmed);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Mempool, AReplacedPaymentToUsThatPaysSomebodyElseInTheEndIsInConflict) {
    StoryWallet payer(folder("payer")), wallet(folder());
    payer.create();
    wallet.create();
    const auto paid = node().transaction(node().pay(payer.address(0), coin));
    mine(1);
    const Signer signer(node(), payer);
    const auto from = output_to(paid, script_of(payer.address(0)));
    const auto promise =
        node().send_raw(signer.spend({from}, {{coin - fee, script_of(wallet.address(0))}}));
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.unconfirmed, coin - fee);
    // Nothing of the replacement matches the filter: it is gone when nobody shows it, and the
    // wallet cannot know. What it must not do is to call it confirmed.
    node().send_raw(signer.spend({from}, {{coin - 30 * fee, script_of(node().new_address())}}));
    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance.confirmed, 0);
    EXPECT_EQ(wallet.books().entry(promise)->status, wallet::TxStatus::pending);

    auto opened =
        client::open_wallet(wallet.paths(), wallet::store::WalletDb::Mode::read_write).value();
    opened.wallet->ledger().abandon(promise).value();
    opened.save().value();
    opened = {};
    sync(wallet, node());
    EXPECT_EQ(counted(wallet.books(), wallet::TxStatus::abandoned), 1U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Mempool, AChainOfPendingChangeIsWhole) {
    StoryWallet wallet(folder());
    wallet.create();
    auto last = node().transaction(node().pay(wallet.address(0), coin));
    const Signer signer(node(), wallet);
    auto from = output_to(last, script_of(wallet.address(0)));
    for (std::uint32_t i = 0; i < 5; ++i) {
        const auto change = wallet.script(AccountKind::wpkh, 1, i);
        last = signer.spend({from}, {{coin - (i + 1) * fee, change}});
        node().send_raw(last);
        from = {chain::txid(last), 0};
    }
    sync(wallet, node());
    EXPECT_EQ(counted(wallet.books(), wallet::TxStatus::pending), 6U);
    EXPECT_EQ(wallet.books().balance.total(), coin - 5 * fee);
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
