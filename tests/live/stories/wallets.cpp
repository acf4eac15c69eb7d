// Birthdays, wallets that come later, and where a sync ends (pitfalls D5, D6, D7).
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <ctime>

namespace headlight::stories {

class Wallets : public Story {};

namespace {

constexpr std::int64_t day = 86'400;

} // namespace

TEST_F(Wallets, ABirthdayGivenAsADateNeverSkipsAPaymentAndSkipsMostOfTheChain) {
    // bitcoind's own wallet has a birthday, too.
    const auto today = std::time(nullptr);
    const auto dated = start_node(
        0, {.arguments = {"-keypool=30", "-mocktime=" + std::to_string(today - 40 * day)}});
    dated->mine(110);
    StoryWallet wallet(folder()), also(folder(), "also");
    const auto born = today - 20 * day;
    wallet.create({.birthday = {Birthday::Kind::time, born}});
    // Two blocks whose times run behind the clock, and one whose time runs ahead.
    dated->set_mock_time(born - 7'000);
    dated->pay(wallet.address(0), coin);
    dated->mine(1);
    dated->set_mock_time(born + 6'000);
    dated->mine(1);
    dated->set_mock_time(born - 3'600);
    dated->pay(wallet.address(1), coin);
    dated->mine(1);
    dated->set_mock_time(today);
    dated->pay(wallet.address(2), coin);
    dated->mine(10);

    const auto outcome = sync(wallet, *dated);
    EXPECT_LT(outcome.statistics.scanned_blocks, 20);
    EXPECT_EQ(wallet.books().balance.confirmed, 3 * coin);
    expect_equal_to_bitcoind(*dated, wallet);
}

TEST_F(Wallets, ABirthdayGivenAsAHeightIsItself) {
    StoryWallet wallet(folder());
    const auto height = node().height() + 1;
    wallet.create({.birthday = {Birthday::Kind::height, height}});
    node().pay(wallet.address(0), coin / 4);
    mine(3);
    const auto outcome = sync(wallet, node());
    EXPECT_LE(outcome.statistics.scanned_blocks, 4);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Wallets, WhatIsWatchedLaterShowsItsWholeHistory) {
    StoryWallet wallet(folder()), stranger(folder("stranger"));
    wallet.create();
    stranger.create({.kinds = all_kinds});
    node().pay(wallet.address(0), coin / 4);
    node().pay(stranger.address(AccountKind::tr, 0, 0), coin / 5);
    node().pay(stranger.address(AccountKind::pkh, 0, 0), coin / 6);
    mine(3);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 1U);
    wallet.watch({stranger.address(AccountKind::pkh, 0, 0)});
    wallet.watch(stranger.descriptors());
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 3U);
    EXPECT_EQ(wallet.books().balance.confirmed, coin / 4 + coin / 5 + coin / 6);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Wallets, AWatchedXpubIsAllOfItsAccountsKinds) {
    StoryWallet owner(folder("owner")), watcher(folder());
    owner.create({.kinds = all_kinds});
    const auto text = owner.descriptors()[2]; // wpkh([f/84h/1h/0h]tpub/<0;1>/*)
    const auto from = text.find(']') + 1;
    const auto xpub = text.substr(from, text.find('/', from) - from);
    watcher.watch({xpub});
    node().pay(owner.address(AccountKind::wpkh, 0, 5), coin / 4);
    node().pay(owner.address(AccountKind::wpkh, 1, 5), coin / 4);
    mine(1);
    sync(watcher, node());
    EXPECT_EQ(watcher.books().balance.confirmed, coin / 2);
    expect_equal_to_bitcoind(node(), watcher);
}

TEST_F(Wallets, ASecondWalletBesideTheSameHeadersIsScannedFromItsOwnBirthday) {
    StoryWallet first(folder(), "first"), second(folder(), "second");
    first.create();
    second.create({.kinds = {AccountKind::tr}});
    node().pay(first.address(0), coin / 4);
    node().pay(second.address(0), coin / 5);
    mine(2);
    sync(first, node());
    const auto outcome = sync(second, node());
    EXPECT_EQ(outcome.statistics.headers, 0); // they were there
    EXPECT_GE(outcome.statistics.scanned_blocks, node().height() - 1);
    expect_equal_to_bitcoind(node(), first);
    expect_equal_to_bitcoind(node(), second);
}

TEST_F(Wallets, AWalletAtTheTipIsThereAgainAtOnce) {
    StoryWallet wallet(folder());
    wallet.create();
    node().pay(wallet.address(0), coin / 4);
    mine(1);
    sync(wallet, node());
    const auto before = wallet.books();
    const auto outcome = sync(wallet, node());
    EXPECT_EQ(outcome.statistics.scanned_blocks, 0);
    EXPECT_EQ(outcome.statistics.headers, 0);
    EXPECT_EQ(outcome.statistics.transactions_new, 0);
    EXPECT_LT(outcome.seconds, 2); // benches measure it; this is for a machine that is busy
    EXPECT_EQ(wallet.books().balance, before.balance);
}

TEST_F(Wallets, SyncUntilAHeightEndsThereAndTheNextOneGoesOn) {
    StoryWallet wallet(folder());
    wallet.create();
    node().pay(wallet.address(0), coin / 4);
    mine(1);
    const auto middle = node().height();
    node().pay(wallet.address(1), coin / 4);
    mine(5);
    const auto outcome = try_sync(wallet, {&node()}, [&](client::SyncOptions& options) {
        options.config.until_height = middle;
    });
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(wallet.books().scanned, middle);
    EXPECT_EQ(wallet.books().history.size(), 1U);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 2U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Wallets, SyncUntilATransactionEndsOnceItIsSeen) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto wanted = node().pay(wallet.address(0), coin / 4);
    mine(1);
    const auto until = [&](const chain::Hash256& txid) {
        return [txid](client::SyncOptions& options) { options.config.until_txid = txid; };
    };
    auto outcome = try_sync(wallet, {&node()}, until(wanted));
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_TRUE(wallet.books().entry(wanted));
    // Where the tip comes before the transaction, that is said.
    const auto strange = node().best_hash();
    std::string warned;
    outcome = try_sync(wallet, {&node()}, until(strange), [&](const sync::Notice& notice) {
        if (const auto* warning = std::get_if<sync::notice::Warning>(&notice))
            warned += to_string(warning->error);
    });
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_NE(warned.find(strange.to_string()), std::string::npos) << warned;
}

TEST_F(Wallets, ARescanFindsNothingNewAndLosesNothing) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    for (const auto kind : all_kinds)
        node().pay(wallet.address(kind, 0, 0), coin / 10);
    mine(2);
    sync(wallet, node());
    const auto before = wallet.books();
    EXPECT_EQ(run_program(wallet, {"rescan", "--from", "1"}).exit_code, 0);
    const auto outcome = sync(wallet, node());
    EXPECT_GE(outcome.statistics.scanned_blocks, node().height() - 1);
    EXPECT_EQ(outcome.statistics.transactions_new, 0);
    EXPECT_EQ(wallet.books().balance, before.balance);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Wallets, TheProgramsWordsAreTheBooks) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    node().pay(wallet.address(AccountKind::tr, 0, 0), coin / 10);
    mine(1);
    node().pay(wallet.address(AccountKind::pkh, 0, 0), coin / 20);
    const auto ran = run_program(wallet, {"sync", "--peer", p2p::to_string(node().endpoint())});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("height"), node().height());
    const auto balance = run_program(wallet, {"balance"}).json();
    EXPECT_EQ(balance.at("confirmed"), coin / 10);
    EXPECT_EQ(balance.at("unconfirmed"), coin / 20);
    EXPECT_EQ(balance.at("total"), coin / 10 + coin / 20);
    EXPECT_EQ(run_program(wallet, {"utxos"}).json().as_array().size(), 2U);
    EXPECT_EQ(run_program(wallet, {"history"}).json().as_array().size(), 2U);
    EXPECT_EQ(run_program(wallet, {"status"}).json().at("synced"), true);
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
}

} // namespace headlight::stories
