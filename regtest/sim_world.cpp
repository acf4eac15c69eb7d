// The client of a simulated world, and its time.
#include "regtest/sim_world.hpp"

#include "regtest/script_memory.hpp"
#include "regtest/sim_world_parts.hpp"

#include <stdexcept>

namespace headlight::regtest {

SimWorld::SimWorld(ChainBuilder& chain, std::uint64_t seed)
    : chain_(&chain),
      seed_(seed),
      config_seeds_(seed, "client"),
      unix_at_zero_(SimNodeConfig{}.unix_at_zero) {
    disk_.wallet.network = std::string(chain.network().name);
}

SimWorld::~SimWorld() = default;

SimNode& SimWorld::add_node(SimNodeConfig config) {
    const auto number = places_.size();
    config.nonce += number;
    config.unix_at_zero = unix_at_zero_;
    places_.push_back(
        std::make_unique<Place>(Place{.node = std::make_unique<SimNode>(*chain_, std::move(config)),
                                      .endpoint = {"node-" + std::to_string(number), 18444},
                                      .dice = Dice(seed_, "line", number),
                                      .line = usual_line_}));
    return *places_.back()->node;
}

p2p::Endpoint SimWorld::endpoint(const SimNode& node) const { return place_of(node).endpoint; }

std::vector<p2p::Endpoint> SimWorld::endpoints() const {
    std::vector<p2p::Endpoint> all;
    for (const auto& place : places_)
        all.push_back(place->endpoint);
    return all;
}

std::vector<sync::DropReason> SimWorld::drops(const SimNode& node) const {
    return place_of(node).drops;
}

// The client

void SimWorld::start(sync::Config config) {
    crash();
    if (config.peers.empty()) config.peers = endpoints();
    const auto seed = config_seeds_.next();
    if (config.seed == 0) config.seed = seed;
    auto wallet = wallet::Wallet::load(disk_.wallet, chain_->network(), remembered_scripts());
    if (!wallet)
        throw std::logic_error("the disk holds no wallet: " + headlight::to_string(wallet.error()));
    wallet_ = std::move(*wallet);
    engine_ = std::make_unique<sync::Engine>(chain_->network(), disk_.headers, *wallet_, config);
    outcome_.reset();
    feed(sync::event::Started{});
}

void SimWorld::crash() {
    ++generation_;
    while (!links_.empty())
        unlink(links_.begin()->first);
    engine_.reset();
    wake_ms_.reset();
}

void SimWorld::stop(std::string_view why) { feed(sync::event::Stop{why}); }

sync::Now SimWorld::now() const { return {now_ms_, unix_at_zero_ + now_ms_ / 1000}; }

void SimWorld::feed(const sync::Event& event) {
    std::deque<sync::Action> actions;
    ask(event, actions);
    const auto generation = generation_;
    while (generation == generation_ && !actions.empty()) {
        const auto action = std::move(actions.front());
        actions.pop_front();
        if (tracing_) trace_.push_back(std::to_string(now_ms_) + " " + sync::to_string(action));
        if (on_action) on_action(action);
        if (generation != generation_) return;
        if (const auto* persist = std::get_if<sync::action::Persist>(&action)) {
            store(*persist, actions);
        } else {
            std::visit([this](const auto& it) { execute(it); }, action);
        }
    }
}

void SimWorld::ask(const sync::Event& event, std::deque<sync::Action>& actions) {
    if (!running()) return;
    if (on_event) on_event(event);
    if (!engine_) return;
    for (auto& action : engine_->on(event, now()))
        actions.push_back(std::move(action));
    most_side_headers_ = std::max(most_side_headers_, engine_->headers().side_headers());
}

/// The answer comes before anything else happens.
void SimWorld::store(const sync::action::Persist& persist, std::deque<sync::Action>& actions) {
    const auto generation = generation_;
    auto error = on_persist ? on_persist(persist) : std::nullopt;
    if (generation != generation_) return; // it crashed while writing
    if (!error) disk_.apply(persist);
    if (!error && on_durable) on_durable(persist);
    if (generation != generation_) return;
    ask(sync::event::Stored{persist.id, std::move(error)}, actions);
}

void SimWorld::execute(const sync::action::Notify& action) {
    if (tracing_) notices_.push_back(action.notice);
    if (const auto* finished = std::get_if<sync::notice::Finished>(&action.notice)) {
        outcome_ = *finished;
    }
}

void SimWorld::execute(const sync::action::WakeAt& action) { wake_ms_ = action.steady_ms; }

void SimWorld::execute(const sync::action::Connect& action) {
    const auto found = std::find_if(places_.begin(), places_.end(), [&](const auto& place) {
        return place->endpoint == action.endpoint;
    });
    auto* place = found == places_.end() ? nullptr : found->get();
    const auto answered = [&](const LineQuality& line, Dice& dice) {
        return now_ms_ + dice.between(line.least_delay_ms, line.most_delay_ms);
    };
    if (!place || (!place->reachable && !place->dark)) {
        const auto ms = place ? answered(place->line, place->dice) : now_ms_ + 1;
        at(ms, [this, peer = action.peer, generation = generation_] {
            if (generation != generation_) return;
            feed(sync::event::Disconnected{peer, sync::Loss::refused, "Connection refused"});
        });
        return;
    }
    auto link = std::make_unique<Link>(chain_->network());
    link->peer = action.peer;
    link->place = place;
    link->dead = place->dark;
    link->connects_ms = answered(place->line, place->dice);
    link->wrong_network = action.network != chain_->network().id;
    links_[action.peer] = std::move(link);
}

void SimWorld::execute(const sync::action::Disconnect& action) {
    if (auto* link = find(action.peer)) link->place->drops.push_back(action.reason);
    unlink(action.peer);
}

// Time

void SimWorld::at(std::int64_t ms, std::function<void()> what) {
    agenda_.emplace(std::pair(std::max(ms, now_ms_), order_++), std::move(what));
}

/// Moves to the next thing that happens, if it does by `until_ms`.
bool SimWorld::step(std::int64_t until_ms) {
    flush_all(); // what was done to the nodes between two steps
    const auto line = next_on_lines();
    const auto planned = agenda_.empty() ? Link::never : agenda_.begin()->first.first;
    const auto carried = line ? line->first : Link::never;
    const auto woken = running() && wake_ms_ ? *wake_ms_ : Link::never;
    auto next = std::min({planned, carried, woken});
    for (const auto& place : places_) {
        for (const auto& session : place->node->sessions()) {
            if (const auto wake = session->next_wake_ms()) next = std::min(next, *wake);
        }
    }
    if (next > until_ms) return false;
    now_ms_ = std::max(now_ms_, next);
    if (planned <= now_ms_) {
        const auto what = std::move(agenda_.begin()->second);
        agenda_.erase(agenda_.begin());
        what();
    } else if (carried <= now_ms_) {
        carry(line->second);
    } else if (woken <= now_ms_) {
        wake();
    } else {
        for (const auto& place : places_) {
            for (const auto& session : place->node->sessions())
                session->tick(now_ms_);
        }
    }
    flush_all();
    return true;
}

void SimWorld::wake() {
    constexpr int busy = 10'000;
    woken_ = woken_ms_ == now_ms_ ? woken_ + 1 : 0;
    woken_ms_ = now_ms_;
    if (woken_ > busy) throw std::runtime_error("the engine wants to be woken again and again");
    wake_ms_.reset();
    feed(sync::event::Tick{});
}

bool SimWorld::run(std::int64_t limit_ms) {
    const auto until = now_ms_ + limit_ms;
    while (running()) {
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
