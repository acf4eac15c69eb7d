// Removing descriptors: what goes with them, what stays, and that the others keep their ids.
#include "ledger_help.hpp"

#include "wallet/hd_key.hpp"
#include "wallet/unwatch.hpp"
#include "wallet/wallet.hpp"

#include <algorithm>

namespace headlight::wallet {
namespace {

Descriptor two_chains() {
    const auto master = master_key(Bytes(32, 0x43)).value();
    const auto text = account_descriptor(master, AccountKind::wpkh, 0, regtest()).value();
    return Descriptor::parse(text, regtest()).value();
}

class UnwatchTest : public ::testing::Test {
  protected:
    UnwatchTest() {
        for (std::uint32_t i = 0; i < 3; ++i)
            EXPECT_TRUE(wallet->add(raw_descriptor(our_script(i)), 20, {}, false));
    }
    Payment pay(const std::vector<chain::OutPoint>& from,
                const std::vector<std::pair<Bytes, Amount>>& to, std::int32_t height) {
        auto payment = make_payment(from, to);
        EXPECT_TRUE(wallet->ledger().confirm(payment.tx, payment.txid, in_block(height), now).ours);
        return payment;
    }
    /// The state as a store has it afterwards.
    WalletState without(const std::vector<std::uint32_t>& ids) {
        auto state = wallet->state();
        const auto done = unwatch(*wallet, ids);
        std::erase_if(state.descriptors, [&](auto& one) {
            return std::ranges::count(done.changes.removed, one.id) != 0;
        });
        std::erase_if(state.transactions, [&](auto& one) {
            return std::ranges::count(done.changes.erased, one.txid) != 0;
        });
        EXPECT_EQ(done.scripts_left, state.descriptors.size());
        return state;
    }

    std::int64_t now = 1'700'000'000;
    std::unique_ptr<Wallet> wallet = Wallet::create(regtest(), 7, now);
};

TEST_F(UnwatchTest, WhatConcernsNothingElseGoesAndWhatConcernsAnotherStays) {
    const auto gone = pay({foreign_coin(1)}, {{our_script(1), 500}}, 10);
    const auto both = pay({foreign_coin(2)}, {{our_script(1), 70}, {our_script(2), 8}}, 11);
    const auto spends = pay({{both.txid, 1}}, {{foreign_script(1), 7}}, 12);
    const auto spends_gone = pay({{gone.txid, 0}}, {{foreign_script(2), 499}}, 13);
    wallet->set_label("somebody", "rent");

    const auto state = without({1});
    auto left = Wallet::load(state, regtest()).value();
    EXPECT_FALSE(left->ledger().find(gone.txid));
    EXPECT_FALSE(left->ledger().find(spends_gone.txid));
    EXPECT_TRUE(left->ledger().find(both.txid));
    EXPECT_TRUE(left->ledger().find(spends.txid));
    EXPECT_EQ(left->ledger().balance(20).total(), 0); // the 8 are spent, the 70 are not ours
    EXPECT_EQ(left->labels().at("somebody"), "rent");
    EXPECT_EQ(left->scan(), wallet->scan());
    EXPECT_EQ(left->filter(), wallet->filter());
}

TEST_F(UnwatchTest, TheOthersKeepTheirIdsAndNewOnesComeBehind) {
    auto left = Wallet::load(without({1}), regtest()).value();
    auto& book = left->scripts();
    ASSERT_EQ(book.descriptors().size(), 2U);
    EXPECT_EQ(book.descriptors()[1].id, 2U);
    EXPECT_EQ(book.state(2).descriptor, wallet->scripts().state(2).descriptor);
    EXPECT_EQ(book.descriptor(2).text(), book.state(2).descriptor);
    EXPECT_EQ(book.find(our_script(2)).front().descriptor, 2U);
    EXPECT_TRUE(book.find(our_script(1)).empty());
    EXPECT_TRUE(book.script({2, 0, 0}));
    EXPECT_FALSE(book.script({1, 0, 0}));
    EXPECT_FALSE(book.script({3, 0, 0}));
    EXPECT_TRUE(book.mark_used(our_script(2)));
    EXPECT_EQ(book.state(2).branches[0].highest_used, 0);

    const auto added = left->add(raw_descriptor(our_script(1)), 20, {}, false);
    ASSERT_TRUE(added);
    EXPECT_EQ(added->id, 3U);
    const auto ranged = left->add(two_chains(), 20, {}, false);
    ASSERT_TRUE(ranged);
    EXPECT_EQ(ranged->id, 4U);
    EXPECT_EQ(book.next_receive()->descriptor, 4U);
    EXPECT_TRUE(book.mark_used({4, 0, 30}));
    auto again = Wallet::load(left->state(), regtest()).value();
    EXPECT_EQ(again->state(), left->state());
    EXPECT_EQ(again->scripts().id_of(two_chains()), 4U);
}

TEST_F(UnwatchTest, AllMayGo) {
    pay({foreign_coin(1)}, {{our_script(1), 500}}, 10);
    const auto left = Wallet::load(without({0, 1, 2}), regtest()).value();
    EXPECT_EQ(left->scripts().size(), 0U);
    EXPECT_EQ(left->ledger().size(), 0U);
}

TEST_F(UnwatchTest, ARivalOfAConfirmedPaymentIsJudgedByWhatIsLeft) {
    const auto first = make_payment({foreign_coin(3)}, {{our_script(0), 5}});
    wallet->ledger().record(first.tx, first.txid, now);
    pay({foreign_coin(3)}, {{our_script(1), 5}}, 10);
    EXPECT_EQ(wallet->ledger().status(first.txid), TxStatus::conflicted);
    const auto left = Wallet::load(without({1}), regtest()).value();
    EXPECT_EQ(left->ledger().status(first.txid), TxStatus::pending); // nothing shows the rival
}

} // namespace
} // namespace headlight::wallet
