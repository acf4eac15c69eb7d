// One wallet in memory: what is loaded, what is scanned, what changed.
#include "wallet/wallet.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace headlight::wallet {

Wallet::Wallet(const chain::Network& network, DeriveScript derive)
    : network_(&network), scripts_(network, std::move(derive)), ledger_(scripts_) {}

std::unique_ptr<Wallet> Wallet::create(const chain::Network& network, std::uint32_t tweak,
                                       std::int64_t created, std::string fingerprint,
                                       DeriveScript derive) {
    std::unique_ptr<Wallet> wallet(new Wallet(network, std::move(derive)));
    wallet->fingerprint_ = std::move(fingerprint);
    wallet->created_ = created;
    wallet->filter_.tweak = tweak;
    return wallet;
}

result<std::unique_ptr<Wallet>> Wallet::load(WalletState state, const chain::Network& network,
                                             DeriveScript derive) {
    if (state.network != network.name) {
        return Error{errc::wrong_network, "the wallet belongs to another network",
                     "it is of " + state.network + ", not of " + std::string(network.name),
                     "Use --network " + state.network};
    }
    std::unique_ptr<Wallet> wallet(new Wallet(network, std::move(derive)));
    for (const auto& descriptor : state.descriptors) {
        const auto loaded = wallet->scripts_.load(descriptor);
        if (!loaded) return loaded.error();
    }
    wallet->restore(std::move(state));
    return wallet;
}

void Wallet::restore(WalletState rest) {
    ledger_.load(std::move(rest.transactions));
    fingerprint_ = std::move(rest.fingerprint);
    created_ = rest.created;
    labels_ = std::move(rest.labels);
    scan_ = rest.scan;
    trail_ = std::move(rest.scan_trail);
    rescan_ = rest.rescan;
    rescan_other_ = rest.rescan_other;
    filter_ = std::move(rest.filter);
    checked_to_ = rest.checked_to;
}

result<ScriptBook::Added> Wallet::add(const Descriptor& descriptor, std::uint32_t gap,
                                      Birthday birthday, bool generated) {
    const auto scripts_before = scripts_.size();
    auto added = scripts_.add(descriptor, gap, birthday, generated);
    if (!added) return added;
    // A larger gap promises scripts that were derived, but not in the filter of every scanned
    // block.
    if (added->wider || scripts_.size() != scripts_before) {
        request_rescan(added->is_new ? birthday : scripts_.state(added->id).birthday);
    }
    return added;
}

// How far it is scanned

void Wallet::set_scan(ScanPosition position) {
    if (position == scan_) return;
    dirty_.scan = true;
    if (position.height > scan_.height && scan_.height >= 0) trail_.insert(trail_.begin(), scan_);
    scan_ = position;
    if (checked_to_ > scan_.height) set_checked_to(scan_.height);
    std::erase_if(trail_, [&](const ScanPosition& at) { return at.height >= scan_.height; });
    thin_trail();
}

/// Keeps the latest ones, and beyond them the youngest and the oldest of every doubling of the
/// distance: the youngest grow into the next doubling, so that none runs dry as the scan moves on.
void Wallet::thin_trail() {
    const auto doubling = [&](const ScanPosition& at) {
        return std::bit_width(static_cast<std::uint32_t>(scan_.height - at.height));
    };
    std::vector<ScanPosition> kept;
    kept.reserve(trail_.size());
    for (std::size_t i = 0; i < trail_.size(); ++i) {
        const bool ends_doubling = i == 0 || i + 1 == trail_.size() ||
                                   doubling(trail_[i - 1]) != doubling(trail_[i]) ||
                                   doubling(trail_[i + 1]) != doubling(trail_[i]);
        if (i < limits::scan_trail_dense || ends_doubling) kept.push_back(trail_[i]);
    }
    trail_ = std::move(kept);
}

void Wallet::request_rescan(Birthday from) {
    auto* slot = &rescan_;
    if (rescan_ && rescan_->kind != from.kind) slot = &rescan_other_;
    if (*slot && (*slot)->value <= from.value) return;
    *slot = from;
    dirty_.rescan = true;
}

void Wallet::clear_rescan() {
    if (!rescan_) return;
    rescan_ = rescan_other_;
    rescan_other_.reset();
    dirty_.rescan = true;
}

void Wallet::request_rescan_from_birthdays() {
    for (const auto& birthday : scripts_.birthdays())
        request_rescan(birthday);
}

// Agreeing with the chain

std::optional<ScanPosition> Wallet::last_on_chain(const chain::HeaderTree& tree) const {
    const auto is_on = [&](const ScanPosition& at) {
        return at.height >= 0 && at.height <= tree.tip_height() &&
               tree.at(at.height).hash == at.hash;
    };
    if (is_on(scan_)) return scan_;
    const auto found = std::ranges::find_if(trail_, is_on);
    return found == trail_.end() ? std::nullopt : std::optional(*found);
}

LedgerDelta Wallet::reconcile(const chain::HeaderTree& tree) {
    if (scan_.height >= 0) {
        if (const auto shared = last_on_chain(tree)) {
            set_scan(*shared);
        } else {
            set_scan({});
            request_rescan_from_birthdays();
        }
    }
    return ledger_.undo_unless([&](const Confirmation& at) {
        return at.height <= tree.tip_height() && tree.at(at.height).hash == at.block;
    });
}

LedgerDelta Wallet::undo_above(std::int32_t fork, const chain::Hash256& fork_hash) {
    if (scan_.height > fork) set_scan({fork, fork_hash});
    return ledger_.undo_above(fork);
}

// Plain parts

void Wallet::set_filter(FilterParameters parameters) {
    if (parameters == filter_) return;
    filter_ = std::move(parameters);
    dirty_.filter = true;
}

void Wallet::set_checked_to(std::int32_t height) {
    if (height == checked_to_) return;
    checked_to_ = height;
    dirty_.checked_to = true;
}

void Wallet::set_label(const std::string& name, const std::string& text) {
    if (text.empty()) {
        if (labels_.erase(name) == 0) return;
    } else {
        labels_[name] = text;
    }
    dirty_.labels[name] = text;
}

WalletState Wallet::state() const {
    auto state = rest();
    const auto all = scripts_.descriptors();
    state.descriptors.reserve(all.size());
    std::ranges::copy(all, std::back_inserter(state.descriptors));
    return state;
}

WalletState Wallet::rest() const {
    WalletState state;
    state.network = std::string(network_->name);
    state.fingerprint = fingerprint_;
    state.created = created_;
    state.transactions = ledger_.all();
    state.labels = labels_;
    state.scan = scan_;
    state.scan_trail = trail_;
    state.rescan = rescan_;
    state.rescan_other = rescan_other_;
    state.filter = filter_;
    state.checked_to = checked_to_;
    return state;
}

WalletChanges Wallet::take_changes() {
    WalletChanges changes;
    for (const auto id : scripts_.take_dirty()) {
        changes.descriptors.push_back(scripts_.state(id));
    }
    changes.transactions = ledger_.take_dirty();
    changes.erased = ledger_.take_erased();
    changes.labels = std::move(dirty_.labels);
    if (dirty_.scan) {
        changes.scan = scan_;
        changes.scan_trail = trail_;
    }
    if (dirty_.rescan) {
        changes.rescan = rescan_;
        changes.rescan_other = rescan_other_;
    }
    if (dirty_.filter) changes.filter = filter_;
    if (dirty_.checked_to) changes.checked_to = checked_to_;
    dirty_ = {};
    return changes;
}

} // namespace headlight::wallet
