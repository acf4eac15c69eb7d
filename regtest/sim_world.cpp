#include "regtest/sim_world.hpp"

#include <stdexcept>

namespace headlight::regtest {

struct SimWorld::Link {
    std::uint32_t peer = 0;
    std::size_t place = 0;
    SimSession* session = nullptr;
    bool connected = false;
    bool closing = false; ///< the node has ended it; its last bytes are under way
    bool wrong_network = false;
    p2p::FrameReader client_reader;
    p2p::FrameReader node_reader;
    std::int64_t client_free_ms = 0; ///< bytes arrive in order: not before this
    std::int64_t node_free_ms = 0;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;

    explicit Link(const chain::Network& network) : client_reader(network), node_reader(network) {}
};

SimWorld::SimWorld(ChainBuilder& chain, std::uint64_t seed)
    : chain_(&chain), random_(seed), unix_at_zero_(SimNodeConfig{}.unix_at_zero) {
    disk_.wallet.network = std::string(chain.network().name);
}

SimWorld::~SimWorld() = default;

// The others

SimNode& SimWorld::add_node(SimNodeConfig config) {
    config.nonce += places_.size();
    config.unix_at_zero = unix_at_zero_;
    places_.push_back({std::make_unique<SimNode>(*chain_, std::move(config)), true, {}});
    return *places_.back().node;
}

p2p::Endpoint SimWorld::endpoint(const SimNode& node) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].node.get() == &node) return {"node-" + std::to_string(i), 18444};
    }
    throw std::logic_error("a node of another world");
}

std::vector<p2p::Endpoint> SimWorld::endpoints() const {
    std::vector<p2p::Endpoint> all;
    for (const auto& place : places_)
        all.push_back(endpoint(*place.node));
    return all;
}

void SimWorld::set_reachable(const SimNode& node, bool reachable) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].node.get() != &node) continue;
        places_[i].reachable = reachable;
        if (reachable) return;
        std::vector<std::uint32_t> lost;
        for (const auto& [peer, link] : links_) {
            if (link->place == i) lost.push_back(peer);
        }
        for (const auto peer : lost)
            lose(peer, sync::Loss::network, "connection reset by peer");
    }
}

void SimWorld::set_delay(std::int64_t least_ms, std::int64_t most_ms) {
    least_delay_ms_ = least_ms;
    most_delay_ms_ = most_ms;
}

std::int64_t SimWorld::delay() {
    return least_delay_ms_ +
           static_cast<std::int64_t>(
               random_() % static_cast<std::uint64_t>(most_delay_ms_ - least_delay_ms_ + 1));
}

std::vector<sync::DropReason> SimWorld::drops(const SimNode& node) const {
    for (const auto& place : places_) {
        if (place.node.get() == &node) return place.drops;
    }
    return {};
}

// The client

void SimWorld::start(sync::Config config) {
    crash();
    if (config.peers.empty()) config.peers = endpoints();
    if (config.seed == 0) config.seed = random_();
    auto wallet = wallet::Wallet::load(disk_.wallet, chain_->network());
    if (!wallet)
        throw std::logic_error("the disk holds no wallet: " + headlight::to_string(wallet.error()));
    wallet_ = std::move(*wallet);
    engine_ = std::make_unique<sync::Engine>(chain_->network(), disk_.headers, *wallet_, config);
    outcome_.reset();
    feed(sync::event::Started{});
}

void SimWorld::crash() {
    ++generation_;
    std::vector<std::uint32_t> peers;
    for (const auto& [peer, link] : links_)
        peers.push_back(peer);
    for (const auto peer : peers)
        unlink(peer);
    engine_.reset();
    wake_ms_.reset();
}

void SimWorld::stop(std::string_view why) { feed(sync::event::Stop{why}); }

sync::Now SimWorld::now() const { return {now_ms_, unix_at_zero_ + now_ms_ / 1000}; }

