// What follows from the ledger's transactions: coins, balances, history.
#include "wallet/ledger.hpp"

#include <algorithm>

namespace headlight::wallet {

bool Ledger::is_ours(const chain::OutPoint& outpoint) const {
    const auto found = transactions_.find(outpoint.txid);
    return found != transactions_.end() &&
           std::ranges::binary_search(found->second.ours, outpoint.index);
}

const chain::TxOut& Ledger::output(const chain::OutPoint& outpoint) const {
    return transactions_.at(outpoint.txid).stored.tx.outputs.at(outpoint.index);
}

bool Ledger::spent_by_confirmed(const chain::OutPoint& outpoint) const {
    for (auto at = spends_.lower_bound({outpoint, {}});
         at != spends_.end() && at->first == outpoint; ++at) {
        if (transactions_.at(at->second).stored.confirmation) return true;
    }
    return false;
}

const StoredTx* Ledger::pending_spender(const chain::OutPoint& outpoint) const {
    for (auto at = spends_.lower_bound({outpoint, {}});
         at != spends_.end() && at->first == outpoint; ++at) {
        const auto& entry = transactions_.at(at->second);
        if (entry.status == TxStatus::pending) return &entry.stored;
    }
    return nullptr;
}

bool Ledger::to_be_watched(const chain::OutPoint& outpoint) const {
    if (!is_ours(outpoint)) return false;
    const auto status = transactions_.at(outpoint.txid).status;
    return (status == TxStatus::confirmed || status == TxStatus::pending) &&
           !spent_by_confirmed(outpoint);
}

const StoredTx* Ledger::find(const chain::Hash256& txid) const {
    const auto found = transactions_.find(txid);
    return found == transactions_.end() ? nullptr : &found->second.stored;
}

std::vector<StoredTx> Ledger::all() const {
    std::vector<StoredTx> list;
    list.reserve(transactions_.size());
    for (const auto& [txid, entry] : transactions_)
        list.push_back(entry.stored);
    return list;
}

TxStatus Ledger::status(const chain::Hash256& txid) const { return transactions_.at(txid).status; }

std::vector<const StoredTx*> Ledger::pending() const {
    std::vector<const StoredTx*> list;
    for (const auto& txid : unconfirmed_) {
        const auto& entry = transactions_.at(txid);
        if (entry.status == TxStatus::pending) list.push_back(&entry.stored);
    }
    std::ranges::stable_sort(list, {}, &StoredTx::first_seen); // by txid already
    return list;
}

Balance Ledger::balance(std::int32_t tip) const {
    Balance balance;
    for (const auto& outpoint : watched_) {
        if (pending_spender(outpoint)) continue;
        const auto& stored = transactions_.at(outpoint.txid).stored;
        const auto amount = stored.tx.outputs[outpoint.index].amount;
        if (!stored.confirmation) {
            balance.unconfirmed += amount;
        } else if (stored.tx.is_coinbase() &&
                   tip - stored.confirmation->height + 1 < coinbase_confirmations) {
            balance.immature += amount;
        } else {
            balance.confirmed += amount;
        }
    }
    return balance;
}

std::vector<Coin> Ledger::coins() const {
    std::vector<Coin> coins;
    coins.reserve(watched_.size());
    for (const auto& outpoint : watched_) {
        const auto& stored = transactions_.at(outpoint.txid).stored;
        Coin coin{outpoint, stored.tx.outputs[outpoint.index], -1, stored.tx.is_coinbase(), {}};
        if (stored.confirmation) coin.height = stored.confirmation->height;
        if (const auto* spender = pending_spender(outpoint)) coin.spent_by = spender->txid;
        coins.push_back(std::move(coin));
    }
    std::ranges::stable_sort(coins, {}, [](const Coin& coin) { // by outpoint already
        return std::pair(coin.height < 0, coin.height);
    });
    return coins;
}

std::vector<HistoryEntry> Ledger::history(std::int64_t now) const {
    std::vector<HistoryEntry> entries;
    entries.reserve(transactions_.size());
    for (const auto& [height, position, txid] : confirmed_) {
        entries.push_back(history_entry(transactions_.at(txid), now));
    }
    const auto first_pending = static_cast<std::ptrdiff_t>(entries.size());
    for (const auto& txid : unconfirmed_) {
        entries.push_back(history_entry(transactions_.at(txid), now));
    }
    std::stable_sort(entries.begin() + first_pending, entries.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    return entries;
}

HistoryEntry Ledger::history_entry(const Entry& entry, std::int64_t now) const {
    const auto& stored = entry.stored;
    HistoryEntry line;
    line.txid = stored.txid;
    line.time = stored.first_seen;
    line.status = entry.status;
    line.stale =
        entry.status == TxStatus::pending && now - stored.last_seen > limits::stale_pending_seconds;
    if (const auto& confirmation = stored.confirmation) {
        line.height = confirmation->height;
        line.block = confirmation->block;
        line.time = confirmation->time;
    }
    for (const auto index : entry.ours)
        line.amount += stored.tx.outputs[index].amount;
    if (stored.tx.is_coinbase()) return line;

    bool all_ours = true;
    Amount fee = 0;
    for (const auto& input : stored.tx.inputs) {
        if (is_ours(input.prevout)) {
            const auto amount = output(input.prevout).amount;
            line.amount -= amount;
            fee += amount;
        } else {
            all_ours = false;
        }
        for (auto at = spends_.lower_bound({input.prevout, {}});
             at != spends_.end() && at->first == input.prevout; ++at) {
            if (at->second != stored.txid) line.conflicts.insert(at->second);
        }
    }
    for (const auto& out : stored.tx.outputs)
        fee -= out.amount;
    if (all_ours && fee >= 0) line.fee = fee; // what spends more than it has is no transaction
    return line;
}

} // namespace headlight::wallet
