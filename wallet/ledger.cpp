// What happens to the ledger: transactions come, confirm, are undone and abandoned. Each call notes
// what it touches, judges that anew, and tells the difference.
#include "wallet/ledger.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

std::size_t script_hash(ByteView script) {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(script.data()), script.size()});
}

/// What no block can hold must not reach sums and indexes, whoever sent it.
bool could_be_mined(const chain::Transaction& tx) {
    if (!chain::amounts_in_range(tx)) return false;
    if (tx.is_coinbase()) return true;
    std::vector<chain::OutPoint> spent;
    spent.reserve(tx.inputs.size());
    for (const auto& input : tx.inputs) {
        if (input.prevout.is_null()) return false;
        spent.push_back(input.prevout);
    }
    std::ranges::sort(spent);
    return std::ranges::adjacent_find(spent) == spent.end();
}

/// Filtered blocks carry no witness; keep whichever has one. Returns whether `known` changed.
bool take_witness(chain::Transaction& known, const chain::Transaction& shown) {
    if (known.has_witness() || !shown.has_witness()) return false;
    known = shown;
    return true;
}

template <class T>
void cancel_out(std::vector<T>& earlier, std::vector<T>& later) {
    if (earlier.empty() || later.empty()) return;
    std::set<T> both;
    const std::set<T> known(earlier.begin(), earlier.end());
    std::ranges::copy_if(later, std::inserter(both, both.end()),
                         [&](const T& value) { return known.contains(value); });
    const auto is_both = [&](const T& value) { return both.contains(value); };
    std::erase_if(earlier, is_both);
    std::erase_if(later, is_both);
}

} // namespace

void LedgerDelta::append(LedgerDelta other) {
    cancel_out(coins_added, other.coins_removed);
    cancel_out(coins_removed, other.coins_added);
    const auto move_to = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
    };
    move_to(coins_added, other.coins_added);
    move_to(coins_removed, other.coins_removed);
    move_to(events, other.events);
    ours = ours || other.ours;
}

// Coming in

void Ledger::load(std::vector<StoredTx> transactions) {
    Change change;
    scripts_known_ = scripts_->size();
    for (auto& stored : transactions)
        insert(std::move(stored), false, change);
    finish(change);
    dirty_.clear();
    erased_.clear();
}

LedgerDelta Ledger::reindex() {
    Change change;
    adopt_new_scripts(change);
    return finish(change);
}

bool Ledger::relevant(const chain::Transaction& tx) const {
    return relevant(tx, [](const ScriptRef&) { return true; });
}

bool Ledger::relevant(const chain::Transaction& tx, const ScriptTest& counts) const {
    const auto pays_us = [&](const chain::TxOut& output) {
        return std::ranges::any_of(scripts_->find(output.script_pubkey), counts);
    };
    const auto spends_ours = [&](const chain::TxIn& input) {
        return is_ours(input.prevout) && pays_us(output(input.prevout));
    };
    return (std::ranges::any_of(tx.inputs, spends_ours) ||
            std::ranges::any_of(tx.outputs, pays_us)) &&
           could_be_mined(tx);
}

LedgerDelta Ledger::confirm(const chain::Transaction& tx, const chain::Hash256& txid,
                            const Confirmation& confirmation, std::int64_t now) {
    const auto found = transactions_.find(txid);
    if (found == transactions_.end() && !relevant(tx)) return {};
    Change change;
    if (found == transactions_.end()) {
        insert({tx, txid, confirmation, false, now, now, {}}, true, change);
    } else {
        auto& entry = found->second;
        if (take_witness(entry.stored.tx, tx)) dirty_.insert(txid);
        set_confirmation(entry, confirmation, change);
    }
    if (tx.is_coinbase()) restore_children_of_coinbase(txid, change);
    auto delta = finish(change);
    delta.ours = true;
    return delta;
}

LedgerDelta Ledger::record(const chain::Transaction& tx, const chain::Hash256& txid,
                           std::int64_t now) {
    const auto found = transactions_.find(txid);
    Change change;
    if (found == transactions_.end()) {
        if (!admits(tx)) return {};
        insert({tx, txid, std::nullopt, false, after_rivals(tx, now), now, {}}, true, change);
    } else {
        auto& entry = found->second;
        if (take_witness(entry.stored.tx, tx)) dirty_.insert(txid);
        if (!entry.stored.confirmation && entry.stored.last_seen < now) {
            entry.stored.last_seen = now;
            dirty_.insert(txid);
        }
        end_abandonment(entry, change);
    }
    auto delta = finish(change);
    delta.ours = true;
    return delta;
}

