// What the parts of the engine share: the chain, the wallet, the time of the event under way, and
// the actions that it will return.
#pragma once

#include "sync/engine.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace headlight::sync {

struct Context {
    Context(const chain::Network& net, const chain::HeaderArchive& archive, wallet::Wallet& wal,
            Config cfg)
        : network(net),
          tree(net, archive),
          wallet(wal),
          config(std::move(cfg)),
          random(config.seed) {}

    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    const chain::Network& network;
    chain::HeaderTree tree;
    wallet::Wallet& wallet;
    const Config config;
    Now now;
    std::set<PeerId> with_filter; ///< connections that have been given one
    Statistics statistics;        ///< counters; what can be looked up is filled in when asked for
    std::vector<Action> actions;  ///< of the event under way
    wallet::LedgerDelta ledger_changes; ///< not yet seen by the filter
    std::vector<Ban> bans;              ///< to be kept with the next persist
    std::vector<Notice> when_stored;    ///< told once the next persist is durable

    /// Over how many parts, and so filters, the scripts are spread in this run.
    std::uint32_t spread() const {
        if (config.broadcast || config.whole_blocks) return 1;
        return wallet.filter().parts();
    }

    void act(Action action) { actions.push_back(std::move(action)); }
    void send(PeerId peer, p2p::Message message) { act(action::Send{peer, std::move(message)}); }
    void notify(Notice notice) { act(action::Notify{std::move(notice)}); }
    void warn(Error error) { notify(notice::Warning{std::move(error)}); }
    std::uint64_t nonce() { return random(); }

    /// Takes what the ledger changed: the filter needs the coins, people the events.
    void note(wallet::LedgerDelta delta) {
        for (const auto& event : delta.events)
            when_stored.push_back(notice::Transaction{event});
        if (!config.whole_blocks) ledger_changes.append(std::move(delta));
    }

  private:
    std::mt19937_64 random;
};

} // namespace headlight::sync
