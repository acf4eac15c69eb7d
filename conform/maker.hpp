// What the checks need of a node from behind, to make blocks and transactions: RPCs of a real
// node on regtest, or calls into a simulated one.
#pragma once

#include "chain/network.hpp"
#include "p2p/message.hpp"

namespace headlight::conform {

class Maker {
  public:
    virtual ~Maker() = default;

    struct Tip {
        chain::Hash256 hash;
        std::int32_t height = 0;
        std::vector<std::uint32_t> times; ///< of the last 11 blocks or fewer, the newest last
        bool signal_segwit = false;       ///< BIP-9 has yet to activate it (older nodes on regtest)
        std::int64_t now = 0;             ///< the clock by which the next block is dated
    };
    virtual result<Tip> tip() = 0;
    /// A block on the tip or beside it. Errors: not_accepted, with the node's reason.
    virtual result<void> submit(const p2p::Block& block) = 0;
    /// A transaction into the mempool. Errors: not_accepted.
    virtual result<void> submit(const chain::Transaction& tx) = 0;
    /// Errors: not_accepted where a node cannot do it.
    virtual result<void> invalidate(const chain::Hash256& block) = 0;
    virtual result<void> reconsider(const chain::Hash256& block) = 0;
    /// Lets every address that the node banned come back.
    virtual result<void> lift_bans() = 0;
};

} // namespace headlight::conform
