// The engine among simulated nodes: a virtual clock, links that carry real bytes in random pieces
// with random delays, and a disk that outlives the client. Everything follows from one seed: the
// same calls with the same seed give the same actions, byte for byte.
#pragma once

#include "p2p/framing.hpp"
#include "regtest/sim_disk.hpp"
#include "regtest/sim_node.hpp"
#include "sync/engine.hpp"

#include <functional>
#include <map>
#include <random>

namespace headlight::regtest {

class SimWorld {
  public:
    SimWorld(ChainBuilder& chain, std::uint64_t seed);
    ~SimWorld();

    // The others
    /// A node that listens as "node-<number>", numbered from 0 in the order of the calls.
    SimNode& add_node(SimNodeConfig config = {});
    /// A reachable node accepts connections; one that is not loses those it has.
    void set_reachable(const SimNode& node, bool reachable);
    p2p::Endpoint endpoint(const SimNode& node) const;
    std::vector<p2p::Endpoint> endpoints() const; ///< all, in order
    /// The least and the most delay of a piece of bytes, each way.
    void set_delay(std::int64_t least_ms, std::int64_t most_ms);

    // The client
    SimDisk& disk() { return disk_; }
    /// Starts a client on what the disk holds (a crash, if one is running). `config.peers` empty:
    /// all nodes.
    void start(sync::Config config = {});
    /// The client is gone from one moment to the next; the disk stays.
    void crash();
    void stop(std::string_view why);
    const sync::Engine& engine() const { return *engine_; }
    wallet::Wallet& wallet() { return *wallet_; }
    /// What a persist answers; empty: stored. Asked before anything is applied.
    std::function<std::optional<Error>(const sync::action::Persist&)> on_persist;

    // Time
    std::int64_t now_ms() const { return now_ms_; }
    void at(std::int64_t ms, std::function<void()> what);
    /// Until the client is finished; false when `limit_ms` of virtual time pass before.
    bool run(std::int64_t limit_ms = 600'000);
    void run_for(std::int64_t ms);

    // What was seen
    const std::optional<sync::notice::Finished>& outcome() const { return outcome_; }
    const std::vector<sync::Notice>& notices() const { return notices_; }
    /// One line each action of the engine, with its time.
    const std::vector<std::string>& trace() const { return trace_; }
    std::vector<sync::DropReason> drops(const SimNode& node) const;
    /// Everything that peers and the engine held at most, for the rule "bounded".
    std::size_t most_side_headers() const { return most_side_headers_; }

  private:
    struct Link;

    sync::Now now() const;
    void feed(const sync::Event& event);
    void execute(const sync::action::Connect& action);
    void execute(const sync::action::Send& action);
    void execute(const sync::action::Disconnect& action);
    void execute(const sync::action::Persist& action);
    void execute(const sync::action::WakeAt& action);
    void execute(const sync::action::Notify& action);
    void to_node(Link& link, Bytes bytes);
    void to_client(Link& link, Bytes bytes);
    void node_received(std::uint32_t peer, const Bytes& bytes);
    void client_received(std::uint32_t peer, const Bytes& bytes);
    void flush(Link& link);
    void flush_all();
    void lose(std::uint32_t peer, sync::Loss loss, std::string detail);
    void unlink(std::uint32_t peer);
    std::int64_t delay();
    bool step(std::int64_t until_ms);
    Link* find(std::uint32_t peer);

    ChainBuilder* chain_;
    std::mt19937_64 random_;
    std::int64_t now_ms_ = 0;
    std::int64_t unix_at_zero_;
    std::int64_t least_delay_ms_ = 1;
    std::int64_t most_delay_ms_ = 5;
    std::uint64_t order_ = 0;
    std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> agenda_;

    struct Place {
        std::unique_ptr<SimNode> node;
        bool reachable = true;
        std::vector<sync::DropReason> drops;
    };
    std::vector<Place> places_;
    std::map<std::uint32_t, std::unique_ptr<Link>> links_; ///< by the running engine's peer id
    std::uint64_t generation_ = 0; ///< of the client: what was meant for an earlier one is void

    SimDisk disk_;
    std::unique_ptr<wallet::Wallet> wallet_;
    std::unique_ptr<sync::Engine> engine_;
    std::optional<std::int64_t> wake_ms_;
    std::optional<sync::notice::Finished> outcome_;
    std::vector<sync::Notice> notices_;
    std::vector<std::string> trace_;
    std::size_t most_side_headers_ = 0;
};

} // namespace headlight::regtest
