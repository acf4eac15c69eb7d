#include "sync/block_scan.hpp"

#include "sync/block_order.hpp"

namespace headlight::sync {

void BlockScan::start(PeerId peer, const std::string& address, bool serves_mempool) {
    stop();
    open(peer, address);
    serves_mempool_ = serves_mempool;
    refresh_filter();
}

void BlockScan::stop() {
    close();
    ready_.clear();
    ready_bytes_ = 0;
    missing_.clear();
    tries_.clear();
    given_up_.reset();
    lead_ = limits::scan_lead_blocks;
    asked_to_ = context_.wallet.scan().height;
}

void BlockScan::refresh_filter() {
    if (!whole_blocks()) load_filter();
    // Asked here so that the wait for the node's trickle runs beside the scan.
    if (serves_mempool_) context_.send(*peer(), p2p::Mempool{});
}

void BlockScan::ask(const std::vector<std::int32_t>& heights) {
    for (const auto height : heights) {
        if (height <= reached_) ++context_.statistics.rescanned_blocks;
        reached_ = std::max(reached_, height);
    }
    request(heights);
}

void BlockScan::pump(std::int32_t top) {
    if (!peer() || given_up_) return;
    ask_missing();
    if (missing_.empty()) ask_further(top);
    // What relay has revealed since may need a new filter before any block does. (While answers
    // wait for other parts, those will tell; and they are judged best in the order they came.)
    const bool may_tell = filter() && !waiting() && !fence_wanted() && ready_.empty();
    if (may_tell && !filters_.covers(*filter(), ordinal() + 1)) refresh_filter();
    if (fence_wanted() && !waiting()) fence();
}

void BlockScan::ask_missing() {
    if (context_.now.steady_ms < retry_at_ms_) return;
    while (!missing_.empty()) {
        std::vector<std::int32_t> again;
        for (const auto height : missing_) {
            if (std::cmp_equal(again.size(), batch()) || !may_ask_for(again.size() + 1, height))
                break;
            again.push_back(height);
        }
        if (again.empty()) return;
        missing_.erase(missing_.begin(), missing_.upper_bound(again.back()));
        ask(again);
    }
}

void BlockScan::ask_further(std::int32_t top) {
    while (asked_to_ < top) {
        const auto count = std::min(batch(), top - asked_to_);
        if (!may_ask_for(static_cast<std::size_t>(count), asked_to_ + count)) return;
        if (filter() && filters_.worn(*filter())) {
            // Only between answers: outputs found meanwhile would be missing in the clean filter.
            if (in_flight() > 0) return;
            refresh_filter();
        }
        std::vector<std::int32_t> heights;
        for (auto i = 1; i <= count; ++i)
            heights.push_back(asked_to_ + i);
        asked_to_ += count;
        ask(heights);
    }
}

std::int32_t BlockScan::batch() const {
    const auto most = whole_blocks() ? limits::whole_batch_blocks : limits::scan_batch_blocks;
    return std::min(most, std::max(lead_ / 2, 1));
}

/// Neither more at once than the window, nor too far ahead of what is scanned: other parts may lag.
bool BlockScan::may_ask_for(std::size_t count, std::int32_t up_to) const {
    const auto window = whole_blocks() ? limits::whole_window_blocks : limits::scan_window_blocks;
    return in_flight() + count <= window && up_to <= context_.wallet.scan().height + lead_;
}

bool BlockScan::idle_at(std::int32_t top) const {
    return peer() && context_.wallet.scan().height >= top && quiet() && missing_.empty() &&
           fenced() && !fence_wanted();
}

void BlockScan::ask_again_above(std::int32_t height) {
    ready_.clear();
    ready_bytes_ = 0;
    missing_.clear();
    asked_to_ = height;
    if (!peer()) return;
    supersede_above(-1);
    refresh_filter();
}

void BlockScan::on_reorganised(std::int32_t fork) {
    supersede_above(fork);
    for (auto it = ready_.upper_bound(fork); it != ready_.end(); it = ready_.erase(it)) {
        ready_bytes_ -= it->second.bytes;
    }
    missing_.erase(missing_.upper_bound(fork), missing_.end());
    tries_.erase(tries_.upper_bound(fork), tries_.end());
    tries_in_all_.erase(tries_in_all_.upper_bound(fork), tries_in_all_.end());
    std::erase_if(scanned_, [&](const Scanned& block) { return block.height > fork; });
    asked_to_ = std::min(asked_to_, fork);
}

void BlockScan::on_missed(std::int32_t height, const chain::Hash256& hash, Missed why) {
    if (why == Missed::no_room) return put_off(height);
    if (height <= context_.wallet.scan().height || !on_best_chain(height, hash)) return;
    const auto tries = ++tries_[height];
    // Two peers that both leave a block out must not hand it to each other for ever.
    const auto in_all = ++tries_in_all_[height];
    if (tries >= limits::max_block_retries ||
        in_all > limits::max_block_retries * static_cast<int>(limits::max_peers)) {
        if (!given_up_ || given_up_->height > height)
            given_up_ = GivenUp{height, why == Missed::incomplete};
        return;
    }
    missing_.insert(height);
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms * tries;
}

/// There is no room for an answer whose turn has not come: it is asked for again once less waits.
void BlockScan::put_off(std::int32_t height) {
    missing_.insert(height);
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms;
    lead_ = std::max(static_cast<std::int32_t>(ready_.size()) / 2, 1);
}

std::optional<std::int32_t> BlockScan::first_missing() const {
    for (const auto& [height, tries] : tries_) {
        if (missing_.contains(height)) return height;
    }
    return std::nullopt;
}

bool BlockScan::on_best_chain(std::int32_t height, const chain::Hash256& hash) const {
    return height <= context_.tree.tip_height() && context_.tree.at(height).hash == hash;
}

void BlockScan::on_complete(BlockAnswer answer) {
    if (answer.height != needed_height() && ready_bytes_ + answer.bytes > room()) {
        put_off(answer.height);
        return;
    }
    ready_bytes_ += answer.bytes;
    const auto height = answer.height;
    ready_.insert_or_assign(height, std::move(answer));
    order_.apply_ready();
}

const BlockAnswer* BlockScan::answer_for(std::int32_t height) const {
    const auto answer = ready_.find(height);
    const bool there = answer != ready_.end() && on_best_chain(height, answer->second.hash);
    return there ? &answer->second : nullptr;
}

bool BlockScan::covers(const BlockAnswer& answer) const {
    return answer.whole || filters_.covers(*answer.filter, answer.ordinal);
}

void BlockScan::accept(std::int32_t height) {
    const auto next = ready_.find(height);
    record(next->second);
    ready_bytes_ -= next->second.bytes;
    ready_.erase(next);
    if (ready_.empty()) lead_ = std::min(lead_ * 2, limits::scan_lead_blocks);
    tries_.erase(height);
    tries_in_all_.erase(height);
}

void BlockScan::record(const BlockAnswer& answer) {
    if (!context_.config.cross_check || answer.whole) return;
    Scanned block{answer.height, answer.hash, answer.filter, answer.ordinal, {}};
    // Strangers count too, since one may turn out to be ours; a peer that shows too many of them
    // must not fill our memory.
    for (const auto& match : answer.matches) {
        if (answer.matches.size() <= limits::listed_matches ||
            context_.wallet.ledger().find(match.txid))
            block.matches.push_back(match.txid);
    }
    scanned_.push_back(std::move(block));
}

} // namespace headlight::sync
