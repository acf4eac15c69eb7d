#include "sync/block_scan.hpp"

namespace headlight::sync {
void BlockScan::start(PeerId peer) {
    stop();
    peer_ = peer;
    progressed();
    load_filter();
}

void BlockScan::stop() {
    peer_.reset();
    filter_.reset();
    forget_flight();
    missing_.clear();
    tries_.clear();
    given_up_.reset();
    loose_.clear();
    loose_bytes_ = 0;
    ordinal_ = 0;
    credit_ = 0;
    unmatched_ = 0;
    fenced_ = false;
    asked_to_ = context_.wallet.scan().height;
}

void BlockScan::forget_flight() {
    queue_.clear();
    blocks_in_flight_ = 0;
    open_.clear();
    ready_.clear();
    ready_bytes_ = 0;
}

void BlockScan::load_filter() {
    const bool first = !filter_;
    filter_ = filters_.make();
    filter_->in_effect =
        first; // relay is off before the first one: what is announced has passed it
    ++context_.statistics.filterloads;
    context_.send(*peer_, bip37::FilterLoad{filter_->mirror});
    // Asked here so that the wait for the node's trickle runs beside the scan.
    context_.send(*peer_, p2p::Mempool{});
    fenced_ = false;
    fence_wanted_ = true;
}

void BlockScan::fence() {
    if (queue_.empty()) last_progress_ms_ = context_.now.steady_ms; // the wait starts now
    Request fence;
    fence.fence_nonce = context_.nonce();
    fence.filter = filter_;
    fence.batch = batch_++;
    context_.send(*peer_, p2p::Ping{fence.fence_nonce});
    queue_.push_back(std::move(fence));
    fence_wanted_ = false;
}

void BlockScan::request(const std::vector<std::int32_t>& heights) {
    if (queue_.empty()) last_progress_ms_ = context_.now.steady_ms; // the wait starts now
    p2p::GetData getdata;
    getdata.entries.reserve(heights.size());
    for (const auto height : heights) {
        Request block;
        block.height = height;
        block.hash = context_.tree.at(height).hash;
        block.filter = filter_;
        block.batch = batch_;
        getdata.entries.push_back({p2p::InvType::filtered_block, block.hash});
        queue_.push_back(std::move(block));
        if (height <= reached_) ++context_.statistics.rescanned_blocks;
        reached_ = std::max(reached_, height);
    }
    blocks_in_flight_ += heights.size();
    context_.send(*peer_, std::move(getdata));
    fence();
}

void BlockScan::pump(std::int32_t top) {
    if (!peer_ || given_up_) return;
    if (!missing_.empty() && context_.now.steady_ms >= retry_at_ms_) {
        std::vector<std::int32_t> again(missing_.begin(), missing_.end());
        missing_.clear();
        request(again);
    }
    while (asked_to_ < top) {
        const auto count = std::min(limits::scan_batch_blocks, top - asked_to_);
        if (blocks_in_flight_ + static_cast<std::size_t>(count) > limits::scan_window_blocks) break;
        if (filters_.worn(*filter_)) {
            // Only between answers: outputs found meanwhile would be missing in the clean filter.
            if (blocks_in_flight_ > 0) break;
            load_filter();
        }
        std::vector<std::int32_t> heights;
        for (auto i = 1; i <= count; ++i)
            heights.push_back(asked_to_ + i);
        asked_to_ += count;
        request(heights);
    }
    // What relay has revealed since may need a new filter before any block does.
    if (queue_.empty() && !fence_wanted_ && !filters_.covers(*filter_, ordinal_ + 1)) load_filter();
    if (fence_wanted_ && queue_.empty()) fence();
}

bool BlockScan::idle_at(std::int32_t top) const {
    return peer_ && context_.wallet.scan().height >= top && queue_.empty() && open_.empty() &&
           missing_.empty() && fenced_ && !fence_wanted_;
}

void BlockScan::rewind(std::int32_t height) {
    for (auto& entry : queue_)
        entry.superseded = true;
    for (auto& answer : open_)
        answer.superseded = true;
    ready_.clear();
    ready_bytes_ = 0;
    missing_.clear();
    asked_to_ = height - 1;
    load_filter();
}

void BlockScan::on_reorganised(std::int32_t fork) {
    for (auto& entry : queue_)
        entry.superseded = entry.superseded || entry.height > fork;
    for (auto& answer : open_)
        answer.superseded = answer.superseded || answer.height > fork;
    for (auto it = ready_.upper_bound(fork); it != ready_.end(); it = ready_.erase(it)) {
        ready_bytes_ -= it->second.bytes;
    }
    missing_.erase(missing_.upper_bound(fork), missing_.end());
    tries_.erase(tries_.upper_bound(fork), tries_.end());
    tries_in_all_.erase(tries_in_all_.upper_bound(fork), tries_in_all_.end());
    asked_to_ = std::min(asked_to_, fork);
}

void BlockScan::on_pong(std::uint64_t nonce) {
    const auto fence = std::find_if(queue_.begin(), queue_.end(), [&](const Request& entry) {
        return entry.is_fence() && entry.fence_nonce == nonce;
    });
    if (fence == queue_.end()) return;
    progressed();
    fence->filter->in_effect = true;
    if (fence->filter == filter_) fenced_ = true;

    // Whatever stands before the fence is not coming any more.
    const auto batch = fence->batch;
    std::vector<Request> refused;
    for (auto it = queue_.begin(); it != fence; ++it) {
        if (it->is_fence()) continue;
        --blocks_in_flight_;
        if (!it->superseded) refused.push_back(*it);
    }
    queue_.erase(queue_.begin(), fence + 1);
    for (const auto& entry : refused)
        miss(entry.height, entry.hash, false);
    for (auto it = open_.begin(); it != open_.end();) {
        if (it->batch > batch) {
            ++it;
            continue;
        }
        if (!it->superseded) miss(it->height, it->hash, true);
        it = open_.erase(it);
    }
}

bool BlockScan::on_best_chain(std::int32_t height, const chain::Hash256& hash) const {
    return height <= context_.tree.tip_height() && context_.tree.at(height).hash == hash;
}

void BlockScan::miss(std::int32_t height, const chain::Hash256& hash, bool withheld) {
    if (height <= context_.wallet.scan().height || !on_best_chain(height, hash)) return;
    const auto tries = ++tries_[height];
    // Two peers that both leave a block out must not hand it to each other for ever.
    const auto in_all = ++tries_in_all_[height];
    if (tries >= limits::max_block_retries ||
        in_all > limits::max_block_retries * static_cast<int>(limits::max_peers)) {
        if (!given_up_ || given_up_->height > height) given_up_ = GivenUp{height, withheld};
        return;
    }
    missing_.insert(height);
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms * tries;
}

} // namespace headlight::sync
