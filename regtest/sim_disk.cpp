#include "regtest/sim_disk.hpp"

#include <algorithm>

namespace headlight::regtest {
namespace {

template <class T>
void assign(T& target, const std::optional<T>& change) {
    if (change) target = *change;
}

void upsert(std::vector<wallet::DescriptorState>& states, const wallet::DescriptorState& state) {
    if (state.id >= states.size()) states.resize(state.id + 1);
    states[state.id] = state;
}

void erase(std::vector<wallet::StoredTx>& transactions, const chain::Hash256& txid) {
    std::erase_if(transactions, [&](const auto& stored) { return stored.txid == txid; });
}

} // namespace

void SimDisk::apply(const sync::action::Persist& persist) {
    if (!persist.headers.empty()) headers.apply(persist.headers);
    const auto& changes = persist.changes;
    for (const auto& state : changes.descriptors)
        upsert(wallet.descriptors, state);
    for (const auto& txid : changes.erased)
        erase(wallet.transactions, txid);
    for (const auto& stored : changes.transactions) {
        erase(wallet.transactions, stored.txid);
        wallet.transactions.push_back(stored);
    }
    for (const auto& [name, label] : changes.labels) {
        if (label.empty()) {
            wallet.labels.erase(name);
        } else {
            wallet.labels[name] = label;
        }
    }
    assign(wallet.scan, changes.scan);
    assign(wallet.scan_trail, changes.scan_trail);
    assign(wallet.rescan, changes.rescan);
    assign(wallet.rescan_other, changes.rescan_other);
    assign(wallet.filter, changes.filter);
    assign(wallet.checked_to, changes.checked_to);
}

void SimDisk::keep(const sync::Ban& ban) {
    std::erase_if(bans, [&](const sync::Ban& old) { return old.endpoint == ban.endpoint; });
    bans.push_back(ban);
}

} // namespace headlight::regtest
