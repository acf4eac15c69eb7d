// The ledger, rule by rule.
#include "ledger_help.hpp"

namespace headlight::wallet {
namespace {

TEST_F(LedgerTest, KeepsWhatPaysUsAndNothingElse) {
    const auto ours =
        make_payment({foreign_coin(1)}, {{our_script(1), 700}, {foreign_script(1), 9}});
    const auto theirs = make_payment({foreign_coin(2)}, {{foreign_script(2), 700}});
    EXPECT_FALSE(confirm(theirs, in_block(5)).ours);
    EXPECT_EQ(ledger.size(), 0u);
    const auto delta = confirm(ours, in_block(5));
    EXPECT_TRUE(delta.ours);
    EXPECT_EQ(delta.coins_added, std::vector{ours.out(0)});
    EXPECT_EQ(delta.events, (Events{{ours.txid, Kind::confirmed}}));
    EXPECT_EQ(ledger.balance(5), (Balance{700, 0, 0}));
    EXPECT_EQ(book.descriptors()[1].branches[0].highest_used, 0);
    EXPECT_EQ(ledger.find(theirs.txid), nullptr);
}

TEST_F(LedgerTest, ApplyingABlockTwiceChangesNothing) { // pitfalls D1
    const auto payment = fund(700, 1);
    ledger.take_dirty();
    const auto again = confirm(payment, in_block(10));
    EXPECT_TRUE(again.ours);
    EXPECT_TRUE(again.events.empty() && again.coins_added.empty() && again.coins_removed.empty());
    EXPECT_TRUE(ledger.take_dirty().empty());
}

TEST_F(LedgerTest, ASpendThatPaysNobodyOfOursIsOurs) { // pitfalls D3
    const auto a = fund(700, 1);
    const auto b = fund(300, 2);
    const auto sweep = make_payment({a.out(0), b.out(0)}, {{foreign_script(1), 950}});
    EXPECT_TRUE(ledger.relevant(sweep.tx));
    const auto delta = confirm(sweep, in_block(11));
    EXPECT_TRUE(delta.ours);
    EXPECT_EQ(delta.coins_removed.size(), 2u);
    EXPECT_EQ(ledger.balance(11), Balance{});
    const auto line = ledger.history(now).back();
    EXPECT_EQ(line.amount, -1000);
    EXPECT_EQ(line.fee, 50);
}

TEST_F(LedgerTest, APendingSpendMovesItsCoinsToUnconfirmed) {
    const auto coin = fund(1000, 1);
    const auto spend =
        make_payment({coin.out(0)}, {{our_script(2), 400}, {foreign_script(1), 590}});
    EXPECT_EQ(record(spend).events, (Events{{spend.txid, Kind::seen}}));
    EXPECT_EQ(ledger.balance(20), (Balance{0, 400, 0}));
    const auto coins = ledger.coins();
    ASSERT_EQ(coins.size(), 2u); // the spent one stays watched until a block has the spend
    EXPECT_EQ(coins[0].spent_by, spend.txid);
    EXPECT_EQ(coins[1].height, -1);
    EXPECT_EQ(ledger.history(now).back().fee, 10);
    confirm(spend, in_block(12));
    EXPECT_EQ(ledger.balance(20), (Balance{400, 0, 0}));
    EXPECT_EQ(ledger.coins().size(), 1u);
}

TEST_F(LedgerTest, AReplacementCountsOnce) { // pitfalls D3 (BIP-125)
    const auto coin = fund(1000, 1);
    const auto first = make_payment({coin.out(0)}, {{our_script(2), 900}}, 1);
    const auto second = make_payment({coin.out(0)}, {{our_script(2), 800}}, 2);
    record_at(first, now);
    const auto delta = record_at(second, now + 10);
    EXPECT_EQ(delta.events, (Events{{second.txid, Kind::seen}, {first.txid, Kind::conflicted}}));
    EXPECT_EQ(status(first), TxStatus::conflicted);
    EXPECT_EQ(ledger.balance(20), (Balance{0, 800, 0}));
    const auto history = ledger.history(now);
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history[1].conflicts, std::set{second.txid});
    EXPECT_EQ(history[2].conflicts, std::set{first.txid});
    EXPECT_EQ(ledger.coins()[0].spent_by, second.txid);

