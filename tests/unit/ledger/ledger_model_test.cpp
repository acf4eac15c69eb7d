// The ledger against a model that recomputes everything from scratch by the plain wording of the
// rules, over random stories of payments, spends, replacements, reorganisations and restarts.
#include "ledger_help.hpp"

#include <algorithm>
#include <random>

namespace headlight::wallet {
namespace {

class Model {
  public:
    struct Tx {
        Payment payment;
        std::optional<Confirmation> confirmation;
        bool abandoned = false;
        std::int64_t first_seen = 0;
        std::set<chain::Hash256> lost;
    };
    std::map<chain::Hash256, Tx> txs;

    bool ours(const chain::OutPoint& coin) const {
        const auto found = txs.find(coin.txid);
        return found != txs.end() && coin.index < found->second.payment.tx.outputs.size() &&
               found->second.payment.tx.outputs[coin.index].script_pubkey[2] == 1;
    }
    bool relevant(const Payment& payment) const {
        if (payment.tx.is_coinbase()) return payment.tx.outputs[0].script_pubkey[2] == 1;
        for (const auto& input : payment.tx.inputs) {
            if (ours(input.prevout)) return true;
        }
        for (const auto& out : payment.tx.outputs) {
            if (out.script_pubkey[2] == 1) return true;
        }
        return false;
    }
    std::vector<const Tx*> spenders(const chain::OutPoint& coin) const {
        std::vector<const Tx*> list;
        for (const auto& [txid, tx] : txs) {
            for (const auto& input : tx.payment.tx.inputs) {
                if (input.prevout == coin && !tx.payment.tx.is_coinbase()) list.push_back(&tx);
            }
        }
        return list;
    }
    std::vector<const Tx*> parents(const Tx& tx) const {
        std::vector<const Tx*> list;
        for (const auto& input : tx.payment.tx.inputs) {
            const auto found = txs.find(input.prevout.txid);
            if (found != txs.end()) list.push_back(&found->second);
        }
        return list;
    }
    std::vector<const Tx*> rivals(const Tx& tx) const {
        std::vector<const Tx*> list;
        for (const auto& input : tx.payment.tx.inputs) {
            for (const auto* other : spenders(input.prevout)) {
                if (other != &tx) list.push_back(other);
            }
        }
        return list;
    }
    bool conflicted_for_good(const Tx& tx) const {
        if (tx.confirmation || tx.abandoned) return false;
        return !tx.lost.empty() || std::ranges::any_of(rivals(tx), [](auto* r) {
            return r->confirmation.has_value();
        }) || std::ranges::any_of(parents(tx), [&](auto* p) { return conflicted_for_good(*p); });
    }
    bool is_abandoned(const Tx& tx) const {
        if (tx.confirmation) return false;
        if (tx.abandoned) return true;
        return !conflicted_for_good(tx) &&
               std::ranges::any_of(parents(tx), [&](auto* p) { return is_abandoned(*p); });
    }
    bool replaced(const Tx& tx) const {
        if (tx.confirmation || conflicted_for_good(tx) || is_abandoned(tx)) return false;
        return std::ranges::any_of(rivals(tx),
                                   [&](auto* r) {
                                       return !conflicted_for_good(*r) && !is_abandoned(*r) &&
                                              std::pair(r->first_seen, r->payment.txid) >
                                                  std::pair(tx.first_seen, tx.payment.txid);
                                   }) ||
               std::ranges::any_of(parents(tx), [&](auto* p) { return replaced(*p); });
    }
    TxStatus status(const Tx& tx) const {
        if (tx.confirmation) return TxStatus::confirmed;
        if (is_abandoned(tx)) return TxStatus::abandoned;
        return conflicted_for_good(tx) || replaced(tx) ? TxStatus::conflicted : TxStatus::pending;
    }
    std::set<chain::OutPoint> watched() const {
        std::set<chain::OutPoint> coins;
        for (const auto& [txid, tx] : txs) {
            const auto now = status(tx);
            if (now != TxStatus::confirmed && now != TxStatus::pending) continue;
            for (std::uint32_t i = 0; i < tx.payment.tx.outputs.size(); ++i) {
                const chain::OutPoint coin{txid, i};
                const auto by = spenders(coin);
                if (ours(coin) &&
                    std::ranges::none_of(by, [](auto* s) { return s->confirmation.has_value(); })) {
                    coins.insert(coin);
                }
            }
        }
        return coins;
    }
    Balance balance(std::int32_t tip) const {
        Balance sum;
        for (const auto& coin : watched()) {
            const auto by = spenders(coin);
            if (std::ranges::any_of(by, [&](auto* s) { return status(*s) == TxStatus::pending; })) {
                continue;
            }
            const auto& tx = txs.at(coin.txid);
            const auto amount = tx.payment.tx.outputs[coin.index].amount;
            if (!tx.confirmation) {
                sum.unconfirmed += amount;
            } else if (tx.payment.tx.is_coinbase() && tip - tx.confirmation->height + 1 < 101) {
                sum.immature += amount;
            } else {
                sum.confirmed += amount;
            }
        }
        return sum;
    }
    void undo_above(std::int32_t height) {
        for (auto& [txid, tx] : txs) {
            if (tx.confirmation && tx.confirmation->height > height &&
                !tx.payment.tx.is_coinbase()) {
                tx.confirmation.reset();
            }
        }
        for (auto at = txs.begin(); at != txs.end();) {
            if (!at->second.confirmation || at->second.confirmation->height <= height) {
                ++at;
                continue;
            }
            for (auto& [id, child] : txs) {
                for (const auto& input : child.payment.tx.inputs) {
                    if (input.prevout.txid == at->first && !child.confirmation) {
                        child.lost.insert(at->first);
                    }
                }
            }
            at = txs.erase(at);
        }
    }
    void show(Tx& tx) {
        if (!is_abandoned(tx)) return;
        tx.abandoned = false;
        for (const auto& input : tx.payment.tx.inputs) {
            const auto parent = txs.find(input.prevout.txid);
            if (parent != txs.end()) show(parent->second);
        }
    }
};

class LedgerModel : public ::testing::TestWithParam<std::uint32_t> {
  protected:
    std::uint32_t pick(std::uint32_t n) { return std::uniform_int_distribution(0u, n - 1)(random); }

