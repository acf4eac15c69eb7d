// What the engine looks up of its connections: who is ready, in which order, how far anybody can be
// counted on.
#include "sync/peers.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {

bool Peers::ready(PeerId id) const {
    const auto it = peers_.find(id);
    return it != peers_.end() && it->second.ready;
}

std::vector<PeerId> Peers::ready_peers() const {
    return ready_peers_where([](const Slot&) { return true; });
}

std::vector<PeerId> Peers::ready_peers(std::uint32_t wanted) const {
    return ready_peers_where([&](const Slot& slot) { return slot.part == wanted; });
}

std::vector<PeerId> Peers::ready_peers_where(const std::function<bool(const Slot&)>& wanted) const {
    std::vector<PeerId> ids;
    for (const auto& [id, peer] : peers_) {
        if (peer.ready && wanted(slots_[peer.slot])) ids.push_back(id);
    }
    std::stable_sort(ids.begin(), ids.end(), [&](PeerId a, PeerId b) {
        const auto slot_a = peers_.at(a).slot;
        const auto slot_b = peers_.at(b).slot;
        if (slots_[slot_a].rank != slots_[slot_b].rank) {
            return slots_[slot_a].rank > slots_[slot_b].rank;
        }
        return slot_a < slot_b;
    });
    return ids;
}

bool Peers::connecting() const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.current != 0 ? !ready(slot.current) : !slot.given_up;
    });
}

bool Peers::first_attempts_pending() const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.failures == 0 && !slot.given_up && !(slot.current != 0 && ready(slot.current));
    });
}

bool Peers::moving(PeerId id) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return false;
    auto& peer = it->second;
    const auto elapsed = std::max<std::int64_t>(context_.now.steady_ms - peer.looked_ms, 1);
    const auto bytes = static_cast<std::int64_t>(peer.bytes_received - peer.looked_bytes);
    peer.looked_bytes = peer.bytes_received;
    peer.looked_ms = context_.now.steady_ms;
    return bytes * 1000 / elapsed >= limits::slow_peer_bytes_per_second;
}

std::string Peers::address(PeerId id) const {
    const auto it = peers_.find(id);
    return it == peers_.end() ? "?" : p2p::to_string(slots_[it->second.slot].endpoint);
}

std::vector<PeerId> Peers::at_address(const std::string& address) const {
    std::vector<PeerId> found;
    for (const auto& [id, peer] : peers_) {
        if (p2p::to_string(slots_[peer.slot].endpoint) == address) found.push_back(id);
    }
    return found;
}

std::uint32_t Peers::part(PeerId id) const {
    const auto it = peers_.find(id);
    return it == peers_.end() ? 0 : slots_[it->second.slot].part;
}

std::size_t Peers::endpoints_for(std::uint32_t part) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(slots_, [&](const Slot& slot) { return slot.part == part; }));
}

bool Peers::failing(PeerId id) const {
    const auto it = peers_.find(id);
    return it == peers_.end() || slots_[it->second.slot].failures >= limits::max_failures;
}

bool Peers::coming_back(std::uint32_t part, const std::string& except) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        const bool away = slot.current == 0 || !ready(slot.current);
        return away && slot.part == part && slot.reached && !slot.given_up &&
               slot.failures < limits::max_failures && p2p::to_string(slot.endpoint) != except;
    });
}

const p2p::Version* Peers::version(PeerId id) const {
    const auto it = peers_.find(id);
    if (it == peers_.end() || !it->second.handshake || !it->second.handshake->peer())
        return nullptr;
    return &*it->second.handshake->peer();
}

std::optional<Error> Peers::exhausted() const {
    if (context_.config.peers.empty()) {
        return Error{errc::no_peer, "no peer to ask", "none was named", "Name one with --peer"};
    }
    for (std::uint32_t part = 0; part < context_.spread(); ++part) {
        if (auto why = exhausted(part)) return why;
    }
    return std::nullopt;
}

/// One part that nobody serves is enough to end a run: without it, no block can be scanned.
std::optional<Error> Peers::exhausted(std::uint32_t part) const {
    const Slot* telling = nullptr;
    for (const auto& slot : slots_) {
        if (slot.part != part) continue;
        if (!slot.given_up || slot.current != 0) return std::nullopt;
        // Anything says more than that nobody listens.
        if (!telling || (telling->last_error->code == errc::no_peer &&
                         slot.last_error->code != errc::no_peer)) {
            telling = &slot;
        }
    }
    if (!telling) return reasons::nobody_for_part(part, context_.wallet.filter().split);
    return telling->last_error;
}

void Peers::set_scanning(PeerId id, bool scanning) {
    if (const auto it = peers_.find(id); it != peers_.end()) it->second.scanning = scanning;
}

void Peers::fill(Statistics& statistics) const {
    for (const auto& slot : slots_) {
        if (slot.agent.empty() && slot.bytes_received == 0) continue;
        statistics.bytes_received += slot.bytes_received;
        statistics.bytes_sent += slot.bytes_sent;
        auto& peers = statistics.peers;
        const auto address = p2p::to_string(slot.endpoint);
        const auto told = std::ranges::find(peers, address, &Statistics::Peer::address);
        if (told == peers.end()) {
            peers.push_back({address, slot.agent, slot.bytes_received});
        } else { // another of its connections
            told->bytes_received += slot.bytes_received;
            if (told->agent.empty()) told->agent = slot.agent;
        }
    }
}

} // namespace headlight::sync