    // Shown again, the replaced one stays replaced.
    EXPECT_TRUE(record_at(first, now + 20).events.empty());
    EXPECT_EQ(status(first), TxStatus::conflicted);
    EXPECT_EQ(ledger.find(first.txid)->last_seen, now + 20);

    // A confirmation decides, also for the earlier one.
    confirm(first, in_block(11));
    EXPECT_EQ(status(second), TxStatus::conflicted);
    EXPECT_EQ(ledger.balance(20), (Balance{900, 0, 0}));
}

TEST_F(LedgerTest, TwoSendersOfOneForeignCoinConflictToo) { // pitfalls D3
    const auto first = make_payment({foreign_coin(7)}, {{our_script(1), 500}}, 1);
    const auto bumped = make_payment({foreign_coin(7)}, {{our_script(1), 490}}, 2);
    record_at(first, now);
    record_at(bumped, now + 1);
    EXPECT_EQ(ledger.balance(1), (Balance{0, 490, 0}));
    EXPECT_EQ(ledger.history(now)[0].conflicts, std::set{bumped.txid});
}

TEST_F(LedgerTest, OfTwoSeenInTheSameSecondTheOneThatCameLaterCounts) {
    const auto a = make_payment({foreign_coin(7)}, {{our_script(1), 500}}, 1);
    const auto b = make_payment({foreign_coin(7)}, {{our_script(1), 500}}, 2);
    const auto& [first, second] = std::pair(std::max(a.txid, b.txid) == a.txid ? a : b,
                                            std::max(a.txid, b.txid) == a.txid ? b : a);
    record(first); // the greater txid, which would win a tie
    record(second);
    EXPECT_EQ(ledger.balance(1), (Balance{0, 500, 0}));
    EXPECT_EQ(status(second), TxStatus::pending);
    EXPECT_EQ(status(first), TxStatus::conflicted);
    EXPECT_EQ(ledger.pending().size(), 1u);
}

TEST_F(LedgerTest, AbandoningTheReplacementBringsTheReplacedOneBack) {
    const auto first = make_payment({foreign_coin(7)}, {{our_script(1), 500}}, 1);
    const auto second = make_payment({foreign_coin(7)}, {{our_script(1), 490}}, 2);
    record_at(first, now);
    record_at(second, now + 1);
    const auto delta = checked(ledger.abandon(second.txid).value());
    EXPECT_EQ(delta.events,
              (Events{{second.txid, Kind::abandoned}, {first.txid, Kind::unconfirmed}}));
    EXPECT_EQ(ledger.balance(1), (Balance{0, 500, 0}));
}

TEST_F(LedgerTest, ChildrenFollowTheirParentIntoAConflict) { // pitfalls D2
    const auto coin = fund(1000, 1);
    const auto parent = make_payment({coin.out(0)}, {{our_script(2), 900}}, 1);
    const auto child = make_payment({parent.out(0)}, {{our_script(3), 800}});
    const auto grandchild = make_payment({child.out(0)}, {{our_script(4), 700}});
    for (const auto& payment : {parent, child, grandchild})
        record(payment);
    EXPECT_EQ(ledger.balance(20), (Balance{0, 700, 0}));
    const auto rival = make_payment({coin.out(0)}, {{our_script(5), 950}}, 2);
    const auto delta = confirm(rival, in_block(11));
    EXPECT_EQ(delta.events.size(), 4u);
    for (const auto& payment : {parent, child, grandchild}) {
        EXPECT_EQ(status(payment), TxStatus::conflicted);
    }
    EXPECT_EQ(ledger.balance(20), (Balance{950, 0, 0}));
    undo_above(10); // the rival is pending again, and the later one seen
    EXPECT_EQ(status(rival), TxStatus::pending);
    EXPECT_EQ(status(grandchild),
              now == ledger.find(rival.txid)->first_seen && parent.txid > rival.txid
                  ? TxStatus::pending
                  : TxStatus::conflicted);
}

TEST_F(LedgerTest, AChildMayComeBeforeItsParent) {
    const auto parent = make_payment({foreign_coin(1)}, {{our_script(1), 900}});
    const auto child = make_payment({parent.out(0)}, {{our_script(2), 800}});
    record(child);
    record(parent);
    EXPECT_EQ(ledger.balance(1), (Balance{0, 800, 0}));
    EXPECT_EQ(ledger.history(now).size(), 2u);
}

TEST_F(LedgerTest, ACoinWhoseSpendIsConfirmedAlreadyIsNeverWatched) {
    const auto parent = make_payment({foreign_coin(1)}, {{our_script(1), 900}});
    const auto child = make_payment({parent.out(0)}, {{our_script(2), 800}});
    confirm(child, in_block(9));
    EXPECT_TRUE(confirm(parent, in_block(8)).coins_added.empty());
    EXPECT_EQ(ledger.balance(9), (Balance{800, 0, 0}));
}

TEST_F(LedgerTest, AbandonedTransactionsAndTheirChildrenCountForNothing) {
    const auto coin = fund(1000, 1);
    const auto parent = make_payment({coin.out(0)}, {{our_script(2), 900}});
    const auto child = make_payment({parent.out(0)}, {{our_script(3), 800}});
    record(parent);
    record(child);
    const auto delta = checked(ledger.abandon(parent.txid).value());
    EXPECT_EQ(delta.events,
              (Events{{parent.txid, Kind::abandoned}, {child.txid, Kind::abandoned}}));
    EXPECT_EQ(ledger.balance(20), (Balance{1000, 0, 0}));
    EXPECT_EQ(ledger.coins()[0].spent_by, std::nullopt);

    now += 5; // a peer that shows the child has the parent too
    EXPECT_EQ(record(child).events.size(), 2u);
    EXPECT_EQ(ledger.balance(20), (Balance{0, 800, 0}));

    checked(ledger.abandon(parent.txid).value());
    confirm(parent, in_block(12));
    EXPECT_EQ(status(parent), TxStatus::confirmed);
    EXPECT_EQ(status(child), TxStatus::pending);
}

TEST_F(LedgerTest, OnlyUnconfirmedTransactionsCanBeAbandoned) {
    const auto coin = fund(1000, 1);
    const auto confirmed = ledger.abandon(coin.txid);
    ASSERT_FALSE(confirmed);
    EXPECT_EQ(confirmed.error().code, errc::bad_argument);
    EXPECT_NE(confirmed.error().message.find(coin.txid.to_string()), std::string::npos);
    const auto unknown = ledger.abandon(block_hash(1));
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, errc::not_found);
}