    Payment any_known() {
        auto at = made.begin();
        std::advance(at, pick(static_cast<std::uint32_t>(made.size())));
        return *at;
    }
    Payment make_random() {
        if (pick(8) == 0) {
            return make_coinbase(static_cast<std::int32_t>(++salt), our_script(pick(4)),
                                 50 + pick(9));
        }
        std::vector<chain::OutPoint> inputs;
        for (auto count = 1 + pick(3); count != 0; --count) {
            chain::OutPoint coin = foreign_coin(pick(12));
            if (!made.empty() && pick(4) != 0) {
                const auto parent = any_known();
                coin = parent.out(pick(static_cast<std::uint32_t>(parent.tx.outputs.size())));
            }
            if (std::ranges::find(inputs, coin) == inputs.end()) inputs.push_back(coin);
        }
        std::vector<std::pair<Bytes, Amount>> outputs;
        for (auto count = 1 + pick(3); count != 0; --count) {
            outputs.emplace_back(pick(3) != 0 ? our_script(pick(4)) : foreign_script(pick(4)),
                                 1 + pick(1000));
        }
        return make_payment(inputs, outputs, ++salt);
    }

    void do_confirm(const Payment& payment) {
        // As in a valid chain: parents first, each coin once.
        if (!payment.tx.is_coinbase()) {
            const Model::Tx probe{payment, {}, false, 0, {}};
            for (const auto* rival : model.rivals(probe)) {
                if (rival->confirmation && rival->payment.txid != payment.txid) return;
            }
            for (const auto* parent : model.parents(probe)) {
                if (!parent->confirmation) return;
            }
            const auto known = model.txs.find(payment.txid);
            if (known != model.txs.end() && !known->second.lost.empty()) return;
        }
        const auto known = model.txs.find(payment.txid);
        if (known != model.txs.end() && known->second.confirmation) return;
        tip += static_cast<std::int32_t>(pick(30));
        const auto at = in_block(tip, branch, payment.tx.is_coinbase() ? 0 : 1 + pick(9));
        const auto delta = checked(ledger->confirm(payment.tx, payment.txid, at, now));
        EXPECT_EQ(delta.ours, known != model.txs.end() || model.relevant(payment));
        if (!delta.ours) return;
        auto& tx = model.txs[payment.txid];
        if (tx.payment.tx.inputs.empty()) tx = {payment, {}, false, now, {}};
        tx.confirmation = at;
        tx.abandoned = false;
        tx.lost.clear();
        for (auto& [id, other] : model.txs)
            other.lost.erase(payment.txid);
    }
    void do_record(const Payment& payment) {
        const auto delta = checked(ledger->record(payment.tx, payment.txid, now));
        const auto known = model.txs.find(payment.txid);
        if (known != model.txs.end()) {
            model.show(known->second);
        } else if (!payment.tx.is_coinbase() && model.relevant(payment)) {
            Model::Tx tx{payment, {}, false, now, {}};
            for (const auto* rival : model.rivals(tx)) { // what comes later counts as later
                if (!rival->confirmation) {
                    tx.first_seen = std::max(tx.first_seen, rival->first_seen + 1);
                }
            }
            model.txs[payment.txid] = tx;
        }
        EXPECT_EQ(delta.ours, model.txs.contains(payment.txid));
    }
    void do_abandon(const Payment& payment) {
        const auto known = model.txs.find(payment.txid);
        auto done = ledger->abandon(payment.txid);
        ASSERT_EQ(done.has_value(), known != model.txs.end() && !known->second.confirmation);
        if (!done) return;
        checked(*done);
        known->second.abandoned = true;
    }
    void do_undo() {
        tip = std::max(0, tip - static_cast<std::int32_t>(pick(80)));
        branch = branch == 'a' ? 'b' : 'a';
        checked(ledger->undo_above(tip));
        model.undo_above(tip);
    }
    void do_restart() {
        auto fresh = std::make_unique<Ledger>(book);
        fresh->load(ledger->all());
        ledger = std::move(fresh);
    }

