// The engine among simulated nodes: a virtual clock, lines that carry real bytes in random pieces
// with random delays and that fail in many ways, and a disk that outlives the client. Everything
// follows from one seed: the same calls with the same seed give the same actions, byte for byte.
#pragma once

#include "p2p/framing.hpp"
#include "regtest/sim_disk.hpp"
#include "regtest/sim_node.hpp"
#include "regtest/sim_pipe.hpp"
#include "sync/engine.hpp"

#include <functional>
#include <map>

namespace headlight::regtest {

class SimWorld {
  public:
    SimWorld(ChainBuilder& chain, std::uint64_t seed);
    ~SimWorld();

    // The others
    /// A node that listens as "node-<number>", numbered from 0 in the order of the calls.
    SimNode& add_node(SimNodeConfig config = {});
    p2p::Endpoint endpoint(const SimNode& node) const;
    std::vector<p2p::Endpoint> endpoints() const; ///< all, in order

    // Their lines
    /// The least and the most delay of a piece of bytes, each way, on every line.
    void set_delay(std::int64_t least_ms, std::int64_t most_ms);
    void set_line(const SimNode& node, const LineQuality& quality);
    /// A reachable node accepts connections; one that is not loses those it has and refuses others.
    void set_reachable(const SimNode& node, bool reachable);
    /// Nothing passes for so long, and nobody is told; then all of it comes, in order.
    void partition(const SimNode& node, std::int64_t for_ms);
    /// The same towards the client only: the node hears everything.
    void clog(const SimNode& node, std::int64_t for_ms);
    /// Half-open, one way: connections are accepted and stay, and what the client sends is lost.
    void set_deaf(const SimNode& node, bool deaf);
    /// Half-open, both ways: its connections lead nowhere from now on, for good and untold; no
    /// attempt is answered until it is light again.
    void set_dark(const SimNode& node, bool dark);
    /// A connection of the node is lost once so many more bytes have reached the client, wherever
    /// in a message that is.
    void cut_after(const SimNode& node, std::uint64_t bytes);

    // The client
    SimDisk& disk() { return disk_; }
    const SimDisk& disk() const { return disk_; }
    /// Starts a client on what the disk holds (a crash, if one is running). `config.peers` empty:
    /// all nodes.
    void start(sync::Config config = {});
    /// The client is gone from one moment to the next; the disk stays.
    void crash();
    void stop(std::string_view why);
    const sync::Engine& engine() const { return *engine_; }
    bool running() const { return engine_ && !engine_->finished(); }
    wallet::Wallet& wallet() { return *wallet_; }

    // Watching a run; each of these may crash the client
    /// What a persist answers; empty: stored. Asked before anything is applied.
    std::function<std::optional<Error>(const sync::action::Persist&)> on_persist;
    /// The disk holds it; the engine does not know yet.
    std::function<void(const sync::action::Persist&)> on_durable;
    std::function<void(const sync::Event&)> on_event;   ///< before the engine is told
    std::function<void(const sync::Action&)> on_action; ///< before it is executed

    // Time
    std::int64_t now_ms() const { return now_ms_; }
    void at(std::int64_t ms, std::function<void()> what);
    /// Until the client is finished or gone; false when `limit_ms` of virtual time pass before.
    bool run(std::int64_t limit_ms = 600'000);
    void run_for(std::int64_t ms);

    // What was seen
    const std::optional<sync::notice::Finished>& outcome() const { return outcome_; }
    const std::vector<sync::Notice>& notices() const { return notices_; }
    /// One line each action of the engine, with its time.
    const std::vector<std::string>& trace() const { return trace_; }
    void set_tracing(bool tracing) { tracing_ = tracing; } ///< and keeping notices; on at first
    std::vector<sync::DropReason> drops(const SimNode& node) const;
    std::size_t connections() const { return links_.size(); }
    /// Everything that peers and the engine held at most, for the rule "bounded".
    std::size_t most_side_headers() const { return most_side_headers_; }

  private:
    struct Link;
    struct Place;

    Place& place_of(const SimNode& node);
    const Place& place_of(const SimNode& node) const;

    sync::Now now() const;
    void feed(const sync::Event& event);
    void ask(const sync::Event& event, std::deque<sync::Action>& actions);
    void store(const sync::action::Persist& persist, std::deque<sync::Action>& actions);
    void execute(const sync::action::Connect& action);
    void execute(const sync::action::Send& action);
    void execute(const sync::action::Disconnect& action);
    void execute(const sync::action::KeepBan& action) { disk_.keep(action.ban); }
    void execute(const sync::action::Persist&) {}
    void execute(const sync::action::WakeAt& action);
    void execute(const sync::action::Notify& action);

    void open(Link& link);
    void node_received(Link& link);
    void client_received(Link& link);
    bool read_messages(std::uint32_t peer);
    void flush(Link& link);
    void flush_all();
    void lose(std::uint32_t peer, sync::Loss loss, std::string detail);
    void unlink(std::uint32_t peer);
    Link* find(std::uint32_t peer);

    /// The earliest of what the lines carry.
    std::optional<std::pair<std::int64_t, std::uint32_t>> next_on_lines() const;
    void carry(std::uint32_t peer);
    bool step(std::int64_t until_ms);
    void wake();

    ChainBuilder* chain_;
    std::uint64_t seed_;
    Dice config_seeds_;
    std::int64_t now_ms_ = 0;
    std::int64_t unix_at_zero_;
    LineQuality usual_line_;
    std::uint64_t order_ = 0;
    std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> agenda_;

    std::vector<std::unique_ptr<Place>> places_;
    std::map<std::uint32_t, std::unique_ptr<Link>> links_; ///< by the running engine's peer id
    std::uint64_t generation_ = 0; ///< of the client: what was meant for an earlier one is void

    SimDisk disk_;
    std::unique_ptr<wallet::Wallet> wallet_;
    std::unique_ptr<sync::Engine> engine_;
    std::optional<std::int64_t> wake_ms_;
    std::int64_t woken_ms_ = -1; ///< last, and how often in that millisecond
    int woken_ = 0;
    std::optional<sync::notice::Finished> outcome_;
    std::vector<sync::Notice> notices_;
    std::vector<std::string> trace_;
    bool tracing_ = true;
    std::size_t most_side_headers_ = 0;
};

} // namespace headlight::regtest