TEST_F(LedgerTest, MaturityIsCountedAsBitcoinCoresWalletDoes) { // pitfalls D4
    const auto coinbase = make_coinbase(10, our_script(1), 5000);
    confirm(coinbase, in_block(10, 'a', 0));
    for (const auto tip : {10, 100, 109}) {
        EXPECT_EQ(ledger.balance(tip), (Balance{0, 0, 5000})) << tip;
    }
    EXPECT_EQ(ledger.balance(110), (Balance{5000, 0, 0})); // 101 confirmations; nothing else moved
    EXPECT_EQ(ledger.balance(110).total(), ledger.balance(109).total());
    EXPECT_TRUE(ledger.coins()[0].coinbase);
}

TEST_F(LedgerTest, ACoinbaseIsNeverPending) {
    const auto coinbase = make_coinbase(10, our_script(1), 5000);
    EXPECT_FALSE(record(coinbase).ours);
    EXPECT_EQ(ledger.size(), 0u);
}

TEST_F(LedgerTest, AReorganisationTakesACoinbaseAndWhatSpentIt) { // pitfalls D2
    const auto coinbase = make_coinbase(10, our_script(1), 5000);
    confirm(coinbase, in_block(10, 'a', 0));
    const auto spend = make_payment({coinbase.out(0)}, {{our_script(2), 4000}});
    confirm(spend, in_block(111));
    ledger.take_dirty();
    const auto delta = undo_above(9);
    EXPECT_EQ(delta.events,
              (Events{{spend.txid, Kind::conflicted}, {coinbase.txid, Kind::dropped}}));
    EXPECT_EQ(ledger.find(coinbase.txid), nullptr);
    EXPECT_EQ(ledger.take_erased(), std::vector{coinbase.txid});
    EXPECT_EQ(status(spend), TxStatus::conflicted);
    EXPECT_EQ(ledger.balance(200), Balance{});

    // What a restart finds is the same.
    Ledger restarted(book);
    restarted.load(ledger.all());
    EXPECT_EQ(restarted.status(spend.txid), TxStatus::conflicted);
    EXPECT_TRUE(restarted.take_dirty().empty());

    // Back on the first branch.
    confirm(coinbase, in_block(10, 'a', 0));
    EXPECT_EQ(status(spend), TxStatus::pending);
    EXPECT_TRUE(ledger.take_erased().empty());
    confirm(spend, in_block(111));
    EXPECT_EQ(ledger.balance(200), (Balance{4000, 0, 0}));
}

