#include "sync/peers.hpp"

#include "sync/parts.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {
namespace {

constexpr std::int64_t flood_window_ms = 10'000;

} // namespace

Peers::Peers(Context& context) : context_(context) {
    const auto& parameters = context_.wallet.filter();
    std::vector<p2p::Endpoint> endpoints;
    for (const auto& endpoint : context_.config.peers) {
        const bool known = std::ranges::find(endpoints, endpoint) != endpoints.end();
        if (known || endpoints.size() >= limits::max_peers) continue;
        endpoints.push_back(endpoint);
        if (context_.spread() == 1) {
            add_slot(endpoint, 0);
            continue;
        }
        const auto group = parameters.groups.find(p2p::to_string(endpoint));
        if (parameters.split > 1 && group == parameters.groups.end()) continue;
        for (const auto part : parts_of_group(parameters, parameters.split > 1 ? group->second : 0))
            add_slot(endpoint, part);
    }
}

void Peers::add_slot(const p2p::Endpoint& endpoint, std::uint32_t part) {
    slots_.push_back({});
    slots_.back().endpoint = endpoint;
    slots_.back().part = part;
}

void Peers::start() {
    heed_bans();
    tick();
}

/// Of earlier runs.
void Peers::heed_bans() {
    for (const auto& ban : context_.config.bans) {
        const auto left = ban.until - context_.now.unix_seconds;
        if (left <= 0) continue;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].endpoint != ban.endpoint) continue;
            failed(i, reasons::banned(p2p::to_string(ban.endpoint), left, ban.reason), true);
            constexpr std::int64_t a_generation = 1'000'000'000; // that no sum overflows
            const auto end = context_.now.steady_ms + std::min(left, a_generation) * 1000;
            auto& until = slots_[i].banned_until_ms;
            until = until == Context::never ? end : std::max(until, end);
        }
    }
}

void Peers::keep_ban(std::size_t index, const Error& why) {
    const auto seconds = context_.network.paced ? limits::ban_seconds : limits::regtest_ban_seconds;
    const auto& endpoint = slots_[index].endpoint;
    slots_[index].banned_until_ms = context_.now.steady_ms + seconds * 1000;
    if (std::ranges::find(context_.bans, endpoint, &Ban::endpoint) == context_.bans.end())
        context_.bans.push_back({endpoint, context_.now.unix_seconds + seconds, why.message});
}

void Peers::end_bans() {
    for (auto& slot : slots_) {
        if (slot.banned_until_ms > context_.now.steady_ms) continue;
        slot.banned_until_ms = Context::never;
        slot.given_up = false;
        slot.failures = 0;
    }
}

void Peers::ban(const std::string& address, DropReason reason, const Error& why) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto& slot = slots_[i];
        if (p2p::to_string(slot.endpoint) != address) continue;
        if (slot.current != 0) {
            drop_one(slot.current, reason, why, true);
        } else {
            keep_ban(i, why);
            failed(i, why, true);
        }
    }
}

void Peers::connect(std::size_t slot, const chain::Network& network) {
    const auto id = ++last_id_;
    Peer peer;
    peer.slot = slot;
    peer.network = &network;
    peer.deadline_ms = context_.now.steady_ms + context_.config.connect_timeout_ms() + 1'000;
    peers_.emplace(id, std::move(peer));
    slots_[slot].current = id;
    context_.act(action::Connect{id, slots_[slot].endpoint, network.id});
}

void Peers::on_connected(PeerId id) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    auto& peer = it->second;
    peer.connected = true;
    slots_[peer.slot].reached = true;
    peer.deadline_ms = context_.now.steady_ms + limits::handshake_timeout_ms;
    p2p::Handshake::Config config;
    config.nonce = context_.nonce();
    config.start_height = context_.tree.tip_height();
    config.time = context_.now.unix_seconds;
    config.user_agent = context_.config.user_agent;
    config.relay = context_.config.whole_blocks && !context_.config.broadcast;
    peer.handshake.emplace(std::move(config));
    context_.send(id, peer.handshake->greeting());
}

