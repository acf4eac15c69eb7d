// One connection that serves blocks for one part of the scripts: what it was asked, under which
// filter, and what came. (Or whole blocks, where no filter is to be told: Config::whole_blocks.)
//
// Requests stand in a queue in the order they were sent; answers come in that order (probed), so a
// request that a later fence (ping, pong) passes over was refused. What an answer means is for the
// two kinds of such a connection to say: the one that scans (block_scan.hpp), and the one that is
// asked for a second opinion (cross_check.hpp).
#pragma once

#include "bip37/messages.hpp"
#include "chain/merkle.hpp"
#include "sync/filter.hpp"

#include <deque>
#include <list>

namespace headlight::sync {

struct WholeBlock {
    std::vector<chain::Transaction> transactions;
    chain::MerkleTree tree; ///< of their txids
};

/// A block as it was served for a part, and proven.
/// Filtered: a merkleblock whose proof holds, and its transactions as far as they are here. It is
/// stamped with the filter that was loaded when it was asked for.
/// Whole: all its transactions; there is no filter, and nothing that it could hide.
struct BlockAnswer {
    std::int32_t height = 0;
    chain::Hash256 hash;
    std::shared_ptr<LoadedFilter> filter;
    std::shared_ptr<const WholeBlock> whole;
    std::uint64_t ordinal = 0; ///< its number among the answers of this connection
    std::uint32_t total_transactions = 0;
    std::vector<bip37::ProvenTx> matches;
    std::vector<std::optional<chain::Transaction>> transactions; ///< of the matches
    std::size_t bytes = 0;

    // While it is under way:
    std::uint64_t batch = 0;
    std::size_t missing = 0;
    bool superseded = false; ///< asked again under a newer filter, or its block is not wanted now
};

/// Where the i-th match of a complete filtered answer is confirmed.
wallet::Confirmation confirmation_of(const chain::HeaderTree& tree, const BlockAnswer& answer,
                                     std::size_t i);
/// Where the i-th transaction of a whole block is confirmed.
wallet::Confirmation confirmation_in_whole(const chain::HeaderTree& tree, const BlockAnswer& answer,
                                           std::size_t i);

class BlockFetch {
  public:
    BlockFetch(Context& context, FilterKeeper& filters, std::uint32_t part)
        : context_(context), filters_(filters), part_(part) {}
    virtual ~BlockFetch() = default;

    std::optional<PeerId> peer() const { return peer_; }

    /// `no`: nobody asked for it. `bad_proof`: the peer is proven false, see proof_error().
    enum class Taken { yes, no, bad_proof };
    Taken on_merkleblock(const bip37::MerkleBlock& block);
    Taken on_block(const p2p::Block& block);
    /// Whether a merkleblock waits for it.
    bool on_transaction(const chain::Transaction& tx, const chain::Hash256& txid);
    /// Whether a merkleblock under way names it.
    bool wants(const chain::Hash256& txid) const;
    /// Keeps a transaction that nobody waits for, in case a merkleblock names it next.
    void keep_loose(const chain::Transaction& tx, const chain::Hash256& txid);
    /// Whether a transaction that nobody waits for still follows from a request of ours.
    bool take_credit();
    void on_pong(std::uint64_t nonce);

    /// When this connection last answered something it was asked for.
    std::int64_t last_progress_ms() const { return last_progress_ms_; }
    /// Rises with everything useful that it answers.
    std::int64_t progress() const { return progress_; }
    /// Something is asked for and not answered. (A connection may change its part only when not.)
    bool waiting() const { return !queue_.empty(); }
    std::shared_ptr<LoadedFilter> filter() const { return filter_; }
    /// Answers on this connection so far.
    std::uint64_t ordinal() const { return ordinal_; }
    /// Proven transactions of this connection that our mirror of its filter does not match.
    std::int64_t unmatched() const { return unmatched_; }
    const std::optional<Error>& proof_error() const { return proof_error_; }

  protected:
    enum class Missed {
        unanswered, ///< its fence passed without it
        incomplete, ///< answered, but transactions are missing
        no_room     ///< thrown away: too much waits for earlier blocks
    };
    /// A node that reorganises knows the block a moment later.
    static constexpr std::int64_t retry_pause_ms = 500;

    virtual void on_complete(BlockAnswer answer) = 0;
    virtual void on_missed(std::int32_t height, const chain::Hash256& hash, Missed why) = 0;
    /// Bytes for answers that wait: all parts share one limit.
    std::size_t room() const { return limits::scan_buffer_bytes / context_.spread(); }
    /// Bytes of complete answers that are kept, and the height that is needed whatever is kept.
    virtual std::size_t kept_bytes() const { return 0; }
    virtual std::int32_t needed_height() const { return -1; }

    /// `address` is the peer's.
    void open(PeerId peer, const std::string& address);
    void close();
    bool whole_blocks() const { return context_.config.whole_blocks; }
    void load_filter();
    /// Asks for blocks of the best chain, and closes the batch with a fence.
    void request(const std::vector<std::int32_t>& heights);
    void fence();
    /// What is asked for above this height is not wanted any more.
    void supersede_above(std::int32_t height);

    std::size_t in_flight() const { return blocks_in_flight_; }
    /// No block is asked for, and none waits for its transactions.
    bool quiet() const { return queue_.empty() && open_.empty(); }
    bool fenced() const { return fenced_; }
    bool fence_wanted() const { return fence_wanted_; }

    Context& context_;
    FilterKeeper& filters_;
    const std::uint32_t part_;
    std::string address_; ///< the peer's

  private:
    struct Request { ///< a block asked for, or (height < 0) a fence
        std::int32_t height = -1;
        chain::Hash256 hash{};
        std::uint64_t fence_nonce = 0;
        std::shared_ptr<LoadedFilter> filter;
        std::uint64_t batch = 0;
        bool superseded = false;
        bool is_fence() const { return height < 0; }
    };
    struct Loose {
        chain::Hash256 txid;
        chain::Transaction tx;
        std::size_t bytes = 0;
    };

    std::deque<Request>::iterator asked_for(const chain::Hash256& hash);
    Request take_request(std::deque<Request>::iterator entry);
    BlockAnswer answer_to(const Request& request) const;
    bool no_room_for(const BlockAnswer& answer) const;
    static bool fill(BlockAnswer& answer, const chain::Transaction& tx, const chain::Hash256& txid);
    void complete(std::list<BlockAnswer>::iterator answer);
    std::optional<chain::Transaction> remembered(const chain::Hash256& txid) const;
    std::size_t held_bytes() const;
    void progressed() {
        last_progress_ms_ = context_.now.steady_ms;
        ++progress_;
    }

    std::optional<PeerId> peer_;
    std::shared_ptr<LoadedFilter> filter_;
    std::deque<Request> queue_;
    std::size_t blocks_in_flight_ = 0; ///< requests in the queue that are not fences
    std::list<BlockAnswer> open_;      ///< merkleblocks whose transactions are not all here
    std::deque<Loose> loose_;
    std::size_t loose_bytes_ = 0;

    std::uint64_t batch_ = 0;
    std::uint64_t ordinal_ = 0;
    bool fenced_ = false;       ///< a pong has come since the last filterload
    bool fence_wanted_ = false; ///< something was sent that no fence closes yet
    std::int64_t unmatched_ = 0;
    std::int64_t credit_ = 0; ///< transactions that may still come without being waited for
    std::int64_t last_progress_ms_ = 0;
    std::int64_t progress_ = 0;
    std::optional<Error> proof_error_;
};

} // namespace headlight::sync
