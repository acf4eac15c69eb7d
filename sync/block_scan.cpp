#include "sync/block_scan.hpp"

namespace headlight::sync {

void BlockScan::start(PeerId peer) {
    stop();
    open(peer);
    refresh_filter();
}

void BlockScan::stop() {
    close();
    ready_.clear();
    ready_bytes_ = 0;
    missing_.clear();
    tries_.clear();
    given_up_.reset();
    asked_to_ = context_.wallet.scan().height;
}

void BlockScan::refresh_filter() {
    load_filter();
    // Asked here so that the wait for the node's trickle runs beside the scan.
    context_.send(*peer(), p2p::Mempool{});
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
    if (!missing_.empty() && context_.now.steady_ms >= retry_at_ms_) {
        std::vector<std::int32_t> again(missing_.begin(), missing_.end());
        missing_.clear();
        ask(again);
    }
    while (asked_to_ < top) {
        const auto count = std::min(limits::scan_batch_blocks, top - asked_to_);
        if (in_flight() + static_cast<std::size_t>(count) > limits::scan_window_blocks) break;
        if (filters_.worn(*filter())) {
            // Only between answers: outputs found meanwhile would be missing in the clean filter.
            if (in_flight() > 0) break;
            refresh_filter();
        }
        std::vector<std::int32_t> heights;
        for (auto i = 1; i <= count; ++i)
            heights.push_back(asked_to_ + i);
        asked_to_ += count;
        ask(heights);
    }
    // What relay has revealed since may need a new filter before any block does.
    if (!waiting() && !fence_wanted() && !filters_.covers(*filter(), ordinal() + 1))
        refresh_filter();
    if (fence_wanted() && !waiting()) fence();
}

bool BlockScan::idle_at(std::int32_t top) const {
    return peer() && context_.wallet.scan().height >= top && quiet() && missing_.empty() &&
           fenced() && !fence_wanted();
}

void BlockScan::go_back(std::int32_t height) {
    context_.wallet.set_scan({height, context_.tree.at(height).hash});
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
    known_to_ = std::min(known_to_, fork);
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

/// There is no room for an answer whose turn has not come: it is asked for again a little later.
void BlockScan::put_off(std::int32_t height) {
    missing_.insert(height);
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms;
}

bool BlockScan::on_best_chain(std::int32_t height, const chain::Hash256& hash) const {
    return height <= context_.tree.tip_height() && context_.tree.at(height).hash == hash;
}

void BlockScan::on_whole(BlockAnswer answer) {
    if (answer.height != needed_height() &&
        ready_bytes_ + answer.bytes > limits::scan_buffer_bytes) {
        put_off(answer.height);
        return;
    }
    ready_bytes_ += answer.bytes;
    const auto height = answer.height;
    ready_.insert_or_assign(height, std::move(answer));
    apply_ready();
}

void BlockScan::apply_ready() {
    while (!ready_.empty()) {
        const auto height = needed_height();
        const auto next = ready_.find(height);
        if (next == ready_.end() || !on_best_chain(height, next->second.hash)) return;
        const BlockAnswer answer = std::move(next->second);
        ready_.erase(next);
        ready_bytes_ -= answer.bytes;
        apply(answer);
        if (!filters_.covers(*answer.filter, answer.ordinal)) {
            // What it showed is proven and kept; what it may have hidden is asked for again.
            go_back(height - 1);
            return;
        }
        context_.wallet.set_scan({height, answer.hash});
        ++context_.statistics.scanned_blocks;
        tries_.erase(height);
        tries_in_all_.erase(height);
        record(answer);
    }
}

void BlockScan::apply(const BlockAnswer& answer) {
    auto& ledger = context_.wallet.ledger();
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        const auto& txid = answer.matches[i].txid;
        const auto* known = ledger.find(txid);
        const bool is_new = !known;
        const bool shown =
            known && known->confirmation && known->confirmation->block == answer.hash;
        auto delta =
            ledger.confirm(*answer.transactions[i], txid, confirmation_of(context_.tree, answer, i),
                           context_.now.unix_seconds);
        if (!delta.ours) {
            ++context_.statistics.false_positives;
        } else {
            if (is_new) ++context_.statistics.transactions_new;
            if (!shown && answer.height <= known_to_) {
                surprise_ = Surprise{txid, answer.height};
                known_to_ = -1;
            }
        }
        context_.note(std::move(delta));
    }
}

void BlockScan::record(const BlockAnswer& answer) {
    if (!context_.config.cross_check) return;
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
