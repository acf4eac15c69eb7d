// What the ledger's tests share: a ledger whose deltas are checked.
#pragma once

#include "tests/support/ledger_parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headlight::wallet {

/// A ledger over `scripts` plain scripts, its deltas checked against watched_coins() at every call.
class LedgerTest : public ::testing::Test {
  protected:
    LedgerTest() {
        for (std::uint32_t i = 0; i < 8; ++i) {
            EXPECT_TRUE(book.add(raw_descriptor(our_script(i)), 20, {}, false).has_value());
        }
    }

    LedgerDelta checked(LedgerDelta delta) {
        for (const auto& coin : delta.coins_removed)
            EXPECT_EQ(mirror.erase(coin), 1u);
        for (const auto& coin : delta.coins_added)
            EXPECT_TRUE(mirror.insert(coin).second);
        EXPECT_EQ(mirror, ledger.watched_coins());
        return delta;
    }
    LedgerDelta confirm(const Payment& payment, const Confirmation& at) {
        return checked(ledger.confirm(payment.tx, payment.txid, at, now));
    }
    LedgerDelta record(const Payment& payment) {
        return checked(ledger.record(payment.tx, payment.txid, now));
    }
    LedgerDelta record_at(const Payment& payment, std::int64_t time) {
        return checked(ledger.record(payment.tx, payment.txid, time));
    }
    LedgerDelta undo_above(std::int32_t height) { return checked(ledger.undo_above(height)); }
    TxStatus status(const Payment& payment) { return ledger.status(payment.txid); }

    /// A confirmed coin of ours.
    Payment fund(Amount amount, std::uint32_t number, std::int32_t height = 10) {
        auto payment = make_payment({foreign_coin(1000 + number)}, {{our_script(0), amount}});
        confirm(payment, in_block(height));
        return payment;
    }

    using Kind = LedgerDelta::Event::Kind;
    using Events = std::vector<LedgerDelta::Event>;

    std::int64_t now = 1'700'000'000;
    ScriptBook book{regtest()};
    Ledger ledger{book};
    std::set<chain::OutPoint> mirror;
};

} // namespace headlight::wallet
