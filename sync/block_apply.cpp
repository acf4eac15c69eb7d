// The other half of BlockScan: what an answer means, and when its block is scanned.
#include "sync/block_scan.hpp"

namespace headlight::sync {

BlockScan::Taken BlockScan::on_merkleblock(const bip37::MerkleBlock& block) {
    const auto hash = chain::hash_of(block.header);
    const auto entry = std::find_if(queue_.begin(), queue_.end(), [&](const Request& request) {
        return !request.is_fence() && request.hash == hash;
    });
    if (entry == queue_.end()) return Taken::no;
    const Request request = *entry;
    queue_.erase(entry);
    --blocks_in_flight_;
    progressed();
    ++ordinal_;
    request.filter->in_effect = true;
    // What follows and is not waited for comes as loose ones: we asked for it all the same.
    credit_ += static_cast<std::int64_t>(block.tree.hashes.size());
    if (request.superseded) return Taken::yes;

    const auto proof = bip37::verify(block);
    if (!proof) {
        proof_error_ = proof.error();
        return Taken::bad_proof;
    }
    Answer answer;
    answer.height = request.height;
    answer.hash = hash;
    answer.filter = request.filter;
    answer.ordinal = ordinal_;
    answer.batch = request.batch;
    answer.total_transactions = block.tree.total_transactions;
    answer.matches = proof->matches;
    answer.transactions.resize(answer.matches.size());
    answer.missing = answer.matches.size();
    for (const auto& match : proof->matches) {
        answer.bytes += sizeof match + sizeof answer.transactions[0] + match.branch.size() * 32;
    }
    const bool next = answer.height == context_.wallet.scan().height + 1;
    if (!next && held_bytes() + answer.bytes > limits::scan_buffer_bytes) {
        put_off(answer.height);
        return Taken::yes;
    }
    for (const auto& match : proof->matches) {
        if (const auto known = remembered(match.txid)) fill(answer, *known, match.txid);
    }
    open_.push_back(std::move(answer));
    const auto opened = std::prev(open_.end());
    if (opened->missing == 0) complete(opened);
    return Taken::yes;
}

/// Older nodes do not send again what they have shown before: it may be pending, or have come
/// early.
std::optional<chain::Transaction> BlockScan::remembered(const chain::Hash256& txid) const {
    if (const auto* stored = context_.wallet.ledger().find(txid)) return stored->tx;
    for (const auto& loose : loose_) {
        if (loose.txid == txid) return loose.tx;
    }
    return std::nullopt;
}

std::size_t BlockScan::held_bytes() const {
    auto bytes = ready_bytes_;
    for (const auto& answer : open_)
        bytes += answer.bytes;
    return bytes;
}

/// There is no room for an answer whose turn has not come: it is asked for again a little later.
void BlockScan::put_off(std::int32_t height) {
    missing_.insert(height);
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms;
}

bool BlockScan::take_credit() {
    if (credit_ == 0) return false;
    --credit_;
    return true;
}

void BlockScan::keep_loose(const chain::Transaction& tx, const chain::Hash256& txid) {
    const auto bytes = chain::serialize(tx).size();
    loose_.push_back({txid, tx, bytes});
    loose_bytes_ += bytes;
    while (loose_.size() > limits::loose_transactions ||
           loose_bytes_ > limits::loose_transaction_bytes) {
        loose_bytes_ -= loose_.front().bytes;
        loose_.pop_front();
    }
}

bool BlockScan::fill(Answer& answer, const chain::Transaction& tx, const chain::Hash256& txid) {
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        if (answer.matches[i].txid != txid || answer.transactions[i]) continue;
        answer.transactions[i] = tx;
        answer.bytes += chain::serialize(tx).size();
        --answer.missing;
        return true;
    }
    return false;
}

bool BlockScan::wants(const chain::Hash256& txid) const {
    return std::any_of(open_.begin(), open_.end(), [&](const Answer& answer) {
        return std::any_of(answer.matches.begin(), answer.matches.end(),
                           [&](const auto& match) { return match.txid == txid; });
    });
}

bool BlockScan::on_transaction(const chain::Transaction& tx, const chain::Hash256& txid) {
    for (auto it = open_.end(); it != open_.begin();) {
        --it;
        if (!fill(*it, tx, txid)) continue;
        progressed();
        if (it->missing == 0) complete(it);
        return true;
    }
    return false;
}

void BlockScan::complete(std::list<Answer>::iterator position) {
    Answer answer = std::move(*position);
    open_.erase(position);
    if (answer.superseded) return;
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        if (!filters_.learn(*answer.filter, *answer.transactions[i], answer.matches[i].txid,
                            answer.ordinal)) {
            ++unmatched_;
        }
    }
    const bool next = answer.height == context_.wallet.scan().height + 1;
    if (!next && ready_bytes_ + answer.bytes > limits::scan_buffer_bytes) {
        put_off(answer.height);
        return;
    }
    ready_bytes_ += answer.bytes;
    ready_.insert_or_assign(answer.height, std::move(answer));
    apply_ready();
}

void BlockScan::apply_ready() {
    while (!ready_.empty()) {
        const auto height = context_.wallet.scan().height + 1;
        const auto next = ready_.find(height);
        if (next == ready_.end() || !on_best_chain(height, next->second.hash)) return;
        const Answer answer = std::move(next->second);
        ready_.erase(next);
        ready_bytes_ -= answer.bytes;
        apply(answer);
        if (!filters_.covers(*answer.filter, answer.ordinal)) {
            // What it showed is proven and kept; what it may have hidden is asked for again.
            rewind(height);
            return;
        }
        context_.wallet.set_scan({height, answer.hash});
        ++context_.statistics.scanned_blocks;
        tries_.erase(height);
        tries_in_all_.erase(height);
    }
}

void BlockScan::apply(const Answer& answer) {
    auto& ledger = context_.wallet.ledger();
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        const auto& match = answer.matches[i];
        wallet::Confirmation place;
        place.height = answer.height;
        place.block = answer.hash;
        place.time = context_.tree.at(answer.height).header.time;
        place.position = match.position;
        place.total_transactions = answer.total_transactions;
        place.branch = match.branch;
        const bool known = ledger.find(match.txid) != nullptr;
        auto delta =
            ledger.confirm(*answer.transactions[i], match.txid, place, context_.now.unix_seconds);
        if (!delta.ours) {
            ++context_.statistics.false_positives;
        } else if (!known) {
            ++context_.statistics.transactions_new;
        }
        context_.note(std::move(delta));
    }
}

} // namespace headlight::sync