/// Seconds are coarse: what comes within the same one as a rival still came after it.
std::int64_t Ledger::after_rivals(const chain::Transaction& tx, std::int64_t now) const {
    for (const auto& input : tx.inputs) {
        for (auto at = spends_.lower_bound({input.prevout, {}});
             at != spends_.end() && at->first == input.prevout; ++at) {
            const auto& rival = transactions_.at(at->second).stored;
            if (!rival.confirmation) now = std::max(now, rival.first_seen + 1);
        }
    }
    return now;
}

bool Ledger::admits(const chain::Transaction& tx) const {
    if (tx.is_coinbase() || unconfirmed_.size() >= limits::max_pending_transactions) return false;
    if (!relevant(tx)) return false;
    if (chain::serialize(tx).size() > limits::max_pending_bytes) return false;
    return std::ranges::all_of(tx.inputs, [&](const chain::TxIn& input) {
        std::size_t count = 0;
        for (auto at = spends_.lower_bound({input.prevout, {}});
             at != spends_.end() && at->first == input.prevout; ++at) {
            if (++count >= limits::max_spends_of_coin) return false;
        }
        return true;
    });
}

Ledger::Entry& Ledger::insert(StoredTx stored, bool mark_used, Change& change) {
    const auto txid = stored.txid;
    change.before.try_emplace(txid, std::nullopt);
    change.touched.push_back(txid);
    auto& entry = transactions_[txid];
    entry.stored = std::move(stored);
    if (const auto& confirmation = entry.stored.confirmation) {
        confirmed_.emplace(confirmation->height, confirmation->position, txid);
    } else {
        unconfirmed_.insert(txid);
    }
    if (!entry.stored.tx.is_coinbase()) {
        for (const auto& input : entry.stored.tx.inputs)
            spends_.emplace(input.prevout, txid);
    }
    dirty_.insert(txid);
    erased_.erase(txid);
    enqueue(txid, change);
    enqueue_neighbours(entry, change);
    index_outputs(entry, mark_used, change);
    affect_coins(entry, change);
    return entry;
}

void Ledger::index_outputs(Entry& entry, bool mark_used, Change& change) {
    const auto& outputs = entry.stored.tx.outputs;
    for (std::uint32_t index = 0; index < outputs.size(); ++index) {
        const auto& script = outputs[index].script_pubkey;
        if (scripts_->find(script).empty()) {
            foreign_.emplace(script_hash(script), chain::OutPoint{entry.stored.txid, index});
        } else {
            entry.ours.push_back(index);
        }
    }
    if (!mark_used) return;
    for (const auto index : std::vector<std::uint32_t>(entry.ours)) {
        scripts_->mark_used(outputs[index].script_pubkey);
    }
    // What was derived just now may be paid by this very transaction (a gap jumped inside it).
    adopt_new_scripts(change);
}

void Ledger::adopt_new_scripts(Change& change) {
    while (scripts_known_ < scripts_->size())
        adopt(scripts_known_++, change);
}

void Ledger::adopt(std::size_t script_position, Change& change) {
    const auto script = scripts_->at(script_position).script_pubkey;
    bool paid = false;
    auto [at, end] = foreign_.equal_range(script_hash(script));
    while (at != end) {
        const auto outpoint = at->second;
        if (!std::ranges::equal(output(outpoint).script_pubkey, script)) {
            ++at;
            continue;
        }
        auto& entry = transactions_.at(outpoint.txid);
        entry.ours.insert(std::ranges::lower_bound(entry.ours, outpoint.index), outpoint.index);
        change.coins.insert(outpoint);
        at = foreign_.erase(at);
        paid = true;
    }
    // Also when an output was ours before, through another descriptor with the same script.
    if (paid) scripts_->mark_used(script);
}

// Changing

void Ledger::set_confirmation(Entry& entry, std::optional<Confirmation> confirmation,
                              Change& change) {
    auto& stored = entry.stored;
    if (stored.confirmation == confirmation) return;
    touch(entry, change);
    if (stored.confirmation) {
        confirmed_.erase({stored.confirmation->height, stored.confirmation->position, stored.txid});
    }
    stored.confirmation = std::move(confirmation);
    if (stored.confirmation) {
        confirmed_.emplace(stored.confirmation->height, stored.confirmation->position, stored.txid);
        unconfirmed_.erase(stored.txid);
        stored.abandoned = false;
        stored.lost_parents.clear();
    } else {
        unconfirmed_.insert(stored.txid);
    }
    dirty_.insert(stored.txid);
    enqueue(stored.txid, change);
    enqueue_neighbours(entry, change);
    affect_coins(entry, change);
}

LedgerDelta Ledger::undo_above(std::int32_t height) {
    std::vector<chain::Hash256> lost;
    for (auto at = confirmed_.rbegin(); at != confirmed_.rend(); ++at) {
        if (std::get<0>(*at) <= height) break;
        lost.push_back(std::get<2>(*at));
    }
    return undo(lost);
}

