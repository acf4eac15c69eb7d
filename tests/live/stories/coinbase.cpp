// Coins that miners make: immature below 101 confirmations, as Bitcoin Core's wallet counts them
// (pitfalls D4).
#include "tests/live/stories/fixture.hpp"

namespace headlight::stories {

class Coinbase : public Story {};

TEST_F(Coinbase, ACoinbaseMaturesWithItsHundredAndFirstConfirmation) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = {AccountKind::wpkh, AccountKind::tr}});
    node().mine(1, wallet.address(AccountKind::wpkh, 0, 0));
    node().mine(1, wallet.address(AccountKind::tr, 0, 0));
    mine(98);
    sync(wallet, node());
    auto books = wallet.books();
    EXPECT_EQ(books.balance.confirmed, 0);
    EXPECT_EQ(books.coins.size(), 2U);
    EXPECT_TRUE(books.coins.front().coinbase);
    const auto both = books.balance.immature;
    expect_equal_to_bitcoind(node(), wallet);

    mine(1); // the first one has its 101st
    sync(wallet, node());
    books = wallet.books();
    EXPECT_GT(books.balance.confirmed, 0);
    EXPECT_GT(books.balance.immature, 0);
    EXPECT_EQ(books.balance.total(), both);
    expect_equal_to_bitcoind(node(), wallet);

    mine(1);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{both, 0, 0}));
    expect_equal_to_bitcoind(node(), wallet);

    node().invalidate(node().best_hash()); // and back: maturity follows the tip
    node().invalidate(node().best_hash());
    StoryWallet later(folder("later"));
    later.watch(wallet.descriptors());
    sync(later, node());
    EXPECT_EQ(later.books().balance.immature, both);
    expect_equal_to_bitcoind(node(), later);
}

TEST_F(Coinbase, AMatureCoinbaseIsSpentLikeAnyCoin) {
    StoryWallet wallet(folder());
    wallet.create();
    node().mine(1, wallet.address(0));
    mine(100);
    sync(wallet, node());
    const auto coins = wallet.books().coins;
    ASSERT_EQ(coins.size(), 1U);
    const auto amount = coins.front().output.amount;
    EXPECT_EQ(wallet.books().balance.confirmed, amount);
    const Signer signer(node(), wallet);
    node().send_raw(signer.spend(outpoints(coins), {{amount - fee, script_of(wallet.address(1))}}));
    sync(wallet, node());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, amount - fee, 0}));
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
