// Where transactions stand, judged anew for those that a change may have reached and no others, so
// that the cost does not grow with the wallet. It ends: whether one is dead follows from its
// parents and from confirmed ones alone, and whether it is replaced from its parents and from who
// is dead; and no transaction can be its own ancestor.
#include "wallet/ledger.hpp"

#include <algorithm>

namespace headlight::wallet {

std::string_view to_string(TxStatus status) {
    switch (status) {
    case TxStatus::confirmed:
        return "confirmed";
    case TxStatus::pending:
        return "pending";
    case TxStatus::conflicted:
        return "conflicted";
    case TxStatus::abandoned:
        return "abandoned";
    }
    return "unknown";
}

// Who is related to whom

void Ledger::for_spenders(const chain::OutPoint& outpoint, const TxVisitor& visit) {
    for (auto at = spends_.lower_bound({outpoint, {}});
         at != spends_.end() && at->first == outpoint; ++at) {
        visit(at->second, transactions_.at(at->second));
    }
}

void Ledger::for_children(const chain::Hash256& txid, const TxVisitor& visit) {
    for (auto at = spends_.lower_bound({{txid, 0}, {}});
         at != spends_.end() && at->first.txid == txid; ++at) {
        visit(at->second, transactions_.at(at->second));
    }
}

void Ledger::for_rivals(const Entry& entry, const TxVisitor& visit) {
    if (entry.stored.tx.is_coinbase()) return;
    for (const auto& input : entry.stored.tx.inputs) {
        for_spenders(input.prevout, [&](const chain::Hash256& txid, Entry& other) {
            if (txid != entry.stored.txid) visit(txid, other);
        });
    }
}

// Noting what a change reaches

void Ledger::touch(const Entry& entry, Change& change) {
    const auto& stored = entry.stored;
    Standing standing{entry.status, std::nullopt};
    if (stored.confirmation) standing.block = stored.confirmation->block;
    if (change.before.try_emplace(stored.txid, standing).second) {
        change.touched.push_back(stored.txid);
    }
}

void Ledger::enqueue(const chain::Hash256& txid, Change& change) {
    if (change.queued.insert(txid).second) change.queue.push_back(txid);
}

void Ledger::enqueue_neighbours(const Entry& entry, Change& change) {
    const auto add = [&](const chain::Hash256& txid, Entry&) { enqueue(txid, change); };
    for_rivals(entry, add);
    for_children(entry.stored.txid, add);
}

void Ledger::affect_coins(const Entry& entry, Change& change) {
    for (const auto index : entry.ours)
        change.coins.insert({entry.stored.txid, index});
    if (entry.stored.tx.is_coinbase()) return;
    for (const auto& input : entry.stored.tx.inputs)
        change.coins.insert(input.prevout);
}

// Judging

std::pair<TxStatus, bool> Ledger::judge(const Entry& entry) {
    const auto& stored = entry.stored;
    if (stored.confirmation) return {TxStatus::confirmed, false};
    if (stored.abandoned) return {TxStatus::abandoned, true};

    bool conflict = !stored.lost_parents.empty(); // for good, as things stand
    bool parent_abandoned = false;
    bool replaced = false;
    for (const auto& input : stored.tx.inputs) {
        const auto found = transactions_.find(input.prevout.txid);
        if (found == transactions_.end()) continue;
        const auto& parent = found->second;
        conflict |= parent.dead && parent.status == TxStatus::conflicted;
        parent_abandoned |= parent.status == TxStatus::abandoned;
        replaced |= parent.status == TxStatus::conflicted;
    }
    for_rivals(entry, [&](const chain::Hash256& txid, const Entry& rival) {
        if (rival.stored.confirmation) {
            conflict = true;
        } else if (!rival.dead) {
            replaced |= std::pair(rival.stored.first_seen, txid) >
                        std::pair(stored.first_seen, stored.txid);
        }
    });
    if (conflict) return {TxStatus::conflicted, true};
    if (parent_abandoned) return {TxStatus::abandoned, true};
    return {replaced ? TxStatus::conflicted : TxStatus::pending, false};
}

void Ledger::settle(Change& change) {
    while (!change.queue.empty()) {
        const auto txid = change.queue.front();
        change.queue.pop_front();
        change.queued.erase(txid);
        const auto found = transactions_.find(txid);
        if (found == transactions_.end()) continue; // erased since
        auto& entry = found->second;
        const auto [status, dead] = judge(entry);
        if (status == entry.status && dead == entry.dead) continue;
        touch(entry, change);
        entry.status = status;
        entry.dead = dead;
        affect_coins(entry, change);
        enqueue_neighbours(entry, change);
    }
}

// Telling

LedgerDelta Ledger::finish(Change& change) {
    settle(change);
    LedgerDelta delta;
    tell_coins(change, delta);
    tell_events(change, delta);
    return delta;
}

void Ledger::tell_coins(const Change& change, LedgerDelta& delta) {
    for (const auto& outpoint : change.coins) {
        if (to_be_watched(outpoint)) {
            if (watched_.insert(outpoint).second) delta.coins_added.push_back(outpoint);
        } else if (watched_.erase(outpoint) != 0) {
            delta.coins_removed.push_back(outpoint);
        }
    }
}

void Ledger::tell_events(const Change& change, LedgerDelta& delta) const {
    using Kind = LedgerDelta::Event::Kind;
    const auto tell = [&](const chain::Hash256& txid, Kind kind) {
        delta.events.push_back({txid, kind});
    };
    for (const auto& txid : change.touched) {
        const auto& before = change.before.at(txid);
        const auto found = transactions_.find(txid);
        if (found == transactions_.end()) {
            if (before) tell(txid, Kind::dropped);
            continue;
        }
        const auto& entry = found->second;
        Standing after{entry.status, std::nullopt};
        if (entry.stored.confirmation) after.block = entry.stored.confirmation->block;
        if (before == after) continue;
        const bool is_new = !before;
        switch (entry.status) {
        case TxStatus::confirmed:
            tell(txid, Kind::confirmed);
            break;
        case TxStatus::pending:
            tell(txid, is_new ? Kind::seen : Kind::unconfirmed);
            break;
        case TxStatus::conflicted:
            if (is_new) tell(txid, Kind::seen);
            tell(txid, Kind::conflicted);
            break;
        case TxStatus::abandoned:
            if (is_new) tell(txid, Kind::seen);
            tell(txid, Kind::abandoned);
            break;
        }
    }
}

} // namespace headlight::wallet
