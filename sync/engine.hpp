// The engine: takes events, returns actions. No socket, clock, file or thread is in here, and no
// randomness but the seed that is handed in; the same events give the same actions.
//
//   headers.hpp         which headers to ask for, and what an answer means
//   block_fetch.hpp     filtered blocks on one connection: requests in flight, fences, answers
//   block_scan.hpp      the connection that scans for a part of the scripts
//   block_order.hpp     blocks in their order: what counts as scanned
//   parts.hpp           the parts that the scripts are spread over
//   cross_check.hpp     a second opinion on what was scanned
//   filter.hpp          what has to be in a peer's filter, and what is
//   peers.hpp           connections, handshakes, ranks, back-off
//   transactions.hpp    the mempool, relay, broadcast
//   progress.hpp        what people are shown
#pragma once

#include "chain/limits.hpp"
#include "sync/events.hpp"
#include "wallet/wallet.hpp"

#include <memory>

namespace headlight::sync {

struct Config {
    std::vector<p2p::Endpoint> peers{};
    /// A SOCKS5 proxy that every connection goes through. Here it means longer waits and other
    /// words for what fails.
    std::optional<p2p::Endpoint> proxy{};
    std::vector<Ban> bans{}; ///< of earlier runs
    std::string user_agent = "/headlight:0.1.0/";
    std::uint64_t seed = 0;  ///< for the nonces of version and ping
    double fp_rate = 0.0005; ///< the filter's design rate
    /// Whole blocks are asked for and matched here: no filter is loaded, nothing is told.
    bool whole_blocks = false;
    /// A peer that serves no filters is not tried again, even by a run that follows.
    bool no_bloom_is_final = false;
    /// Groups of peers, each of which is shown its part of the scripts only; 1: all see all.
    std::uint32_t split = 1;
    std::optional<std::int32_t> until_height{};
    std::optional<chain::Hash256> until_txid{};
    /// A second peer is asked for each scanned block with this probability, and always for the
    /// latest limits::always_checked_blocks; absent: never. A whole block is its own check.
    std::optional<double> cross_check = 0.0;
    std::int64_t mempool_wait_ms = 0; ///< for pending payments, after the fence at the tip
    bool follow = false;              ///< stay at the tip until event::Stop
    /// Announce this and end when a peer has taken it. The wallet is not scanned then.
    std::optional<chain::Transaction> broadcast{};

    std::int64_t connect_timeout_ms() const {
        return proxy ? limits::proxy_connect_timeout_ms : limits::connect_timeout_ms;
    }
};

/// What a run did, whenever it is asked for.
struct Statistics {
    struct Peer {
        std::string address; ///< host:port
        std::string agent;
        std::uint64_t bytes_received = 0;
        friend bool operator==(const Peer&, const Peer&) = default;
    };
    std::int32_t height = 0;  ///< scanned
    std::int32_t tip = 0;     ///< best header
    std::int64_t headers = 0; ///< accepted in this run
    std::int64_t scanned_blocks = 0;
    std::int64_t rescanned_blocks = 0; ///< asked again under a newer filter or of another peer
    std::int64_t filterloads = 0;
    std::uint32_t parts = 1; ///< that the scripts are spread over, each with its filter
    std::int64_t transactions_new = 0;
    std::int64_t false_positives = 0; ///< matched, proven, not ours
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
    std::vector<Peer> peers;
    std::optional<std::int32_t> reorganised{}; ///< the lowest fork above which blocks were undone
    std::int64_t cross_checked = 0;            ///< blocks that a second peer was asked for as well
    std::int64_t unchecked = 0;                ///< blocks that were to be checked, and nobody could
    std::int64_t omissions = 0;                ///< transactions of ours that one peer left out
    std::vector<std::string> accepted_by{};    ///< peers that showed the broadcast transaction
    friend bool operator==(const Statistics&, const Statistics&) = default;
};

class Engine {
  public:
    /// `archive` and `wallet` outlive the engine. The wallet is changed in memory here and made
    /// durable by action::Persist.
    Engine(const chain::Network& network, const chain::HeaderArchive& archive,
           wallet::Wallet& wallet, Config config);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// The first event is event::Started. After notice::Finished every event gives no action.
    std::vector<Action> on(const Event& event, Now now);

    Statistics statistics() const;
    const chain::HeaderTree& headers() const;
    bool finished() const;

  private:
    class Core;
    std::unique_ptr<Core> core_;
};

} // namespace headlight::sync