    LedgerDelta checked(LedgerDelta delta) {
        for (const auto& coin : delta.coins_removed)
            EXPECT_EQ(mirror.erase(coin), 1u);
        for (const auto& coin : delta.coins_added)
            EXPECT_TRUE(mirror.insert(coin).second);
        std::set<std::pair<chain::Hash256, LedgerDelta::Event::Kind>> once;
        for (const auto& event : delta.events) {
            EXPECT_TRUE(once.emplace(event.txid, event.kind).second);
        }
        return delta;
    }
    void step() {
        now += pick(2); // ties in first_seen happen
        const auto what = pick(20);
        if (what < 8 || made.empty()) {
            made.push_back(make_random());
            if (pick(2) != 0) do_record(made.back());
        } else if (what < 14) {
            do_confirm(any_known());
        } else if (what < 16) {
            do_record(any_known());
        } else if (what < 18) {
            do_abandon(any_known());
        } else if (what < 19) {
            do_undo();
        } else {
            do_restart();
        }
    }
    void compare() {
        ASSERT_EQ(ledger->size(), model.txs.size());
        for (const auto& [txid, tx] : model.txs) {
            ASSERT_EQ(ledger->status(txid), model.status(tx)) << txid.to_string();
        }
        ASSERT_EQ(ledger->watched_coins(), model.watched());
        ASSERT_EQ(mirror, ledger->watched_coins());
        for (const auto at : {tip, tip + 50, tip + 101}) {
            ASSERT_EQ(ledger->balance(at), model.balance(at));
        }
        ASSERT_EQ(ledger->history(now).size(), model.txs.size());
    }

    std::mt19937 random{GetParam()};
    ScriptBook book{regtest()};
    std::unique_ptr<Ledger> ledger = std::make_unique<Ledger>(book);
    Model model;
    std::vector<Payment> made;
    std::set<chain::OutPoint> mirror;
    std::int64_t now = 1'700'000'000;
    std::int32_t tip = 1;
    char branch = 'a';
    std::uint32_t salt = 0;
};

TEST_P(LedgerModel, AgreesAtEveryStep) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    for (std::uint32_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(book.add(raw_descriptor(our_script(i)), 20, {}, false));
    }
    for (int i = 0; i < 100; ++i) {
        step();
        compare();
        if (HasFatalFailure() || HasNonfatalFailure()) {
            FAIL() << "seed " << GetParam() << ", step " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LedgerModel, ::testing::Range(1u, 41u));

} // namespace
} // namespace headlight::wallet