LedgerDelta Ledger::undo_unless(const std::function<bool(const Confirmation&)>& keep) {
    std::vector<chain::Hash256> lost;
    for (auto at = confirmed_.rbegin(); at != confirmed_.rend(); ++at) {
        const auto& txid = std::get<2>(*at);
        if (!keep(*transactions_.at(txid).stored.confirmation)) lost.push_back(txid);
    }
    return undo(lost);
}

LedgerDelta Ledger::undo(const std::vector<chain::Hash256>& txids) {
    Change change;
    // Coinbases last: what spends one is told apart from what is confirmed elsewhere.
    std::vector<chain::Hash256> coinbases;
    for (const auto& txid : txids) {
        auto& entry = transactions_.at(txid);
        if (entry.stored.tx.is_coinbase()) {
            coinbases.push_back(txid);
        } else {
            set_confirmation(entry, std::nullopt, change);
        }
    }
    for (const auto& txid : coinbases)
        erase_coinbase(txid, change);
    return finish(change);
}

void Ledger::erase_coinbase(const chain::Hash256& txid, Change& change) {
    auto& entry = transactions_.at(txid);
    touch(entry, change);
    affect_coins(entry, change);
    for_children(txid, [&](const chain::Hash256& child_id, Entry& child) {
        auto& lost = child.stored.lost_parents;
        if (child.stored.confirmation || std::ranges::count(lost, txid) != 0) return;
        touch(child, change);
        lost.push_back(txid);
        dirty_.insert(child_id);
        enqueue(child_id, change);
    });
    const auto& outputs = entry.stored.tx.outputs;
    for (std::uint32_t index = 0; index < outputs.size(); ++index) {
        auto [at, end] = foreign_.equal_range(script_hash(outputs[index].script_pubkey));
        at = std::find_if(at, end, [&](const auto& foreign) {
            return foreign.second == chain::OutPoint{txid, index};
        });
        if (at != end) foreign_.erase(at);
    }
    confirmed_.erase(
        {entry.stored.confirmation->height, entry.stored.confirmation->position, txid});
    transactions_.erase(txid);
    dirty_.erase(txid);
    erased_.insert(txid);
}

void Ledger::restore_children_of_coinbase(const chain::Hash256& txid, Change& change) {
    for_children(txid, [&](const chain::Hash256& child_id, Entry& child) {
        if (std::erase(child.stored.lost_parents, txid) == 0) return;
        touch(child, change);
        dirty_.insert(child_id);
        enqueue(child_id, change);
    });
}

Error no_such_transaction(const chain::Hash256& txid) {
    return {errc::not_found, "the wallet has no transaction " + txid.to_string(),
            "it is not the wallet's, or it is not scanned yet",
            "Look at `headlight history`, or run `headlight sync`"};
}

result<LedgerDelta> Ledger::abandon(const chain::Hash256& txid) {
    const auto found = transactions_.find(txid);
    if (found == transactions_.end()) return no_such_transaction(txid);
    auto& entry = found->second;
    if (const auto& confirmation = entry.stored.confirmation) {
        return Error{errc::bad_argument, "transaction " + txid.to_string() + " cannot be abandoned",
                     "it is confirmed at height " + std::to_string(confirmation->height),
                     "Leave it: only what is unconfirmed can be given up"};
    }
    Change change;
    if (!entry.stored.abandoned) {
        touch(entry, change);
        entry.stored.abandoned = true; // its descendants follow from that
        dirty_.insert(txid);
        enqueue(txid, change);
    }
    auto delta = finish(change);
    delta.ours = true;
    return delta;
}

void Ledger::end_abandonment(Entry& entry, Change& change) {
    std::vector<Entry*> open{&entry};
    std::set<chain::Hash256> visited;
    while (!open.empty()) {
        auto& at = *open.back();
        open.pop_back();
        if (at.status != TxStatus::abandoned || !visited.insert(at.stored.txid).second) continue;
        if (at.stored.abandoned) {
            touch(at, change);
            at.stored.abandoned = false;
            dirty_.insert(at.stored.txid);
            enqueue(at.stored.txid, change);
        }
        for (const auto& input : at.stored.tx.inputs) {
            const auto parent = transactions_.find(input.prevout.txid);
            if (parent != transactions_.end()) open.push_back(&parent->second);
        }
    }
}

std::vector<StoredTx> Ledger::take_dirty() {
    std::vector<StoredTx> changed;
    changed.reserve(dirty_.size());
    for (const auto& txid : dirty_)
        changed.push_back(transactions_.at(txid).stored);
    dirty_.clear();
    return changed;
}

std::vector<chain::Hash256> Ledger::take_erased() {
    std::vector<chain::Hash256> gone(erased_.begin(), erased_.end());
    erased_.clear();
    return gone;
}

} // namespace headlight::wallet
