// The lines of a simulated world: what they carry, and how they fail.
#include "regtest/sim_world_parts.hpp"

#include <stdexcept>

namespace headlight::regtest {

SimWorld::Place& SimWorld::place_of(const SimNode& node) {
    return const_cast<Place&>(std::as_const(*this).place_of(node));
}

const SimWorld::Place& SimWorld::place_of(const SimNode& node) const {
    for (const auto& place : places_) {
        if (place->node.get() == &node) return *place;
    }
    throw std::logic_error("a node of another world");
}

// How they are

void SimWorld::set_delay(std::int64_t least_ms, std::int64_t most_ms) {
    usual_line_.least_delay_ms = least_ms;
    usual_line_.most_delay_ms = most_ms;
    for (const auto& place : places_) {
        place->line.least_delay_ms = least_ms;
        place->line.most_delay_ms = most_ms;
    }
}

void SimWorld::set_line(const SimNode& node, const LineQuality& quality) {
    place_of(node).line = quality;
}

void SimWorld::set_reachable(const SimNode& node, bool reachable) {
    auto& place = place_of(node);
    place.reachable = reachable;
    if (reachable) return;
    std::vector<std::uint32_t> lost;
    for (const auto& [peer, link] : links_) {
        if (link->place == &place && !link->dead) lost.push_back(peer);
    }
    for (const auto peer : lost)
        lose(peer, sync::Loss::network, "connection reset by peer");
}

void SimWorld::partition(const SimNode& node, std::int64_t for_ms) {
    auto& until = place_of(node).partitioned_until_ms;
    until = std::max(until, now_ms_ + for_ms);
}

void SimWorld::clog(const SimNode& node, std::int64_t for_ms) {
    auto& until = place_of(node).clogged_until_ms;
    until = std::max(until, now_ms_ + for_ms);
}

void SimWorld::set_deaf(const SimNode& node, bool deaf) { place_of(node).deaf = deaf; }

void SimWorld::set_dark(const SimNode& node, bool dark) {
    auto& place = place_of(node);
    place.dark = dark;
    if (!dark) return;
    for (const auto& [peer, link] : links_) {
        if (link->place != &place) continue;
        link->dead = true;
        if (link->session) place.node->close(*link->session);
        link->session = nullptr;
    }
}

void SimWorld::cut_after(const SimNode& node, std::uint64_t bytes) {
    place_of(node).cut_after = bytes;
}

// What they carry

SimWorld::Link* SimWorld::find(std::uint32_t peer) {
    const auto it = links_.find(peer);
    return it == links_.end() ? nullptr : it->second.get();
}

void SimWorld::unlink(std::uint32_t peer) {
    auto* link = find(peer);
    if (!link) return;
    if (link->session) link->place->node->close(*link->session);
    links_.erase(peer);
}

void SimWorld::lose(std::uint32_t peer, sync::Loss loss, std::string detail) {
    if (!find(peer)) return;
    unlink(peer);
    feed(sync::event::Disconnected{peer, loss, std::move(detail)});
}

std::optional<std::pair<std::int64_t, std::uint32_t>> SimWorld::next_on_lines() const {
    std::optional<std::pair<std::int64_t, std::uint32_t>> next;
    for (const auto& [peer, link] : links_) {
        if (link->dead) continue;
        const auto ms = std::min(link->node_hears_ms(), link->client_hears_ms());
        if (ms != Link::never && (!next || ms < next->first)) next = {ms, peer};
    }
    return next;
}

void SimWorld::carry(std::uint32_t peer) {
    auto& link = *find(peer);
    if (link.client_hears_ms() < link.node_hears_ms()) {
        client_received(link);
    } else if (link.session) {
        node_received(link);
    } else {
        open(link);
    }
}

void SimWorld::open(Link& link) {
    link.session = &link.place->node->open(now_ms_);
    feed(sync::event::Connected{link.peer});
}

void SimWorld::execute(const sync::action::Send& action) {
    auto* link = find(action.peer);
    if (!link || !link->connected()) return;
    const auto bytes = p2p::encode_frame(chain_->network(), action.message);
    link->sent += bytes.size();
    if (link->dead) return;
    link->to_node.put(bytes, now_ms_, link->place->line, 0, link->place->dice);
}

void SimWorld::node_received(Link& link) {
    const auto piece = link.to_node.take();
    link.deaf |= link.place->deaf;
    if (link.closing || link.deaf) return;
    const auto peer = link.peer;
    if (link.wrong_network) return lose(peer, sync::Loss::closed, "End of file");
    link.node_reader.feed(piece.bytes);
    for (;;) {
        const auto next = link.node_reader.next();
        if (!next) return lose(peer, sync::Loss::closed, "End of file");
        if (!*next) return;
        link.session->on(**next, now_ms_);
    }
}

void SimWorld::flush_all() {
    for (const auto& [peer, link] : links_)
        flush(*link);
}

void SimWorld::flush(Link& link) {
    if (!link.session || link.closing) return;
    Bytes bytes;
    for (auto& outgoing : link.session->take()) {
        if (const auto* message = std::get_if<p2p::Message>(&outgoing)) {
            const auto frame = p2p::encode_frame(chain_->network(), *message);
            bytes.insert(bytes.end(), frame.begin(), frame.end());
        } else if (const auto* raw = std::get_if<RawBytes>(&outgoing)) {
            bytes.insert(bytes.end(), raw->bytes.begin(), raw->bytes.end());
        } else {
            link.closing = true;
        }
    }
    const auto& line = link.place->line;
    auto& dice = link.place->dice;
    auto rate = link.session->bytes_per_second();
    if (line.bytes_per_second > 0 && (rate == 0 || line.bytes_per_second < rate))
        rate = line.bytes_per_second;
    link.to_client.put(bytes, now_ms_, line, rate, dice);
    if (link.closing) link.to_client.put_end(now_ms_, line, dice);
}

void SimWorld::client_received(Link& link) {
    auto piece = link.to_client.take();
    const auto peer = link.peer;
    if (piece.end) return lose(peer, sync::Loss::closed, "End of file");
    auto& left = link.place->cut_after;
    const bool cut = left && *left <= piece.bytes.size();
    if (cut) {
        piece.bytes.resize(*left);
        left.reset();
    } else if (left) {
        *left -= piece.bytes.size();
    }
    link.received += piece.bytes.size();
    link.client_reader.feed(piece.bytes);
    if (read_messages(peer) && cut) lose(peer, sync::Loss::network, "connection reset by peer");
}

/// Whether the connection is still there afterwards.
bool SimWorld::read_messages(std::uint32_t peer) {
    Link* link = nullptr;
    while ((link = find(peer))) {
        auto next = link->client_reader.next();
        if (!next) {
            const auto error = next.error();
            const auto loss = error.fault == p2p::FrameFault::wrong_magic ? sync::Loss::wrong_magic
                                                                          : sync::Loss::bad_frame;
            lose(peer, loss, std::string(p2p::to_string(error.fault)) + ": " + error.detail);
            return false;
        }
        if (!*next) break;
        feed(sync::event::Received{peer, std::move(**next)});
    }
    if (link) feed(sync::event::Bytes{peer, link->received, link->sent});
    return find(peer) != nullptr;
}

} // namespace headlight::regtest