Peers::Taken Peers::on_message(PeerId id, const p2p::Message& message) {
    const auto it = peers_.find(id);
    if (it == peers_.end() || !it->second.handshake) return Taken::yes; // of a connection we ended
    if (it->second.ready) {
        // A second version or verack is noise by now.
        return std::holds_alternative<p2p::Version>(message) ||
                       std::holds_alternative<p2p::Verack>(message)
                   ? Taken::yes
                   : Taken::no;
    }
    return handshake_step(id, it->second, message);
}

Peers::Taken Peers::handshake_step(PeerId id, Peer& peer, const p2p::Message& message) {
    auto step = peer.handshake->on(message);
    const auto where = address(id);
    if (peer.network != &context_.network) {
        if (!peer.handshake->peer()) return Taken::yes;
        failed(peer.slot, reasons::other_network(where, *peer.network, context_.network), true);
        context_.act(action::Disconnect{id, DropReason::useless});
        remove(id);
        return Taken::yes;
    }
    if (step.refusal) {
        drop(id, DropReason::handshake, reasons::handshake_refused(where, *step.refusal));
        return Taken::yes;
    }
    for (auto& reply : step.send)
        context_.send(id, std::move(reply));
    if (!step.done) return Taken::yes;

    peer.ready = true;
    peer.looked_ms = context_.now.steady_ms;
    peer.deadline_ms = Context::never;
    slots_[peer.slot].agent = peer.handshake->peer()->user_agent;
    log(id, "connected: " + slots_[peer.slot].agent + ", height " +
                std::to_string(peer.handshake->peer()->start_height));
    check_services(id, *peer.handshake->peer());
    return peers_.contains(id) ? Taken::ready : Taken::yes;
}

void Peers::check_services(PeerId id, const p2p::Version& version) {
    const auto where = address(id);
    if (context_.config.broadcast) return; // anybody who relays will do
    if ((version.services & p2p::services::bloom) == 0 && !context_.config.whole_blocks) {
        drop(id, DropReason::useless, reasons::no_bloom(where), context_.config.no_bloom_is_final);
    } else if ((version.services & (p2p::services::network | p2p::services::network_limited)) ==
               0) {
        drop(id, DropReason::useless, reasons::not_full(where));
    }
}

void Peers::on_bytes(PeerId id, std::uint64_t received, std::uint64_t sent) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    auto& slot = slots_[it->second.slot];
    slot.bytes_received += received - it->second.bytes_received;
    slot.bytes_sent += sent - it->second.bytes_sent;
    it->second.bytes_received = received;
    it->second.bytes_sent = sent;
    if (std::exchange(it->second.chatters, false)) it->second.looked_bytes = received;
}

void Peers::on_disconnected(PeerId id, Loss loss, const std::string& detail) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    const Peer peer = it->second;
    const auto where = address(id);
    remove(id);
    if (peer.network != &context_.network) {
        if (!probe_other_networks(peer.slot)) {
            failed(peer.slot, reasons::closed_in_handshake(where, context_.network), true);
        }
        return;
    }
    if (!peer.connected && context_.config.proxy) {
        failed(peer.slot, reasons::proxy(where, loss, detail, *context_.config.proxy), false);
    } else if (!peer.connected) {
        failed(peer.slot, reasons::nobody_listens(where, loss, detail, context_.network), false);
    } else if (loss == Loss::wrong_magic || loss == Loss::bad_frame) {
        failed(peer.slot, reasons::bad_frame(where, detail), false);
    } else if (!peer.ready && loss == Loss::closed && peer.bytes_received == 0 &&
               !slots_[peer.slot].probed && probe_other_networks(peer.slot)) {
        return;
    } else if (peer.scanning && !peer.progressed && loss == Loss::closed) {
        failed(peer.slot, reasons::closed_while_scanning(where), false);
    } else {
        failed(peer.slot, reasons::lost(where, loss, detail), false);
    }
}

/// A node closes without a byte on another network's magic (probed); its own one makes it talk.
bool Peers::probe_other_networks(std::size_t index) {
    auto& slot = slots_[index];
    slot.probed = true;
    const auto networks = chain::all_networks();
    while (slot.probe < networks.size() && networks[slot.probe].id == context_.network.id) {
        ++slot.probe;
    }
    if (slot.probe >= networks.size()) return false;
    connect(index, networks[slot.probe++]);
    return true;
}

