#include "sync/core.hpp"

#include "sync/reasons.hpp"

namespace headlight::sync {
namespace {

constexpr std::size_t inner_node_bytes = 64; // of a merkle tree: CVE-2017-12842

/// Before anything else: the wallet's scripts are spread over the parts that this run has.
Config prepared(Config config, wallet::Wallet& wallet) {
    if (config.whole_blocks || config.broadcast) return config;
    std::vector<std::string> peers;
    for (const auto& endpoint : config.peers)
        peers.push_back(p2p::to_string(endpoint));
    choose_parts(wallet, config.fp_rate, config.split, peers);
    return config;
}

} // namespace

Engine::Core::Core(const chain::Network& network, const chain::HeaderArchive& archive,
                   wallet::Wallet& wallet, Config config)
    : context_(network, archive, wallet, prepared(std::move(config), wallet)),
      peers_(context_),
      headers_(context_),
      filters_(context_),
      order_(context_),
      progress_(context_) {
    for (std::uint32_t part = 0; part < context_.spread(); ++part)
        lanes_.emplace_back(context_, filters_, order_, part);
    context_.statistics.parts = context_.spread();
    if (archive.tip_height() >= 0) persisted_tip_ = context_.tree.tip().hash;
    persisted_scan_ = wallet.scan();
    if (context_.config.broadcast) broadcast_.emplace(context_, peers_);
}

std::vector<Action> Engine::Core::on(const Event& event, Now now) {
    if (finished_) return {};
    context_.now = now;
    std::visit([this](const auto& it) { handle(it); }, event);
    if (!finished_) settle();
    return std::exchange(context_.actions, {});
}

void Engine::Core::handle(const event::Started&) {
    persisted_ms_ = last_ping_ms_ = context_.now.steady_ms;
    peers_.start();
}

void Engine::Core::handle(const event::Connected& event) { peers_.on_connected(event.peer); }

void Engine::Core::handle(const event::Received& event) {
    switch (peers_.on_message(event.peer, event.message)) {
    case Peers::Taken::yes:
        return;
    case Peers::Taken::ready:
        peer_ready(event.peer);
        return;
    case Peers::Taken::no:
        take(event.peer, event.message);
    }
}

void Engine::Core::handle(const event::Bytes& event) {
    peers_.on_bytes(event.peer, event.received, event.sent);
    auto& lane = lane_of(event.peer);
    if (lane.scan.peer() == event.peer && lane.scan.progress() != lane.progress_seen) {
        lane.progress_seen = lane.scan.progress();
        peers_.moving(event.peer); // whether it still moves is asked from here on
    }
}

void Engine::Core::handle(const event::Disconnected& event) {
    forget(event.peer);
    peers_.on_disconnected(event.peer, event.loss, event.detail);
}

void Engine::Core::handle(const event::Tick&) { alarm_ms_ = Context::never; }

void Engine::Core::handle(const event::Stop& event) {
    const bool following_well = context_.config.follow && at_tip_ && event.why == errc::stopped;
    if (broadcast_) {
        finish(broadcast_->not_shown(), false);
    } else if (following_well) {
        finish(std::nullopt, false); // that is how a service is ended
    } else {
        finish(reasons::stopped(event.why, context_.wallet.scan().height), true);
    }
}

void Engine::Core::peer_ready(PeerId peer) {
    if (broadcast_) return;
    context_.send(peer, p2p::SendHeaders{});
    headers_.add_peer(peer, peers_.version(peer)->start_height);
}

void Engine::Core::take(PeerId peer, const p2p::Message& message) {
    if (const auto* ping = std::get_if<p2p::Ping>(&message)) {
        if (ping->nonce) context_.send(peer, p2p::Pong{*ping->nonce});
        unasked(peer);
    } else if (const auto* pong = std::get_if<p2p::Pong>(&message)) {
        take_pong(peer, pong->nonce);
    } else if (const auto* headers = std::get_if<p2p::Headers>(&message)) {
        take_headers(peer, *headers);
    } else if (const auto* block = std::get_if<bip37::MerkleBlock>(&message)) {
        take_merkleblock(peer, *block);
    } else if (const auto* whole = std::get_if<p2p::Block>(&message)) {
        take_block(peer, *whole);
    } else if (const auto* tx = std::get_if<p2p::Tx>(&message)) {
        take_transaction(peer, tx->transaction);
    } else if (const auto* inv = std::get_if<p2p::Inv>(&message)) {
        take_inv(peer, *inv);
    } else if (const auto* notfound = std::get_if<p2p::NotFound>(&message)) {
        if (scans(peer)) lane_of(peer).relay.on_notfound(*notfound);
    } else if (const auto* getdata = std::get_if<p2p::GetData>(&message)) {
        if (broadcast_) broadcast_->on_getdata(peer, *getdata);
    } else if (const auto* reject = std::get_if<p2p::Reject>(&message)) {
        if (broadcast_) broadcast_->on_reject(peer, *reject);
    } else {
        unasked(peer); // feature messages, addresses, alerts, unknown ones: tolerated and counted
    }
}

void Engine::Core::unasked(PeerId peer) {
    if (peers_.flooded(peer)) {
        drop(peer, DropReason::flood, reasons::flood(peers_.address(peer)));
    }
}

void Engine::Core::take_headers(PeerId peer, const p2p::Headers& message) {
    if (broadcast_) return;
    const auto before = context_.statistics.headers;
    const auto verdict = headers_.on_headers(peer, message);
    const auto where = peers_.address(peer);
    if (context_.statistics.headers > before) {
        peers_.progressed(peer);
    } else {
        unasked(peer);
    }
    if (verdict.fork) reorganised(*verdict.fork);
    if (!verdict.broken_rule.empty()) {
        drop(peer, DropReason::bad_headers, reasons::bad_headers(where, verdict.broken_rule));
    } else if (verdict.over_limit) {
        drop(peer, DropReason::headers_limit, reasons::headers_limit(where));
    } else if (verdict.wiped) {
        forget(peer);
        peers_.drop(peer, DropReason::useless,
                    reasons::wiped_chain(where, context_.tree.tip_height(), context_.network),
                    true);
    }
}

void Engine::Core::reorganised(std::int32_t fork) {
    if (!wallet_ready_) { // reconcile() will see to it
        early_fork_ = std::min(fork, early_fork_.value_or(fork));
        return;
    }
    const auto old = context_.wallet.scan().height;
    context_.note(context_.wallet.undo_above(fork, context_.tree.at(fork).hash));
    order_.on_reorganised(fork);
    for (auto& lane : lanes_)
        lane.check.on_reorganised(fork);
    if (old > fork) tell_reorganised(fork);
    told_height_ = std::min(told_height_, fork);
}

void Engine::Core::tell_reorganised(std::int32_t fork) {
    auto& lowest = context_.statistics.reorganised;
    lowest = std::min(fork, lowest.value_or(fork));
    context_.when_stored.push_back(
        notice::Block{context_.tree.tip_height(), context_.tree.tip().hash, fork});
}

/// What this connection was asked for, if it serves blocks to us.
BlockFetch* Engine::Core::fetch_of(PeerId peer) {
    auto& lane = lane_of(peer);
    if (lane.scan.peer() == peer) return &lane.scan;
    return lane.check.peer() == peer ? &lane.check : nullptr;
}

std::int64_t Engine::Core::blocks_taken() const {
    return context_.statistics.scanned_blocks + context_.statistics.cross_checked;
}

void Engine::Core::take_merkleblock(PeerId peer, const bip37::MerkleBlock& message) {
    auto* const fetch = fetch_of(peer);
    if (!fetch) return unasked(peer);
    const auto before = blocks_taken();
    took_block(peer, *fetch, fetch->on_merkleblock(message), before);
}

void Engine::Core::take_block(PeerId peer, const p2p::Block& message) {
    auto* const fetch = fetch_of(peer);
    if (!fetch) return unasked(peer);
    const auto before = blocks_taken();
    took_block(peer, *fetch, fetch->on_block(message), before);
}

void Engine::Core::took_block(PeerId peer, const BlockFetch& fetch, BlockFetch::Taken taken,
                              std::int64_t blocks_before) {
    if (taken == BlockFetch::Taken::no) return unasked(peer);
    if (taken == BlockFetch::Taken::bad_proof) {
        const auto where = peers_.address(peer);
        const auto& proof = *fetch.proof_error();
        if (context_.config.whole_blocks)
            return drop(peer, DropReason::bad_block, reasons::bad_block(where, proof));
        return drop(peer, DropReason::bad_merkleblock, reasons::bad_merkleblock(where, proof));
    }
    if (blocks_taken() > blocks_before) peers_.progressed(peer);
}

void Engine::Core::take_transaction(PeerId peer, const chain::Transaction& tx) {
    const auto stripped = chain::serialize(tx, chain::Witness::strip);
    const auto txid = chain::hash256(stripped);
    if (broadcast_) return broadcast_->on_transaction(peer, txid);
    auto* const fetch = fetch_of(peer);
    if (!fetch) return unasked(peer);
    if (stripped.size() == inner_node_bytes) {
        if (!fetch->wants(txid)) return unasked(peer);
        drop(peer, DropReason::bad_transaction, reasons::bad_transaction(peers_.address(peer)));
        return;
    }
    const auto taken = blocks_taken();
    auto& lane = lane_of(peer);
    const auto relayed = [&] { return fetch == &lane.scan && lane.relay.on_transaction(tx, txid); };
    if (!fetch->on_transaction(tx, txid) && !relayed()) {
        fetch->keep_loose(tx, txid);
        if (!fetch->take_credit()) unasked(peer);
    }
    if (blocks_taken() > taken) peers_.progressed(peer);
}

void Engine::Core::take_inv(PeerId peer, const p2p::Inv& message) {
    unasked(peer);
    if (broadcast_ || !peers_.ready(peer)) return;
    for (const auto& entry : message.entries) {
        if (entry.type == p2p::InvType::block) headers_.on_block_announced(peer, entry.hash);
    }
    if (scans(peer)) lane_of(peer).relay.on_inv(peer, message);
}

void Engine::Core::take_pong(PeerId peer, std::uint64_t nonce) {
    if (const auto ping = pings_.find(peer); ping != pings_.end() && ping->second.first == nonce) {
        pings_.erase(ping);
    }
    if (auto* const fetch = fetch_of(peer)) fetch->on_pong(nonce);
    if (scans(peer)) lane_of(peer).relay.on_pong(nonce);
}

void Engine::Core::drop(PeerId peer, DropReason reason, Error why) {
    // A ban ends all connections to that peer.
    for (const auto each : is_ban(reason) ? peers_.siblings(peer) : std::vector{peer})
        forget(each);
    peers_.drop(peer, reason, std::move(why));
}

void Engine::Core::forget(PeerId peer) {
    auto& lane = lane_of(peer);
    if (lane.scan.peer() == peer) {
        lane.scan.stop();
        lane.relay.forget();
    }
    if (lane.check.peer() == peer) lane.check.stop();
    headers_.forget(peer);
    context_.with_filter.erase(peer);
    pings_.erase(peer);
    if (broadcast_) broadcast_->forget(peer);
}

Statistics Engine::Core::statistics() const {
    auto statistics = context_.statistics;
    statistics.height = std::max(context_.wallet.scan().height, 0);
    statistics.tip = context_.tree.tip_height();
    peers_.fill(statistics);
    return statistics;
}

} // namespace headlight::sync
