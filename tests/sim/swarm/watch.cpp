#include "tests/sim/swarm/watch.hpp"

#include "bip37/messages.hpp"

#include <algorithm>

namespace headlight::tests {

using Kind = wallet::LedgerDelta::Event::Kind;

Watch::Watch(const regtest::ChainBuilder& chain, regtest::SimWorld& world,
             std::vector<std::string>& complaints)
    : chain_(&chain), world_(&world), complaints_(&complaints) {
    world.on_durable = [this](const auto& persist) { durable(persist); };
    world.on_event = [this](const auto& it) { event(it); };
}

void Watch::complain(const std::string& what) {
    complaints_->push_back(std::to_string(world_->now_ms()) + " ms: " + what);
}

void Watch::new_run() {
    told_.clear();
    storing_ = finished_ = false;
    progress_.reset();
    connections_.clear();
    asked_.clear();
}

void Watch::ended() {
    check_told();
    if (!connections_.empty()) complain("connections are left open at the end");
}

// What the client does

void Watch::action(const sync::Action& action) {
    if (finished_) complain("an action after the end: " + sync::to_string(action));
    if (const auto* send = std::get_if<sync::action::Send>(&action)) {
        sent(send->peer, send->message);
    } else if (const auto* connect = std::get_if<sync::action::Connect>(&action)) {
        if (!connections_.insert(connect->peer).second) complain("a peer's number is used twice");
        const auto parts = world_->engine().statistics().parts;
        if (connections_.size() > limits::max_peers * parts) complain("too many connections");
    } else if (const auto* gone = std::get_if<sync::action::Disconnect>(&action)) {
        connections_.erase(gone->peer);
        asked_.erase(gone->peer);
    } else if (std::holds_alternative<sync::action::Persist>(action)) {
        check_told();
        if (storing_) complain("a persist before the last one is answered");
        storing_ = true;
    } else if (const auto* notify = std::get_if<sync::action::Notify>(&action)) {
        told(notify->notice);
    }
}

void Watch::sent(sync::PeerId peer, const p2p::Message& message) {
    auto& asked = asked_[peer];
    if (const auto* getdata = std::get_if<p2p::GetData>(&message)) {
        const auto of_type = [&](p2p::InvType type) {
            return static_cast<std::size_t>(
                std::ranges::count(getdata->entries, type, &p2p::InvEntry::type));
        };
        asked.blocks += of_type(p2p::InvType::filtered_block) + of_type(p2p::InvType::block);
        if (of_type(p2p::InvType::block) > 0 && asked.blocks > limits::whole_window_blocks)
            complain(std::to_string(asked.blocks) + " whole blocks in flight");
        if (getdata->entries.size() >
            std::max<std::size_t>(limits::scan_batch_blocks, limits::max_tx_requests))
            complain("a getdata of " + std::to_string(getdata->entries.size()));
        if (asked.blocks > limits::scan_window_blocks)
            complain(std::to_string(asked.blocks) + " blocks in flight");
    } else if (const auto* ping = std::get_if<p2p::Ping>(&message); ping && ping->nonce) {
        asked.fences.emplace_back(*ping->nonce, asked.blocks);
    } else if (const auto* load = std::get_if<bip37::FilterLoad>(&message)) {
        if (load->filter.data().size() > limits::max_filter_bytes ||
            load->filter.hash_functions() > limits::max_hash_functions)
            complain("a filter beyond the limits of BIP-37");
    } else if (const auto* headers = std::get_if<p2p::GetHeaders>(&message)) {
        if (headers->locator.size() > limits::max_locator_hashes) complain("a locator too long");
    }
}

// What it is told

void Watch::event(const sync::Event& event) {
    if (const auto* gone = std::get_if<sync::event::Disconnected>(&event)) {
        connections_.erase(gone->peer);
        asked_.erase(gone->peer);
    }
    if (std::holds_alternative<sync::event::Stored>(event)) storing_ = false;
    const auto* received = std::get_if<sync::event::Received>(&event);
    if (!received) return;
    auto& asked = asked_[received->peer];
    const bool block = std::holds_alternative<bip37::MerkleBlock>(received->message) ||
                       std::holds_alternative<p2p::Block>(received->message);
    if (block && asked.blocks > 0) {
        --asked.blocks;
        for (auto& [nonce, before] : asked.fences)
            before -= before > 0;
    } else if (const auto* pong = std::get_if<p2p::Pong>(&received->message)) {
        // What stands before a fence and is not answered by now was refused.
        const auto fence = std::ranges::find_if(
            asked.fences, [&](const auto& each) { return each.first == pong->nonce; });
        if (fence == asked.fences.end()) return;
        const auto refused = fence->second;
        asked.blocks -= refused;
        asked.fences.erase(asked.fences.begin(), fence + 1);
        for (auto& [nonce, before] : asked.fences)
            before -= refused;
    }
}

// What it tells

void Watch::told(const sync::Notice& notice) {
    if (const auto* progress = std::get_if<sync::notice::Progress>(&notice)) {
        told(*progress);
    } else if (const auto* tx = std::get_if<sync::notice::Transaction>(&notice)) {
        if (storing_) complain("a transaction is told while it is being stored");
        told_[tx->event.txid] = tx->event.kind;
    } else if (std::holds_alternative<sync::notice::Finished>(notice)) {
        finished_ = true;
    }
}

void Watch::told(const sync::notice::Progress& progress) {
    if (progress.done > progress.total) complain("more is done than there is");
    if (progress_ && progress_->phase == progress.phase &&
        (progress.done < progress_->done || progress.total < progress_->total))
        complain("progress runs backwards: " + sync::to_string(sync::Notice(*progress_)) +
                 ", then " + sync::to_string(sync::Notice(progress)));
    progress_ = progress;
}

/// Whatever was told since the last persist is on the disk.
void Watch::check_told() {
    const auto& stored = world_->disk().wallet.transactions;
    for (const auto& [txid, kind] : told_) {
        const auto found = std::ranges::find(stored, txid, &wallet::StoredTx::txid);
        const bool there = found != stored.end();
        const bool right = kind == Kind::dropped     ? !there
                           : kind == Kind::confirmed ? there && found->confirmation
                                                     : there && !found->confirmation;
        if (!right) complain("told before it is stored: " + txid.to_string());
    }
    told_.clear();
}

// What it stores

void Watch::durable(const sync::action::Persist& persist) {
    for (const auto& stored : persist.changes.transactions)
        check_stored(stored);
    if (!persist.changes.scan) return;
    const auto& headers = world_->disk().headers;
    const auto& scan = *persist.changes.scan;
    if (scan.height > headers.tip_height()) {
        complain("the scan stands above the stored headers");
    } else if (scan.height >= 0 && headers.at(scan.height).hash != scan.hash) {
        complain("the scan stands on another branch than the stored headers");
    } else {
        check_confirmations();
    }
}

/// It really is in the block that it claims.
void Watch::check_stored(const wallet::StoredTx& stored) {
    if (chain::txid(stored.tx) != stored.txid) complain("a transaction under another's name");
    if (!stored.tx.is_coinbase()) ever_stored_.insert(stored.txid);
    if (!stored.confirmation) return;
    const auto& at = *stored.confirmation;
    const auto* block = chain_->find(at.block);
    if (!block || block->height != at.height || at.position >= block->txids.size() ||
        block->txids[at.position] != stored.txid)
        complain("falsely credited: " + stored.txid.to_string());
}

void Watch::check_confirmations() {
    const auto& headers = world_->disk().headers;
    for (const auto& stored : world_->disk().wallet.transactions) {
        if (!stored.confirmation) continue;
        const auto& at = *stored.confirmation;
        if (at.height > headers.tip_height() || headers.at(at.height).hash != at.block)
            complain("stored as confirmed on a branch that lost: " + stored.txid.to_string());
    }
}

} // namespace headlight::tests
