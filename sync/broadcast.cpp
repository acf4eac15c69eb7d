#include "sync/broadcast.hpp"

#include "sync/reasons.hpp"

namespace headlight::sync {
Broadcast::Broadcast(Context& context, Peers& peers)
    : context_(context), peers_(peers), tx_(*context.config.broadcast), txid_(chain::txid(tx_)) {}

void Broadcast::announce(PeerId peer) {
    announced_to_ = peer;
    context_.send(peer, p2p::Inv{{{p2p::InvType::tx, txid_}}});
    peers_.log(peer, "announced " + txid_.to_string());
    if (deadline_ms_ == Context::never) {
        deadline_ms_ = context_.now.steady_ms + limits::broadcast_timeout_ms;
    }
    next_poll_ms_ = context_.now.steady_ms + limits::broadcast_poll_ms;
}

void Broadcast::on_getdata(PeerId peer, const p2p::GetData& message) {
    for (const auto& entry : message.entries) {
        if (entry.hash != txid_) continue;
        // We offer no NODE_WITNESS, so a node asks for MSG_TX; it still has to see the witness.
        if (entry.type != p2p::InvType::tx && entry.type != p2p::InvType::witness_tx) continue;
        context_.send(peer, p2p::Tx{tx_});
        taken_ = true;
        peers_.log(peer, "asked for the transaction and was sent it");
        next_poll_ms_ = context_.now.steady_ms; // it may show it at once
        return; // once is enough, however often one message names it
    }
}

void Broadcast::on_transaction(PeerId peer, const chain::Hash256& txid) {
    if (txid != txid_) return;
    peers_.log(peer, "shows the transaction");
    auto& by = context_.statistics.accepted_by;
    const auto address = peers_.address(peer);
    if (std::find(by.begin(), by.end(), address) == by.end()) by.push_back(address);
    accepted_ = true;
}

void Broadcast::on_reject(PeerId peer, const p2p::Reject& message) {
    if (message.message != "tx" || Bytes(txid_.bytes.begin(), txid_.bytes.end()) != message.data) {
        return;
    }
    refused_ = reasons::not_accepted(txid_, peers_.address(peer) + " says: " + message.reason);
}

void Broadcast::forget(PeerId peer) {
    if (announced_to_ == peer && !taken_) announced_to_.reset();
}

void Broadcast::poll() {
    // A peer shows what it accepted once its own round of announcements has passed over it.
    const auto ready = peers_.ready_peers();
    bool asked = false;
    for (const auto peer : ready) {
        if (peer == announced_to_) continue;
        context_.send(peer, p2p::GetData{{{p2p::InvType::tx, txid_}}});
        asked = true;
    }
    const bool alone = !asked && !peers_.connecting() && context_.config.peers.size() == 1;
    if (alone && announced_to_ && peers_.ready(*announced_to_)) {
        context_.send(*announced_to_, p2p::GetData{{{p2p::InvType::tx, txid_}}});
    }
    next_poll_ms_ = context_.now.steady_ms + limits::broadcast_poll_ms;
}

void Broadcast::pump() {
    if (!announced_to_) {
        const auto ready = peers_.ready_peers();
        if (!ready.empty()) announce(ready.front());
    }
    if (next_poll_ms_ <= context_.now.steady_ms) poll();
}

std::int64_t Broadcast::next_wake_ms() const { return std::min(deadline_ms_, next_poll_ms_); }

std::optional<Error> Broadcast::failure() const {
    if (accepted_) return std::nullopt;
    if (refused_) return refused_;
    if (context_.now.steady_ms < deadline_ms_) return std::nullopt;
    return not_shown();
}

Error Broadcast::not_shown() const {
    if (!taken_) {
        return reasons::not_accepted(
            txid_,
            "no peer asked for it in " + std::to_string(limits::broadcast_timeout_ms / 1000) +
                " s (it knows it already from a block, refused it before, or is itself syncing)");
    }
    return reasons::not_accepted(
        txid_, context_.config.peers.size() > 1
                   ? "a peer took it, and no other peer has shown it since"
                   : "the peer took it and does not show it, so it has refused it");
}

} // namespace headlight::sync
