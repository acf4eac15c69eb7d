// Filtered blocks: which to ask for, and when one counts as scanned.
//
// One connection scans. Requests stand in a queue in the order they were sent; answers come in that
// order (probed), so a request that a later fence (ping, pong) passes over was refused. An answer
// is stamped with the filter that was loaded when it was asked for; a block is scanned only when
// everything the wallet requires after applying it was known to that filter (rule: complete).
#pragma once

#include "bip37/messages.hpp"
#include "sync/filter.hpp"

#include <deque>
#include <list>
#include <set>

namespace headlight::sync {

class BlockScan {
  public:
    BlockScan(Context& context, FilterKeeper& filters) : context_(context), filters_(filters) {}

    /// Scans over this connection from now on: loads the filter, asks for the mempool.
    void start(PeerId peer);
    /// The connection is gone or no longer wanted; what it had not delivered will be asked again.
    void stop();
    std::optional<PeerId> peer() const { return peer_; }

    /// `no`: nobody asked for it. `bad_proof`: the peer is proven false, see proof_error().
    enum class Taken { yes, no, bad_proof };
    Taken on_merkleblock(const bip37::MerkleBlock& block);
    /// Whether a merkleblock waits for it.
    bool on_transaction(const chain::Transaction& tx, const chain::Hash256& txid);
    /// Whether a merkleblock under way names it.
    bool wants(const chain::Hash256& txid) const;
    /// Keeps a transaction that nobody waits for, in case a merkleblock names it next.
    void keep_loose(const chain::Transaction& tx, const chain::Hash256& txid);
    /// Whether a transaction that nobody waits for still follows from a request of ours.
    bool take_credit();
    void on_pong(std::uint64_t nonce);

    /// The best chain changed above `fork`, the wallet is undone to there.
    void on_reorganised(std::int32_t fork);

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
    /// Blocks of this connection wait for another try.
    bool has_missing() const { return !tries_.empty() && !missing_.empty(); }
    std::int32_t first_missing() const { return *missing_.begin(); }
    /// Proven transactions of this connection that our mirror of its filter does not match.
    std::int64_t unmatched() const { return unmatched_; }

    /// When this connection last answered something it was asked for.
    std::int64_t last_progress_ms() const { return last_progress_ms_; }
    /// Rises with everything useful that it answers.
    std::int64_t progress() const { return progress_; }
    bool waiting() const { return !queue_.empty(); }
    std::int64_t next_wake_ms() const { return missing_.empty() ? Context::never : retry_at_ms_; }
    std::shared_ptr<LoadedFilter> filter() const { return filter_; }
    std::uint64_t ordinal() const { return ordinal_; }
    const std::optional<Error>& proof_error() const { return proof_error_; }

  private:
    struct Request { ///< a block asked for, or (hash null) a fence
        std::int32_t height = -1;
        chain::Hash256 hash{};
        std::uint64_t fence_nonce = 0;
        std::shared_ptr<LoadedFilter> filter;
        std::uint64_t batch = 0;
        bool superseded = false;
        bool is_fence() const { return height < 0; }
    };
    struct Answer {
        std::int32_t height = 0;
        chain::Hash256 hash;
        std::shared_ptr<LoadedFilter> filter;
        std::uint64_t ordinal = 0;
        std::uint64_t batch = 0;
        bool superseded = false;
        std::uint32_t total_transactions = 0;
        std::vector<bip37::ProvenTx> matches;
        std::vector<std::optional<chain::Transaction>> transactions; ///< as matches
        std::size_t missing = 0;
        std::size_t bytes = 0;
    };

    void load_filter();
    void fence();
    void request(const std::vector<std::int32_t>& heights);
    void rewind(std::int32_t height);
    /// A node that reorganises knows the block a moment later.
    static constexpr std::int64_t retry_pause_ms = 500;

    static bool fill(Answer& answer, const chain::Transaction& tx, const chain::Hash256& txid);
    void complete(std::list<Answer>::iterator answer);
    void apply_ready();
    void apply(const Answer& answer);
    void miss(std::int32_t height, const chain::Hash256& hash, bool withheld);
    bool on_best_chain(std::int32_t height, const chain::Hash256& hash) const;
    std::optional<chain::Transaction> remembered(const chain::Hash256& txid) const;
    void forget_flight();
    std::size_t held_bytes() const;
    void put_off(std::int32_t height);

    Context& context_;
    FilterKeeper& filters_;

    std::optional<PeerId> peer_;
    std::shared_ptr<LoadedFilter> filter_;
    std::deque<Request> queue_;
    std::size_t blocks_in_flight_ = 0; ///< requests in the queue that are not fences
    std::list<Answer> open_;           ///< merkleblocks whose transactions are not all here
    std::map<std::int32_t, Answer> ready_;
    std::size_t ready_bytes_ = 0;
    std::int32_t asked_to_ = -1; ///< the highest block asked for on this connection
    std::int32_t reached_ = -1;  ///< the highest block ever asked for in this run (for statistics)
    std::uint64_t batch_ = 0;
    std::uint64_t ordinal_ = 0; ///< answers on this connection so far
    bool fenced_ = false;       ///< a pong has come since the last filterload
    bool fence_wanted_ = false; ///< something was sent that no fence closes yet

    std::set<std::int32_t> missing_;           ///< heights to ask again
    std::map<std::int32_t, int> tries_;        ///< by height, of this connection
    std::map<std::int32_t, int> tries_in_all_; ///< by height, of every connection of the run
    std::int64_t unmatched_ = 0;
    std::int64_t credit_ = 0; ///< transactions that may still come without being waited for
    std::int64_t retry_at_ms_ = 0;
    std::optional<GivenUp> given_up_;

    struct Loose {
        chain::Hash256 txid;
        chain::Transaction tx;
        std::size_t bytes = 0;
    };
    std::deque<Loose> loose_;
    std::size_t loose_bytes_ = 0;

    void progressed() {
        last_progress_ms_ = context_.now.steady_ms;
        ++progress_;
    }
    std::int64_t last_progress_ms_ = 0;
    std::int64_t progress_ = 0;
    std::optional<Error> proof_error_;
};

} // namespace headlight::sync