void SimWorld::feed(const sync::Event& event) {
    if (!engine_ || engine_->finished()) return;
    std::deque<sync::Action> actions;
    const auto take = [&](const sync::Event& it) {
        auto more = engine_->on(it, now());
        most_side_headers_ = std::max(most_side_headers_, engine_->headers().side_headers());
        // The answer to a persist comes before anything else happens.
        std::vector<sync::Action> later;
        for (auto& action : more) {
            trace_.push_back(std::to_string(now_ms_) + " " + sync::to_string(action));
            later.push_back(std::move(action));
        }
        actions.insert(actions.end(), std::make_move_iterator(later.begin()),
                       std::make_move_iterator(later.end()));
    };
    take(event);
    while (!actions.empty()) {
        const auto action = std::move(actions.front());
        actions.pop_front();
        if (const auto* persist = std::get_if<sync::action::Persist>(&action)) {
            auto error = on_persist ? on_persist(*persist) : std::nullopt;
            if (!engine_) return; // it crashed while writing
            if (!error) disk_.apply(*persist);
            take(sync::event::Stored{persist->id, std::move(error)});
            continue;
        }
        std::visit([this](const auto& it) { execute(it); }, action);
    }
}

void SimWorld::execute(const sync::action::Persist&) {}

void SimWorld::execute(const sync::action::Notify& action) {
    notices_.push_back(action.notice);
    if (const auto* finished = std::get_if<sync::notice::Finished>(&action.notice)) {
        outcome_ = *finished;
    }
}

void SimWorld::execute(const sync::action::WakeAt& action) { wake_ms_ = action.steady_ms; }

void SimWorld::execute(const sync::action::Connect& action) {
    std::size_t place = places_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (endpoint(*places_[i].node) == action.endpoint) place = i;
    }
    const auto peer = action.peer;
    const auto generation = generation_;
    if (place == places_.size() || !places_[place].reachable) {
        at(now_ms_ + delay(), [this, peer, generation] {
            if (generation != generation_) return;
            feed(sync::event::Disconnected{peer, sync::Loss::refused, "Connection refused"});
        });
        return;
    }
    auto link = std::make_unique<Link>(chain_->network());
    link->peer = peer;
    link->place = place;
    link->wrong_network = action.network != chain_->network().id;
    links_[peer] = std::move(link);
    at(now_ms_ + delay(), [this, peer, generation] {
        auto* opened = generation == generation_ ? find(peer) : nullptr;
        if (!opened) return;
        opened->connected = true;
        opened->session = &places_[opened->place].node->open(now_ms_);
        feed(sync::event::Connected{peer});
        if (auto* still = find(peer)) flush(*still);
    });
}

void SimWorld::execute(const sync::action::Send& action) {
    auto* link = find(action.peer);
    if (!link || !link->connected) return;
    to_node(*link, p2p::encode_frame(chain_->network(), action.message));
}

void SimWorld::execute(const sync::action::Disconnect& action) {
    if (auto* link = find(action.peer)) places_[link->place].drops.push_back(action.reason);
    unlink(action.peer);
}

SimWorld::Link* SimWorld::find(std::uint32_t peer) {
    const auto it = links_.find(peer);
    return it == links_.end() ? nullptr : it->second.get();
}

void SimWorld::unlink(std::uint32_t peer) {
    auto* link = find(peer);
    if (!link) return;
    if (link->session) places_[link->place].node->close(*link->session);
    links_.erase(peer);
}

void SimWorld::lose(std::uint32_t peer, sync::Loss loss, std::string detail) {
    if (!find(peer)) return;
    unlink(peer);
    feed(sync::event::Disconnected{peer, loss, std::move(detail)});
}

// The wire

void SimWorld::to_node(Link& link, Bytes bytes) {
    link.sent += bytes.size();
    link.node_free_ms = std::max(link.node_free_ms, now_ms_ + delay());
    const auto generation = generation_;
    at(link.node_free_ms, [this, peer = link.peer, generation, bytes = std::move(bytes)] {
        if (generation == generation_) node_received(peer, bytes);
    });
}

void SimWorld::node_received(std::uint32_t peer, const Bytes& bytes) {
    auto* link = find(peer);
    if (!link || link->closing) return;
    if (link->wrong_network) return lose(peer, sync::Loss::closed, "End of file");
    link->node_reader.feed(bytes);
    for (;;) {
        const auto next = link->node_reader.next();
        if (!next) return lose(peer, sync::Loss::closed, "End of file");
        if (!*next) break;
        link->session->on(**next, now_ms_);
    }
    flush_all(); // what one session hears may be news for the others
}

