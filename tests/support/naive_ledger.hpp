// The ledger's rules in their plain wording, every answer computed from scratch: what the real one
// is held against.
#pragma once

#include "tests/support/ledger_parts.hpp"

#include <algorithm>

namespace headlight::wallet {

/// The plain wording of the rules, computed from scratch each time.
class NaiveLedger {
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

} // namespace headlight::wallet