void Peers::failed(std::size_t index, Error why, bool for_good) {
    auto& slot = slots_[index];
    context_.notify(notice::PeerLog{slot.current, p2p::to_string(slot.endpoint), to_string(why)});
    slot.current = 0;
    // A service that keeps trying says once what keeps it.
    const bool news = !slot.last_error || slot.last_error->code != why.code;
    if (context_.config.follow && news) context_.warn(why);
    slot.last_error = std::move(why);
    ++slot.failures;
    slot.given_up = for_good || (!context_.config.follow && slot.failures >= limits::max_failures);
    slot.next_attempt_ms = context_.now.steady_ms + slot.backoff_ms;
    slot.backoff_ms = std::min(slot.backoff_ms * 2, limits::max_backoff_ms);
}

void Peers::drop(PeerId id, DropReason reason, Error why, bool for_good) {
    if (is_ban(reason)) return ban(address(id), reason, why);
    drop_one(id, reason, std::move(why), for_good);
}

void Peers::drop_one(PeerId id, DropReason reason, Error why, bool for_good) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    const auto slot = it->second.slot;
    context_.act(action::Disconnect{id, reason});
    remove(id);
    slots_[slot].rank -= 10;
    // Without the service we need, trying again in the same run is useless; a service may care.
    const bool stalls =
        reason == DropReason::stalled && ++slots_[slot].stalls >= limits::max_failures;
    const bool hopeless = (reason == DropReason::useless || stalls) && !context_.config.follow;
    if (is_ban(reason)) keep_ban(slot, why);
    failed(slot, std::move(why), for_good || hopeless);
}

std::vector<PeerId> Peers::siblings(PeerId id) const { return at_address(address(id)); }

void Peers::lower_rank(PeerId id, const std::string& why) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    --slots_[it->second.slot].rank;
    log(id, why);
}

void Peers::progressed(PeerId id) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    it->second.progressed = it->second.scanning;
    auto& slot = slots_[it->second.slot];
    slot.failures = 0;
    slot.backoff_ms = limits::first_backoff_ms;
}

bool Peers::flooded(PeerId id) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return false;
    auto& peer = it->second;
    peer.chatters = true;
    if (context_.now.steady_ms - peer.flood_window_ms > flood_window_ms) {
        peer.flood_window_ms = context_.now.steady_ms;
        peer.flood_count = 0;
    }
    return ++peer.flood_count > limits::flood_messages_per_second * flood_window_ms / 1000;
}

void Peers::log(PeerId id, const std::string& text) {
    context_.notify(notice::PeerLog{id, address(id), text});
}

void Peers::remove(PeerId id) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return;
    if (slots_[it->second.slot].current == id) slots_[it->second.slot].current = 0;
    peers_.erase(it);
}

void Peers::close_all() {
    for (const auto& [id, peer] : peers_)
        context_.act(action::Disconnect{id, DropReason::done});
    peers_.clear();
}

void Peers::tick() {
    std::vector<PeerId> late;
    for (const auto& [id, peer] : peers_) {
        if (peer.deadline_ms <= context_.now.steady_ms) late.push_back(id);
    }
    for (const auto id : late)
        drop(id, DropReason::handshake, reasons::handshake_slow(address(id)));
    end_bans();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto& slot = slots_[i];
        if (slot.current == 0 && !slot.given_up && slot.next_attempt_ms <= context_.now.steady_ms) {
            connect(i, context_.network);
        }
    }
}

std::int64_t Peers::next_wake_ms() const {
    auto wake = Context::never;
    for (const auto& [id, peer] : peers_)
        wake = std::min(wake, peer.deadline_ms);
    for (const auto& slot : slots_) {
        if (slot.current == 0 && !slot.given_up) wake = std::min(wake, slot.next_attempt_ms);
        wake = std::min(wake, slot.banned_until_ms);
    }
    return wake;
}

} // namespace headlight::sync
