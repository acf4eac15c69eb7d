// Between runs, and the end of a wallet's life: a calm run, held against the slow truth.
#include "regtest/oracle.hpp"
#include "regtest/script_memory.hpp"
#include "tests/sim/swarm/life.hpp"

#include <algorithm>

namespace headlight::tests {

using regtest::Dice;
using wallet::TxStatus;

namespace {

/// A false peer may cost every time-out there is before it is given up.
constexpr std::int64_t calm_limit_ms = 60'000;
constexpr std::int64_t calm_limit_for_each_ms = 120'000;

} // namespace

std::unique_ptr<wallet::Wallet> Life::stored() const {
    return std::move(
        wallet::Wallet::load(world_->disk().wallet, chain_.network(), regtest::remembered_scripts())
            .value());
}

// Between runs

/// What a person does by hand: watches something new, widens the gap, asks for a rescan.
void Life::change_wallet(std::uint64_t number) {
    Dice dice(seed_, "change", number);
    const auto kind = dice.below(6);
    const auto& items = keyring_->items();
    const bool adds = kind <= 2 && watched_items_ < items.size();
    if (!knobs_.changes || (!adds && kind != 3 && kind != 4)) return;
    auto wallet = stored();
    if (adds) {
        const auto first = watched_items_;
        const auto end = dice.one_in(2) ? items.size() : first + 1;
        for (; watched_items_ < end; ++watched_items_) {
            const auto added = wallet->add(items[watched_items_].descriptor, payer_->gap(),
                                           birthday_of(watched_items_), false);
            if (!added) complain("not watched: " + to_string(added.error()));
        }
    } else if (kind == 3) {
        payer_->set_gap(payer_->gap() + static_cast<std::uint32_t>(dice.between(1, 30)));
        for (std::size_t i = 0; i < watched_items_; ++i) {
            if (!wallet->add(items[i].descriptor, payer_->gap(), birthday_of(i), false))
                complain("its gap does not grow");
        }
    } else {
        wallet->request_rescan({wallet::Birthday::Kind::height, dice.between(0, 30)});
    }
    wallet->ledger().reindex();
    world_->disk().wallet = wallet->state();
}

/// The storms pass; all is watched; every node is where it will be.
void Life::clear_up() {
    world_->run_for(std::max<std::int64_t>(busy_until_ms_ - world_->now_ms(), 0));
    // Some of it planned more.
    world_->run_for(std::max<std::int64_t>(busy_until_ms_ - world_->now_ms(), 0) + 1'000);
    for (const auto& [node, role] : neighbours_) {
        world_->set_dark(*node, false);
        world_->set_deaf(*node, false);
        world_->set_reachable(*node, true);
        world_->cut_after(*node, std::numeric_limits<std::uint64_t>::max());
    }
    if (watched_items_ == keyring_->items().size()) return;
    auto wallet = stored();
    for (; watched_items_ < keyring_->items().size(); ++watched_items_) {
        if (!wallet->add(keyring_->items()[watched_items_].descriptor, payer_->gap(),
                         birthday_of(watched_items_), false))
            complain("not watched");
    }
    wallet->ledger().reindex();
    world_->disk().wallet = wallet->state();
}

// The end

/// With everybody, false peers too.
void Life::calm_run() {
    Dice dice(seed_, "calm");
    auto settings = config(dice);
    if (lies_) {
        // Whoever is left alone beside the banned ones is not checked, and checks nobody.
        settings.cross_check = 1.0;
        settings.bans.clear();
    }
    const auto begun = world_->now_ms();
    calm_run(settings, calm_limit_ms +
                           calm_limit_for_each_ms * static_cast<std::int64_t>(neighbours_.size()));
    tally_.longest_calm_ms = world_->now_ms() - begun;
}

/// Once more with the honest peer alone: all that is pending there shows, and nothing else changes.
/// What shows may need a filter of its own for what follows from it, so there are several rounds.
void Life::last_look() {
    const auto wait_ms = 10 * honest_->config().trickle_ms;
    calm_run({.peers = {world_->endpoint(*honest_)}, .mempool_wait_ms = wait_ms},
             calm_limit_ms + wait_ms);
    if (!complaints_.empty()) return;
    const auto wallet = stored();
    for (const auto& tx : honest_->mempool_transactions()) {
        if (wallet->ledger().relevant(tx) && !wallet->ledger().find(chain::txid(tx)))
            complain("pending and not seen: " + chain::txid(tx).to_string());
    }
}

void Life::calm_run(const sync::Config& settings, std::int64_t limit_ms) {
    watch_->new_run();
    world_->start(settings);
    if (!world_->run(limit_ms)) return complain("the calm run does not end");
    watch_->ended();
    count_run();
    if (const auto& error = world_->outcome()->error)
        return complain("the calm run fails: " + to_string(*error));
    auto in_memory = world_->wallet().state();
    auto on_disk = world_->disk().wallet;
    for (auto* state : {&in_memory, &on_disk})
        std::ranges::sort(state->transactions, {}, &wallet::StoredTx::txid);
    if (in_memory != on_disk) complain("what is in memory is not what is stored");
}

void Life::check_end() {
    const auto& headers = world_->disk().headers;
    if (headers.at(headers.tip_height()).hash != tip_)
        return complain("another chain is followed, to " + std::to_string(headers.tip_height()));
    const auto wallet = stored();
    if (wallet->scan().height != headers.tip_height() || wallet->scan().hash != tip_)
        complain("scanned to " + std::to_string(wallet->scan().height) + " only");
    const auto ours = [&](ByteView script) { return !wallet->scripts().find(script).empty(); };
    const auto expected = regtest::expect(chain_, tip_, ours, pending_of(*wallet));
    std::set<std::pair<chain::Hash256, std::int32_t>> confirmed;
    for (const auto& entry : wallet->ledger().history(0)) {
        if (entry.status == TxStatus::confirmed) confirmed.emplace(entry.txid, *entry.height);
    }
    for (const auto& [txid, height] : expected.confirmed) {
        if (!confirmed.contains({txid, height}))
            complain("missing: " + txid.to_string() + " at " + std::to_string(height));
    }
    for (const auto& [txid, height] : confirmed) {
        if (!expected.confirmed.contains({txid, height}))
            complain("too much: " + txid.to_string() + " at " + std::to_string(height));
    }
    std::set<chain::OutPoint> unspent;
    for (const auto& coin : wallet->ledger().coins()) {
        if (!coin.spent_by) unspent.insert(coin.outpoint);
    }
    for (const auto& [outpoint, coin] : expected.coins) {
        if (unspent.erase(outpoint) == 0) complain("a coin is missing: " + outpoint.to_string());
    }
    for (const auto& outpoint : unspent)
        complain("a coin too much: " + outpoint.to_string());
    if (wallet->ledger().balance(headers.tip_height()) != expected.balance)
        complain("the balance is wrong");
    check_pending(*wallet);
    if (world_->most_side_headers() > limits::max_side_headers) complain("too many side headers");
    for (const auto& [node, role] : neighbours_) {
        const auto drops = world_->drops(*node);
        if (role != Role::faulty && std::ranges::any_of(drops, sync::is_ban))
            complain("an honest peer is banned");
    }
}

/// What the wallet holds as pending, parents before children.
std::vector<chain::Transaction> Life::pending_of(const wallet::Wallet& wallet) const {
    std::vector<chain::Transaction> pending;
    std::set<chain::Hash256> taken;
    const auto& ledger = wallet.ledger();
    const auto ready = [&](const chain::TxIn& input) {
        const auto* parent = ledger.find(input.prevout.txid);
        return !parent || parent->confirmation || taken.contains(input.prevout.txid);
    };
    for (bool more = true; more;) {
        more = false;
        for (const auto* stored_tx : ledger.pending()) {
            if (ledger.status(stored_tx->txid) != TxStatus::pending ||
                taken.contains(stored_tx->txid) ||
                !std::ranges::all_of(stored_tx->tx.inputs, ready))
                continue;
            taken.insert(stored_tx->txid);
            pending.push_back(stored_tx->tx);
            more = true;
        }
    }
    return pending;
}

/// Pending transactions are ones that were made and can still confirm; nothing that was stored is
/// lost.
void Life::check_pending(const wallet::Wallet& wallet) {
    const auto& ledger = wallet.ledger();
    // A rival that does not concern the wallet is not shown to it.
    std::set<chain::OutPoint> spent;
    for (const auto* block : chain_.branch(tip_)) {
        for (std::size_t i = 1; i < block->transactions.size(); ++i) {
            if (!ledger.find(block->txids[i])) continue;
            for (const auto& input : block->transactions[i].inputs)
                spent.insert(input.prevout);
        }
    }
    std::map<chain::OutPoint, chain::Hash256> pending_spends;
    for (const auto& tx : pending_of(wallet)) {
        const auto id = chain::txid(tx);
        if (!keyring_->made(id)) complain("nobody made " + id.to_string());
        for (const auto& input : tx.inputs) {
            if (spent.contains(input.prevout))
                complain("cannot confirm any more: " + id.to_string());
            if (!pending_spends.try_emplace(input.prevout, id).second)
                complain("two pending ones count that spend " + input.prevout.to_string());
        }
    }
    for (const auto& id : watch_->ever_stored()) {
        if (!ledger.find(id)) complain("lost: " + id.to_string());
    }
}

} // namespace headlight::tests