TEST_F(LedgerTest, BothCoinbasesMustBeBackBeforeTheirSpendIs) {
    const auto one = make_coinbase(10, our_script(1), 5000);
    const auto two = make_coinbase(11, our_script(1), 5000);
    confirm(one, in_block(10, 'a', 0));
    confirm(two, in_block(11, 'a', 0));
    const auto spend = make_payment({one.out(0), two.out(0)}, {{our_script(2), 9000}});
    record(spend);
    undo_above(5);
    confirm(one, in_block(10, 'a', 0));
    EXPECT_EQ(status(spend), TxStatus::conflicted);
    confirm(two, in_block(11, 'a', 0));
    EXPECT_EQ(status(spend), TxStatus::pending);
}

TEST_F(LedgerTest, ATransactionInBothBranchesIsConfirmedAgainWithoutBeingSeenAgain) { // pitfalls D2
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(1), 700}});
    record(payment);
    confirm(payment, in_block(10));
    EXPECT_EQ(undo_above(9).events, (Events{{payment.txid, Kind::unconfirmed}}));
    EXPECT_EQ(ledger.balance(9), (Balance{0, 700, 0}));
    EXPECT_EQ(confirm(payment, in_block(11, 'b')).events,
              (Events{{payment.txid, Kind::confirmed}}));
    // Also when the other branch comes without an undo.
    EXPECT_EQ(confirm(payment, in_block(12, 'c')).events,
              (Events{{payment.txid, Kind::confirmed}}));
    EXPECT_EQ(ledger.find(payment.txid)->confirmation->block, block_hash(12, 'c'));
    EXPECT_EQ(undo_above(11).events.size(), 1u);
}

TEST_F(LedgerTest, AWitnessThatWasKnownStays) {
    auto payment = make_payment({foreign_coin(1)}, {{our_script(1), 700}});
    auto full = payment;
    full.tx.inputs[0].witness = {Bytes{1, 2, 3}};
    record(full);
    confirm(payment, in_block(10));
    EXPECT_TRUE(ledger.find(payment.txid)->tx.has_witness());

    auto later = make_payment({foreign_coin(2)}, {{our_script(1), 700}});
    confirm(later, in_block(11));
    later.tx.inputs[0].witness = {Bytes{1}};
    record(later);
    EXPECT_TRUE(ledger.find(later.txid)->tx.has_witness());
}

TEST_F(LedgerTest, APendingTransactionUnseenForFourteenDaysIsStale) {
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(1), 700}});
    record(payment);
    const auto days = [&](std::int64_t count) { return now + count * 86'400; };
    EXPECT_FALSE(ledger.history(days(14))[0].stale);
    EXPECT_TRUE(ledger.history(days(14) + 1)[0].stale);
    record_at(payment, days(10));
    EXPECT_FALSE(ledger.history(days(20))[0].stale);
    confirm(payment, in_block(10));
    EXPECT_FALSE(ledger.history(days(100))[0].stale);
}