void SimWorld::flush_all() {
    std::vector<std::uint32_t> peers;
    for (const auto& [peer, link] : links_)
        peers.push_back(peer);
    for (const auto peer : peers) {
        if (auto* link = find(peer)) flush(*link);
    }
}

void SimWorld::flush(Link& link) {
    if (!link.session || link.closing) return;
    for (auto& outgoing : link.session->take()) {
        if (const auto* message = std::get_if<p2p::Message>(&outgoing)) {
            to_client(link, p2p::encode_frame(chain_->network(), *message));
        } else if (auto* raw = std::get_if<RawBytes>(&outgoing)) {
            to_client(link, std::move(raw->bytes));
        } else {
            link.closing = true;
            const auto generation = generation_;
            at(std::max(link.client_free_ms, now_ms_ + delay()),
               [this, peer = link.peer, generation] {
                   if (generation == generation_) lose(peer, sync::Loss::closed, "End of file");
               });
            return;
        }
    }
}

/// In pieces that end anywhere, no faster than the link carries them.
void SimWorld::to_client(Link& link, Bytes bytes) {
    const auto rate = link.session->bytes_per_second();
    const auto generation = generation_;
    std::size_t position = 0;
    while (position < bytes.size()) {
        auto size = std::min<std::size_t>(1 + random_() % 4'096, bytes.size() - position);
        if (rate > 0) size = 1;
        Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(position),
                    bytes.begin() + static_cast<std::ptrdiff_t>(position + size));
        position += size;
        link.client_free_ms = std::max(link.client_free_ms, now_ms_ + delay());
        if (rate > 0) link.client_free_ms += std::max<std::int64_t>(1'000 / rate, 1);
        at(link.client_free_ms, [this, peer = link.peer, generation, piece = std::move(piece)] {
            if (generation == generation_) client_received(peer, piece);
        });
    }
}

void SimWorld::client_received(std::uint32_t peer, const Bytes& bytes) {
    auto* link = find(peer);
    if (!link) return;
    link->received += bytes.size();
    link->client_reader.feed(bytes);
    for (;;) {
        auto next = link->client_reader.next();
        if (!next) {
            const auto error = next.error();
            const auto loss = error.fault == p2p::FrameFault::wrong_magic ? sync::Loss::wrong_magic
                                                                          : sync::Loss::bad_frame;
            return lose(peer, loss, std::string(p2p::to_string(error.fault)) + ": " + error.detail);
        }
        if (!*next) break;
        feed(sync::event::Received{peer, std::move(**next)});
        link = find(peer);
        if (!link) return;
    }
    feed(sync::event::Bytes{peer, link->received, link->sent});
}

// Time

void SimWorld::at(std::int64_t ms, std::function<void()> what) {
    agenda_.emplace(std::pair(std::max(ms, now_ms_), order_++), std::move(what));
}

/// Moves to the next thing that happens, if it does by `until_ms`.
bool SimWorld::step(std::int64_t until_ms) {
    flush_all(); // what was done to the nodes between two steps
    auto next = agenda_.empty() ? until_ms + 1 : agenda_.begin()->first.first;
    if (engine_ && !engine_->finished() && wake_ms_) next = std::min(next, *wake_ms_);
    for (const auto& place : places_) {
        for (const auto& session : place.node->sessions()) {
            if (const auto wake = session->next_wake_ms()) next = std::min(next, *wake);
        }
    }
    if (next > until_ms) return false;
    now_ms_ = std::max(now_ms_, next);
    if (!agenda_.empty() && agenda_.begin()->first.first <= now_ms_) {
        const auto what = std::move(agenda_.begin()->second);
        agenda_.erase(agenda_.begin());
        what();
    } else if (wake_ms_ && *wake_ms_ <= now_ms_) {
        wake_ms_.reset();
        feed(sync::event::Tick{});
    } else {
        for (const auto& place : places_) {
            for (const auto& session : place.node->sessions())
                session->tick(now_ms_);
        }
    }
    flush_all();
    return true;
}

bool SimWorld::run(std::int64_t limit_ms) {
    const auto until = now_ms_ + limit_ms;
    while (engine_ && !engine_->finished()) {
        if (!step(until)) return false;
    }
    return true;
}

void SimWorld::run_for(std::int64_t ms) {
    const auto until = now_ms_ + ms;
    while (step(until)) {
    }
    now_ms_ = until;
}

} // namespace headlight::regtest
