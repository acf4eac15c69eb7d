// A second opinion: blocks that one peer has scanned are asked of another one, since no proof shows
// that a peer leaves a transaction out.
//
// Two honest peers may answer differently: each filter grows by what its own connection matched. So
// a peer is guilty only of a transaction that matches what was known to that very connection when
// it answered (FilterKeeper::had_to_match). What is proven and ours is taken, whoever is to blame.
#pragma once

#include "sync/block_scan.hpp"

namespace headlight::sync {

class CrossCheck : public BlockFetch {
  public:
    using BlockFetch::BlockFetch;

    // What there is to check
    /// A block was scanned by the peer of this address: kept, if it is chosen. One that another
    /// peer had scanned before, and nobody has checked, is checked now.
    void add(BlockScan::Scanned scanned, const std::string& address);
    void on_reorganised(std::int32_t fork) { forget_above(fork); }
    /// They will be scanned again.
    void forget_above(std::int32_t height);
    std::size_t open_blocks() const { return waiting_.size(); }
    /// So much is waiting that the scan should wait, too.
    bool full() const { return waiting_.size() >= limits::max_unchecked_blocks; }
    /// Whether the peer of this address, which has blocks up to `known`, can check one of them.
    bool can_check(const std::string& address, std::int32_t from, std::int32_t known) const;
    /// The lowest waiting block that this address has not scanned.
    std::optional<std::int32_t> lowest_not_by(const std::string& address) const;
    /// The lowest block that is chosen and not checked; above all others when there is none.
    std::int32_t lowest_open() const;
    /// Blocks that were not kept for checking, for want of room.
    std::size_t forgotten() const { return forgotten_; }
    /// The lowest block that this address scanned or checked; from now on it counts for none.
    std::optional<std::int32_t> take_relied_on(const std::string& address);

    // Who checks
    void start(PeerId peer, const std::string& address);
    void stop();
    /// Asks for more, up to `known`: whole batches, or (`all`) whatever waits.
    void pump(std::int32_t from, std::int32_t known, bool all);
    /// It left a block out, again and again.
    std::optional<std::int32_t> given_up() const { return given_up_; }
    /// When it is too slow, whatever it says by then.
    std::int64_t deadline_ms() const;
    std::int64_t next_wake_ms() const {
        const bool pausing = refused_ > 0 && retry_at_ms_ > context_.now.steady_ms;
        return pausing ? retry_at_ms_ : Context::never;
    }

    /// A transaction of ours that was left out.
    struct Finding {
        std::int32_t height = 0; ///< of its block
        chain::Hash256 txid;
        std::string liar{}; ///< address of who left it out; empty: it need not have matched there
    };
    std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

  private:
    struct Block {
        BlockScan::Scanned scanned;
        std::string address; ///< who scanned it
    };
    /// What one peer said of a block, and who it is.
    struct Witness {
        const std::string& address;
        const LoadedFilter& filter;
        std::uint64_t ordinal = 0;
    };

    void on_complete(BlockAnswer answer) override;
    void on_missed(std::int32_t height, const chain::Hash256& hash, Missed why) override;

    bool chosen(std::int32_t height, const chain::Hash256& hash) const;
    void insert(Block block);
    void rely(const std::string& address, std::int32_t height);
    void hold_together(const Block& one, const Block& other);
    void compare(const Block& block, const BlockAnswer& answer);
    void check_scanner(const Block& block, const BlockAnswer& answer, std::size_t match);
    void accuse(const Witness& silent, std::int32_t height, const chain::Hash256& txid);

    std::map<std::int32_t, Block> waiting_; ///< by height
    int refused_ = 0;                       ///< batches in a row that came back incomplete
    std::int64_t refused_ms_ = -1;          ///< when the last one did
    std::int64_t retry_at_ms_ = 0;
    std::int64_t asked_ms_ = 0; ///< when the batch under way was asked for
    std::optional<std::int32_t> given_up_;
    std::vector<Finding> findings_;
    std::size_t forgotten_ = 0;
    std::int32_t lowest_forgotten_ = std::numeric_limits<std::int32_t>::max();
    std::map<std::string, std::int32_t> relied_on_; ///< by address
};

} // namespace headlight::sync
