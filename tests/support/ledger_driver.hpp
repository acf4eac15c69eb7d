// Drives the ledger and the naive one with the same story of payments, spends, replacements,
// reorganisations and restarts, and compares all they say.
#pragma once

#include "tests/support/naive_ledger.hpp"

#include <functional>
#include <memory>

namespace headlight::wallet {

class LedgerDriver {
  public:
    /// Gives a number in 0..n-1.
    using Choose = std::function<std::uint32_t(std::uint32_t n)>;

    explicit LedgerDriver(Choose choose) : choose_(std::move(choose)) {
        for (std::uint32_t i = 0; i < scripts; ++i)
            book_.add(raw_descriptor(our_script(i)), 20, {}, false).value();
    }

    /// One event; "" or what the two disagree about.
    std::string step() {
        fault_.clear();
        now_ += choose_(2); // ties in first_seen happen
        const auto what = choose_(20);
        if (what < 8 || made_.empty()) {
            made_.push_back(make_any());
            if (choose_(2) != 0) record(made_.back());
        } else if (what < 14) {
            confirm(any_known());
        } else if (what < 16) {
            record(any_known());
        } else if (what < 18) {
            abandon(any_known());
        } else if (what < 19) {
            undo();
        } else {
            restart();
        }
        return fault_;
    }

    std::string compare() const {
        if (ledger_->size() != model_.txs.size()) return "size";
        for (const auto& [txid, tx] : model_.txs) {
            if (ledger_->status(txid) != model_.status(tx)) return "status of " + txid.to_string();
        }
        if (ledger_->watched_coins() != model_.watched()) return "watched coins";
        if (ledger_->watched_coins() != mirror_) return "coins told of";
        for (const auto at : {tip_, tip_ + 50, tip_ + 101}) {
            if (ledger_->balance(at) != model_.balance(at)) return "balance";
        }
        if (ledger_->history(now_).size() != model_.txs.size()) return "history";
        return {};
    }

  private:
    static constexpr std::uint32_t scripts = 4;

    void expect(bool holds, std::string_view what) {
        if (!holds && fault_.empty()) fault_ = what;
    }

    Payment any_known() { return made_[choose_(static_cast<std::uint32_t>(made_.size()))]; }

    Payment make_any() {
        if (choose_(8) == 0) {
            return make_coinbase(static_cast<std::int32_t>(++salt_), our_script(choose_(scripts)),
                                 50 + choose_(9));
        }
        std::vector<chain::OutPoint> inputs;
        for (auto count = 1 + choose_(3); count != 0; --count) {
            chain::OutPoint coin = foreign_coin(choose_(12));
            if (!made_.empty() && choose_(4) != 0) {
                const auto parent = any_known();
                coin = parent.out(choose_(static_cast<std::uint32_t>(parent.tx.outputs.size())));
            }
            if (std::ranges::find(inputs, coin) == inputs.end()) inputs.push_back(coin);
        }
        std::vector<std::pair<Bytes, Amount>> outputs;
        for (auto count = 1 + choose_(3); count != 0; --count) {
            const auto number = choose_(scripts);
            outputs.emplace_back(choose_(3) != 0 ? our_script(number) : foreign_script(number),
                                 1 + choose_(1000));
        }
        return make_payment(inputs, outputs, ++salt_);
    }

    /// As in a valid chain: parents first, each coin once.
    bool can_confirm(const Payment& payment) const {
        const auto known = model_.txs.find(payment.txid);
        if (known != model_.txs.end() && known->second.confirmation) return false;
        if (payment.tx.is_coinbase()) return true;
        if (known != model_.txs.end() && !known->second.lost.empty()) return false;
        const NaiveLedger::Tx probe{payment, {}, false, 0, {}};
        for (const auto* rival : model_.rivals(probe)) {
            if (rival->confirmation && rival->payment.txid != payment.txid) return false;
        }
        return std::ranges::all_of(model_.parents(probe),
                                   [](auto* parent) { return parent->confirmation.has_value(); });
    }

    void confirm(const Payment& payment) {
        if (!can_confirm(payment)) return;
        tip_ += static_cast<std::int32_t>(choose_(30));
        const auto at = in_block(tip_, branch_, payment.tx.is_coinbase() ? 0 : 1 + choose_(9));
        const bool ours = model_.txs.contains(payment.txid) || model_.relevant(payment);
        const auto delta = checked(ledger_->confirm(payment.tx, payment.txid, at, now_));
        expect(delta.ours == ours, "whether a confirmed transaction is ours");
        if (!delta.ours) return;
        auto& tx = model_.txs[payment.txid];
        if (tx.payment.tx.inputs.empty()) tx = {payment, {}, false, now_, {}};
        tx.confirmation = at;
        tx.abandoned = false;
        tx.lost.clear();
        for (auto& [id, other] : model_.txs)
            other.lost.erase(payment.txid);
    }

    void record(const Payment& payment) {
        const auto delta = checked(ledger_->record(payment.tx, payment.txid, now_));
        const auto known = model_.txs.find(payment.txid);
        if (known != model_.txs.end()) {
            model_.show(known->second);
        } else if (!payment.tx.is_coinbase() && model_.relevant(payment)) {
            NaiveLedger::Tx tx{payment, {}, false, now_, {}};
            for (const auto* rival : model_.rivals(tx)) { // what comes later counts as later
                if (!rival->confirmation)
                    tx.first_seen = std::max(tx.first_seen, rival->first_seen + 1);
            }
            model_.txs[payment.txid] = tx;
        }
        expect(delta.ours == model_.txs.contains(payment.txid), "whether a seen one is ours");
    }

    void abandon(const Payment& payment) {
        const auto known = model_.txs.find(payment.txid);
        const bool can = known != model_.txs.end() && !known->second.confirmation;
        auto done = ledger_->abandon(payment.txid);
        expect(done.has_value() == can, "whether one can be abandoned");
        if (!done || !can) return;
        checked(*done);
        known->second.abandoned = true;
    }

    void undo() {
        tip_ = std::max(0, tip_ - static_cast<std::int32_t>(choose_(80)));
        branch_ = branch_ == 'a' ? 'b' : 'a';
        checked(ledger_->undo_above(tip_));
        model_.undo_above(tip_);
    }

    void restart() {
        auto fresh = std::make_unique<Ledger>(book_);
        fresh->load(ledger_->all());
        ledger_ = std::move(fresh);
    }

    LedgerDelta checked(LedgerDelta delta) {
        for (const auto& coin : delta.coins_removed)
            expect(mirror_.erase(coin) == 1, "a coin that goes was not there");
        for (const auto& coin : delta.coins_added)
            expect(mirror_.insert(coin).second, "a coin that comes was there");
        std::set<std::pair<chain::Hash256, LedgerDelta::Event::Kind>> once;
        for (const auto& event : delta.events)
            expect(once.emplace(event.txid, event.kind).second, "an event is told twice");
        return delta;
    }

    Choose choose_;
    ScriptBook book_{regtest()};
    std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>(book_);
    NaiveLedger model_;
    std::vector<Payment> made_;
    std::set<chain::OutPoint> mirror_;
    std::int64_t now_ = 1'700'000'000;
    std::int32_t tip_ = 1;
    char branch_ = 'a';
    std::uint32_t salt_ = 0;
    std::string fault_;
};

} // namespace headlight::wallet
