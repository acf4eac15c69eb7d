// What a filter holds, and when an answer under it counts: the heart of "complete".
#include "sync/filter.hpp"

#include "chain/memory_archive.hpp"
#include "chain/script.hpp"
#include "wallet/hd_key.hpp"

#include <gtest/gtest.h>

namespace headlight::sync {
namespace {

using chain::OutPoint;
using chain::Transaction;

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// The wpkh account of a seed that nobody uses: receive and change.
wallet::Descriptor account() {
    const auto master = wallet::master_key(Bytes(32, 1));
    const auto text = wallet::account_descriptor(*master, wallet::AccountKind::wpkh, 0, regtest());
    return *wallet::Descriptor::parse(*text, regtest());
}

class FilterKeeping : public testing::Test {
  protected:
    FilterKeeping() : wallet(wallet::Wallet::create(regtest(), 7, 0)) {
        EXPECT_TRUE(wallet->add(account(), 20, {}, true));
        context = std::make_unique<Context>(regtest(), archive, *wallet, Config{});
        keeper = std::make_unique<FilterKeeper>(*context);
    }

    /// A transaction that pays the script at a place, with one input of somebody else's.
    Transaction pay(std::uint32_t branch, std::uint32_t index) {
        Transaction tx;
        tx.inputs.push_back(
            {{chain::hash256(as_bytes(std::to_string(++strangers))), 0}, {}, 0, {}});
        const auto script = wallet->scripts().script({0, branch, index}).value().script_pubkey;
        tx.outputs.push_back({1'000, {script.begin(), script.end()}});
        return tx;
    }

    static Transaction spend(const OutPoint& coin) {
        Transaction tx;
        tx.inputs.push_back({coin, {}, 0, {}});
        tx.outputs.push_back({500, chain::witness_script(0, Bytes(20, 9))});
        return tx;
    }

    OutPoint confirm(const Transaction& tx, std::int32_t height) {
        const auto txid = chain::txid(tx);
        wallet::Confirmation place;
        place.height = height;
        place.total_transactions = 1;
        context->note(wallet->ledger().confirm(tx, txid, place, 0));
        return {txid, 0};
    }

    chain::MemoryArchive archive;
    std::unique_ptr<wallet::Wallet> wallet;
    std::unique_ptr<Context> context;
    std::unique_ptr<FilterKeeper> keeper;
    int strangers = 0;
};

TEST_F(FilterKeeping, AFreshFilterHoldsEveryDerivedScriptAndEveryCoin) {
    const auto coin = confirm(pay(0, 3), 5);
    const auto filter = keeper->make();
    for (std::size_t i = 0; i < wallet->scripts().size(); ++i) {
        for (const auto& element : wallet->scripts().at(i).elements()) {
            EXPECT_TRUE(filter->mirror.contains(element));
        }
    }
    EXPECT_TRUE(
        filter->mirror.contains(coin)); // pitfalls A3, A4: every filterload holds every coin
    EXPECT_TRUE(keeper->covers(*filter, 0));
}

TEST_F(FilterKeeping, ACoinThatThisConnectionMatchedIsHeldFromThatAnswerOn) {
    const auto filter = keeper->make();
    const auto tx = pay(0, 0);
    EXPECT_TRUE(keeper->learn(*filter, tx, chain::txid(tx), 7));
    confirm(tx, 1);
    EXPECT_TRUE(keeper->covers(*filter, 7));
    EXPECT_TRUE(keeper->covers(*filter, 8));
    EXPECT_FALSE(keeper->covers(*filter, 6))
        << "an answer before the match could not know the coin";
    EXPECT_TRUE(keeper->covers(*filter, 9)) << "looking back must not spoil what is known";
}

TEST_F(FilterKeeping, ACoinLearntElsewhereIsMissingUntilANewFilter) {
    const auto filter = keeper->make(); // pitfalls A3
    confirm(pay(0, 0), 1);
    EXPECT_FALSE(keeper->covers(*filter, 100));
    EXPECT_TRUE(keeper->covers(*keeper->make(), 0));
}

TEST_F(FilterKeeping, ANewFilterForgetsWhatTheServerAddedByItselfToTheOldOne) {
    const auto old_filter = keeper->make(); // pitfalls A4
    const auto tx = pay(0, 0);
    const auto newer = keeper->make(); // sent before the answer that showed the coin came
    keeper->learn(*old_filter, tx, chain::txid(tx), 1);
    confirm(tx, 1);
    EXPECT_TRUE(keeper->covers(*old_filter, 1));
    EXPECT_FALSE(keeper->covers(*newer, 2));
}

TEST_F(FilterKeeping, ASpentCoinIsNoLongerAskedForAndOneThatComesBackIsAskedForAnew) {
    const auto coin = confirm(pay(0, 0), 1);
    const auto before = keeper->make();
    confirm(spend(coin), 2);
    const auto without = keeper->make();
    EXPECT_FALSE(without->mirror.contains(coin));
    context->note(
        wallet->ledger().undo_above(1)); // the spend is pending again: the coin is watched
    EXPECT_FALSE(keeper->covers(*without, 50));
    EXPECT_FALSE(keeper->covers(*before, 50)) << "a reappeared coin counts as new, to be safe";
    EXPECT_TRUE(keeper->covers(*keeper->make(), 0));
}

TEST_F(FilterKeeping, UseWithinTheHeadRoomNeedsNoNewFilter) {
    const auto filter = keeper->make(); // pitfalls A9: refreshes are rare
    for (std::uint32_t index = 0; index <= 100; ++index) {
        const auto tx = pay(0, index);
        keeper->learn(*filter, tx, chain::txid(tx), index);
        confirm(tx, 1);
        ASSERT_TRUE(keeper->covers(*filter, index)) << index;
    }
}

TEST_F(FilterKeeping, UseBeyondTheHeadRoomNeedsANewFilter) {
    const auto filter = keeper->make(); // pitfalls A2
    std::uint32_t index = 0;
    while (wallet->scripts().script({0, 0, index + 1}))
        ++index;
    const auto tx = pay(0, index); // the last derived one: twenty more are required now
    keeper->learn(*filter, tx, chain::txid(tx), 1);
    confirm(tx, 1);
    EXPECT_FALSE(keeper->covers(*filter, 1));
    EXPECT_TRUE(keeper->covers(*keeper->make(), 1));
}

TEST_F(FilterKeeping, TwoStartsGiveTheSameBytes) {
    confirm(pay(0, 0), 1);
    confirm(pay(1, 4), 2);
    const auto first = keeper->make();
    const auto changes = wallet->take_changes();
    auto again = wallet::Wallet::load(wallet->state(), regtest());
    ASSERT_TRUE(again);
    Context other(regtest(), archive, **again, Config{});
    EXPECT_EQ(FilterKeeper(other).make()->mirror, first->mirror);
    ASSERT_TRUE(changes.filter) << "the size class is stored";
    EXPECT_GE(changes.filter->size_class, wallet->scripts().size());
}

TEST_F(FilterKeeping, AutoUpdatesWearAFilterOutAndACleanOneIsBetter) {
    const auto filter = keeper->make(); // pitfalls A6
    EXPECT_FALSE(keeper->worn(*filter));
    std::uint32_t index = 0;
    while (!keeper->worn(*filter) && index < 100'000)
        filter->mirror.insert(OutPoint{{}, index++});
    EXPECT_GT(index, 100u);
    EXPECT_LT(index, 100'000u);
    EXPECT_FALSE(keeper->worn(*keeper->make()));
}

TEST_F(FilterKeeping, ATransactionOutsideTheFilterIsNoticed) {
    const auto filter = keeper->make(); // pitfalls A7
    const auto tx = spend({chain::hash256(as_bytes("nobody")), 3});
    EXPECT_FALSE(keeper->learn(*filter, tx, chain::txid(tx), 1));
    EXPECT_TRUE(filter->added.empty());
}

} // namespace
} // namespace headlight::sync
