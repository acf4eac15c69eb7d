// The connection that scans for one part of the scripts: which blocks to ask for, and what to do
// about those that do not come. When a block is scanned is for block_order.hpp to say.
#pragma once

#include "sync/block_fetch.hpp"

#include <map>
#include <set>

namespace headlight::sync {

class BlockOrder;

class BlockScan : public BlockFetch {
  public:
    BlockScan(Context& context, FilterKeeper& filters, BlockOrder& order, std::uint32_t part)
        : BlockFetch(context, filters, part), order_(order) {}

    /// Scans over this connection from now on: loads the filter, and asks for the mempool where
    /// that is served.
    void start(PeerId peer, const std::string& address, bool serves_mempool);
    /// The connection is gone or no longer wanted; what it had not delivered will be asked again.
    void stop();

    /// The best chain changed above `fork`, the wallet is undone to there.
    void on_reorganised(std::int32_t fork);

    // For the order of blocks
    /// What came for this block of the best chain, when it is complete.
    const BlockAnswer* answer_for(std::int32_t height) const;
    /// Whether the answer knew all that this part requires now.
    bool covers(const BlockAnswer& answer) const;
    /// All above `height` is asked again, under a new filter.
    void ask_again_above(std::int32_t height);
    /// The block is scanned: its answer is done with.
    void accept(std::int32_t height);

    /// Asks for more, up to the goal (`top`), within the window.
    void pump(std::int32_t top);
    /// Everything up to `top` is scanned, nothing is in flight, and a fence has passed since the
    /// last filterload.
    bool idle_at(std::int32_t top) const;

    /// A block that this peer left unanswered or incomplete too often.
    struct GivenUp {
        std::int32_t height = 0;
        bool withheld = false; ///< answered, but transactions are missing
    };
    std::optional<GivenUp> given_up() const { return given_up_; }
    /// The lowest block that this connection left out, and that waits for another try.
    std::optional<std::int32_t> first_missing() const;
    std::int64_t next_wake_ms() const {
        const bool pausing = !missing_.empty() && retry_at_ms_ > context_.now.steady_ms;
        return pausing ? retry_at_ms_ : Context::never;
    }

    /// What it said of a block that is scanned now, for others to be held against.
    struct Scanned {
        std::int32_t height = 0;
        chain::Hash256 hash;
        std::shared_ptr<const LoadedFilter> filter;
        std::uint64_t ordinal = 0;
        std::vector<chain::Hash256> matches; ///< txids; of many, those that are ours
    };
    /// Since the last call; empty unless Config::cross_check is set.
    std::vector<Scanned> take_scanned() { return std::exchange(scanned_, {}); }

  private:
    void on_complete(BlockAnswer answer) override;
    void on_missed(std::int32_t height, const chain::Hash256& hash, Missed why) override;
    std::size_t kept_bytes() const override { return ready_bytes_; }
    std::int32_t needed_height() const override { return context_.wallet.scan().height + 1; }

    void refresh_filter();
    void ask(const std::vector<std::int32_t>& heights);
    void ask_missing();
    void ask_further(std::int32_t top);
    std::int32_t batch() const;
    bool may_ask_for(std::size_t count, std::int32_t up_to) const;
    void record(const BlockAnswer& answer);
    bool on_best_chain(std::int32_t height, const chain::Hash256& hash) const;
    void put_off(std::int32_t height);

    BlockOrder& order_;
    bool serves_mempool_ = false;
    std::map<std::int32_t, BlockAnswer> ready_; ///< complete, but not scanned yet
    std::size_t ready_bytes_ = 0;
    /// How far it asks ahead of what is scanned: less than the limit where answers had no room.
    std::int32_t lead_ = limits::scan_lead_blocks;
    std::int32_t asked_to_ = -1; ///< the highest block asked for on this connection
    std::int32_t reached_ = -1;  ///< the highest block ever asked for in this run (for statistics)

    std::set<std::int32_t> missing_;           ///< heights to ask again
    std::map<std::int32_t, int> tries_;        ///< by height, of this connection
    std::map<std::int32_t, int> tries_in_all_; ///< by height, of every connection of the run
    std::int64_t retry_at_ms_ = 0;
    std::optional<GivenUp> given_up_;
    std::vector<Scanned> scanned_;
};

} // namespace headlight::sync
