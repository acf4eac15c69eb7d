// Blocks in the order of the chain: when one is applied, and when it counts as scanned.
//
// A block is applied once the connection of every part has answered it, its transactions in the
// order of the block whichever part showed them. It is scanned when all that the wallet requires
// then was known to each of these connections when it answered (rule: complete); a part of which
// that is not true is asked again, from this block on.
#pragma once

#include "sync/block_scan.hpp"

namespace headlight::sync {

class BlockOrder {
  public:
    explicit BlockOrder(Context& context) : context_(context) {}

    /// Every part, before anything else. It outlives this.
    void add(BlockScan& part) { parts_.push_back(&part); }

    /// Goes on as far as the answers go.
    void apply_ready();
    /// Scans again all that lies above `height`, which is not above the scan position.
    void go_back(std::int32_t height);
    /// The best chain changed above `fork`, the wallet is undone to there.
    void on_reorganised(std::int32_t fork);
    bool idle_at(std::int32_t top) const;
    /// Rises with everything useful that any part's connection answers.
    std::int64_t progress() const;

    /// Blocks up to here were scanned in an earlier run: what they show anew is a surprise.
    void expect_nothing_new(std::int32_t up_to) { known_to_ = up_to; }
    struct Surprise {
        chain::Hash256 txid;
        std::int32_t height = 0;
    };
    /// The first one; there is no second one in a run.
    std::optional<Surprise> take_surprise() { return std::exchange(surprise_, std::nullopt); }

  private:
    std::vector<const BlockAnswer*> answers_for(std::int32_t height) const;
    void apply(const std::vector<const BlockAnswer*>& answers);
    void apply_whole(const BlockAnswer& answer);
    void confirm(const chain::Transaction& tx, const chain::Hash256& txid,
                 wallet::Confirmation place);
    void count_strangers(const BlockAnswer& answer);

    Context& context_;
    std::vector<BlockScan*> parts_;
    std::int32_t known_to_ = -1;
    std::optional<Surprise> surprise_;
};

} // namespace headlight::sync
