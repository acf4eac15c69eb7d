// A simulated node behind a real port, on a thread of its own, as the checks see a node; and what
// makes its blocks.
#pragma once

#include "conform/maker.hpp"
#include "conform/run.hpp"
#include "regtest/sim_server.hpp"

#include <boost/asio/io_context.hpp>

#include <future>
#include <thread>

namespace headlight::tests {

class SimulatedNode : public conform::Maker {
  public:
    /// `chain` outlives the node, which knows these branches of it and stands at the last one.
    SimulatedNode(regtest::ChainBuilder& chain, const std::vector<chain::Hash256>& branches,
                  const std::string& fault = {});
    ~SimulatedNode() override;

    p2p::Endpoint endpoint() const { return {"127.0.0.1", port_}; }
    conform::NodeAddress address() const;

    result<Tip> tip() override;
    result<void> submit(const p2p::Block& block) override;
    result<void> submit(const chain::Transaction& tx) override;
    result<void> invalidate(const chain::Hash256& block) override;
    result<void> reconsider(const chain::Hash256& block) override;
    result<void> lift_bans() override { return {}; }

  private:
    /// Does it on the node's thread, and sends what the node has to say.
    template <class Do>
    auto on_thread(Do what);

    boost::asio::io_context context_;
    regtest::SimNode node_;
    std::unique_ptr<regtest::SimServer> server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

/// A chain with everything that checks ask for, made once in a process; nodes are put on it.
struct Stage {
    regtest::ChainBuilder chain;
    conform::Scene scene;
    std::vector<chain::Hash256> branches; ///< the replaced one, and the best one
};
Stage& stage();

/// Waits that suit a loopback: short where silence is what a broken node shows.
conform::Deadlines patient();
conform::Deadlines hasty();

/// Runs these checks (all, when none are named) against a node with a fault, or without.
conform::Report check_node(const std::string& fault, const std::vector<std::string>& only,
                           const conform::Deadlines& deadlines);

} // namespace headlight::tests
