// Unconfirmed transactions: what the scanning peer announces under our filter (its mempool, then
// relay), fetched and, when ours, put into the ledger as pending.
#pragma once

#include "sync/block_scan.hpp"

namespace headlight::sync {

class Relay {
  public:
    Relay(Context& context, FilterKeeper& filters, BlockScan& scan)
        : context_(context), filters_(filters), scan_(scan) {}

    void on_inv(PeerId peer, const p2p::Inv& inv);
    /// Whether it was asked for.
    bool on_transaction(const chain::Transaction& tx, const chain::Hash256& txid);
    void on_notfound(const p2p::NotFound& message);
    void on_pong(std::uint64_t nonce);
    /// The scanning connection is gone: what was asked for is announced again by the next one.
    void forget();
    bool idle() const { return requested_.empty() && wanted_.empty(); }

  private:
    struct Announced {
        std::shared_ptr<LoadedFilter> filter; ///< under which the server matched it, when certain
        std::uint64_t ordinal = 0;            ///< the first answer that knows what the match added
        std::uint64_t fence_nonce = 0;
    };

    void announce(const chain::Hash256& txid);
    void request_more(PeerId peer);
    void take(const chain::Transaction& tx, const chain::Hash256& txid);
    void retry_strangers();
    void remember_stranger(const chain::Transaction& tx, const chain::Hash256& txid);

    Context& context_;
    FilterKeeper& filters_;
    BlockScan& scan_;
    std::deque<std::pair<chain::Hash256, Announced>> wanted_;
    std::map<chain::Hash256, Announced> requested_;
    /// Matched and not ours: false positives, and children that came before their parents.
    std::deque<std::pair<chain::Hash256, chain::Transaction>> strangers_;
};

} // namespace headlight::sync