TEST_F(LedgerTest, WhatNoBlockCanHoldIsNotOurs) { // CVE-2018-17144, and sums stay in 64 bits
    const auto coin = fund(1000, 1);
    const auto twice = make_payment({coin.out(0), coin.out(0)}, {{our_script(1), 2000}});
    const auto too_much = make_payment({foreign_coin(1)}, {{our_script(1), chain::max_money + 1}});
    const auto negative = make_payment({foreign_coin(1)}, {{our_script(1), -1}});
    const auto null_input = make_payment({foreign_coin(1), {{}, 0xffffffff}}, {{our_script(1), 1}});
    for (const auto& payment : {twice, too_much, negative, null_input}) {
        EXPECT_FALSE(record(payment).ours);
        EXPECT_FALSE(confirm(payment, in_block(11)).ours);
    }
}

TEST_F(LedgerTest, PendingTransactionsAreBounded) {
    for (std::uint32_t i = 0; i < limits::max_pending_transactions + 5; ++i) {
        record(make_payment({foreign_coin(i)}, {{our_script(1), chain::max_money}}));
    }
    EXPECT_EQ(ledger.size(), limits::max_pending_transactions);
    EXPECT_GT(ledger.balance(1).total(), 0); // no overflow
    const auto one_more = make_payment({foreign_coin(99'999)}, {{our_script(1), 1}});
    EXPECT_TRUE(confirm(one_more, in_block(1)).ours); // what is proven is always kept
}

TEST_F(LedgerTest, PendingSpendsOfOneCoinAreBounded) {
    const auto coin = fund(1000, 1);
    for (std::uint32_t i = 0; i < limits::max_spends_of_coin + 5; ++i) {
        record_at(make_payment({coin.out(0)}, {{our_script(1), 500}}, i), now + i);
    }
    EXPECT_EQ(ledger.size(), limits::max_spends_of_coin + 1);
    EXPECT_EQ(ledger.balance(20), (Balance{0, 500, 0}));
}

TEST_F(LedgerTest, ScriptsAddedLaterFindWhatIsThereAlready) { // pitfalls D6
    const auto payment =
        make_payment({foreign_coin(1)}, {{our_script(1), 700}, {our_script(100), 50}});
    confirm(payment, in_block(10));
    EXPECT_EQ(ledger.balance(10), (Balance{700, 0, 0}));
    ASSERT_TRUE(book.add(raw_descriptor(our_script(100)), 20, {}, false));
    const auto delta = checked(ledger.reindex());
    EXPECT_EQ(delta.coins_added, std::vector{payment.out(1)});
    EXPECT_EQ(ledger.balance(10), (Balance{750, 0, 0}));
    EXPECT_EQ(book.descriptors().back().branches[0].highest_used, 0);
}

TEST_F(LedgerTest, HistoryIsOldestFirstAndPendingLast) {
    const auto late = make_payment({foreign_coin(1)}, {{our_script(1), 1}});
    const auto early = make_payment({foreign_coin(2)}, {{our_script(1), 2}});
    const auto same_block = make_payment({foreign_coin(3)}, {{our_script(1), 3}});
    const auto pending = make_payment({foreign_coin(4)}, {{our_script(1), 4}});
    const auto older_pending = make_payment({foreign_coin(5)}, {{our_script(1), 5}});
    record_at(pending, now + 9);
    record_at(older_pending, now + 8);
    confirm(late, in_block(30, 'a', 7));
    confirm(same_block, in_block(30, 'a', 2));
    confirm(early, in_block(20));
    std::vector<Amount> order;
    for (const auto& line : ledger.history(now))
        order.push_back(line.amount);
    EXPECT_EQ(order, (std::vector<Amount>{2, 3, 1, 5, 4}));
}

TEST(LedgerDelta, AppendCancelsWhatCameAndWent) {
    const auto coin = foreign_coin(1);
    LedgerDelta first;
    first.coins_added = {coin};
    LedgerDelta second;
    second.coins_removed = {coin, foreign_coin(2)};
    LedgerDelta third;
    third.coins_added = {foreign_coin(2)};
    third.ours = true;
    first.append(second);
    EXPECT_TRUE(first.coins_added.empty());
    EXPECT_EQ(first.coins_removed, std::vector{foreign_coin(2)});
    first.append(third);
    EXPECT_TRUE(first.coins_removed.empty() && first.coins_added.empty() && first.ours);
}

} // namespace
} // namespace headlight::wallet
