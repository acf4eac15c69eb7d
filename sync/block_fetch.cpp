#include "sync/block_fetch.hpp"

namespace headlight::sync {

namespace {

wallet::Confirmation place_of(const chain::HeaderTree& tree, const BlockAnswer& answer) {
    wallet::Confirmation place;
    place.height = answer.height;
    place.block = answer.hash;
    place.time = tree.at(answer.height).header.time;
    place.total_transactions = answer.total_transactions;
    return place;
}

} // namespace

wallet::Confirmation confirmation_of(const chain::HeaderTree& tree, const BlockAnswer& answer,
                                     std::size_t i) {
    auto place = place_of(tree, answer);
    place.position = answer.matches[i].position;
    place.branch = answer.matches[i].branch;
    return place;
}

wallet::Confirmation confirmation_in_whole(const chain::HeaderTree& tree, const BlockAnswer& answer,
                                           std::size_t i) {
    auto place = place_of(tree, answer);
    place.position = static_cast<std::uint32_t>(i);
    place.branch = answer.whole->tree.branch(i);
    return place;
}

void BlockFetch::open(PeerId peer, const std::string& address) {
    close();
    peer_ = peer;
    address_ = address;
    fence_wanted_ = true; // to be at the tip is to have heard from it
    progressed();
}

void BlockFetch::close() {
    peer_.reset();
    address_.clear();
    filter_.reset();
    queue_.clear();
    blocks_in_flight_ = 0;
    open_.clear();
    loose_.clear();
    loose_bytes_ = 0;
    ordinal_ = 0;
    credit_ = 0;
    unmatched_ = 0;
    fenced_ = false;
    fence_wanted_ = false;
}

void BlockFetch::load_filter() {
    const bool first = context_.with_filter.insert(*peer_).second;
    filter_ = filters_.make(part_, address_);
    filter_->in_effect =
        first; // relay is off before the first one: what is announced has passed it
    ++context_.statistics.filterloads;
    context_.send(*peer_, bip37::FilterLoad{filter_->mirror});
    fenced_ = false;
    fence_wanted_ = true;
}

void BlockFetch::fence() {
    if (queue_.empty()) last_progress_ms_ = context_.now.steady_ms; // the wait starts now
    Request fence;
    fence.fence_nonce = context_.nonce();
    fence.filter = filter_;
    fence.batch = batch_++;
    context_.send(*peer_, p2p::Ping{fence.fence_nonce});
    queue_.push_back(std::move(fence));
    fence_wanted_ = false;
}

void BlockFetch::request(const std::vector<std::int32_t>& heights) {
    if (queue_.empty()) last_progress_ms_ = context_.now.steady_ms; // the wait starts now
    const auto kind = whole_blocks() ? p2p::InvType::block : p2p::InvType::filtered_block;
    p2p::GetData getdata;
    getdata.entries.reserve(heights.size());
    for (const auto height : heights) {
        Request block;
        block.height = height;
        block.hash = context_.tree.at(height).hash;
        block.filter = filter_;
        block.batch = batch_;
        getdata.entries.push_back({kind, block.hash});
        queue_.push_back(std::move(block));
    }
    blocks_in_flight_ += heights.size();
    context_.send(*peer_, std::move(getdata));
    fence();
}

void BlockFetch::supersede_above(std::int32_t height) {
    for (auto& entry : queue_)
        entry.superseded = entry.superseded || entry.height > height;
    for (auto& answer : open_)
        answer.superseded = answer.superseded || answer.height > height;
}

std::deque<BlockFetch::Request>::iterator BlockFetch::asked_for(const chain::Hash256& hash) {
    return std::find_if(queue_.begin(), queue_.end(), [&](const Request& request) {
        return !request.is_fence() && request.hash == hash;
    });
}

BlockFetch::Request BlockFetch::take_request(std::deque<Request>::iterator entry) {
    Request request = std::move(*entry);
    queue_.erase(entry);
    --blocks_in_flight_;
    progressed();
    ++ordinal_;
    if (request.filter) request.filter->in_effect = true;
    return request;
}

BlockAnswer BlockFetch::answer_to(const Request& request) const {
    BlockAnswer answer;
    answer.height = request.height;
    answer.hash = request.hash;
    answer.filter = request.filter;
    answer.ordinal = ordinal_;
    answer.batch = request.batch;
    return answer;
}

bool BlockFetch::no_room_for(const BlockAnswer& answer) const {
    return answer.height != needed_height() && held_bytes() + answer.bytes > room();
}

BlockFetch::Taken BlockFetch::on_block(const p2p::Block& block) {
    const auto entry = asked_for(chain::hash_of(block.header));
    if (!whole_blocks() || entry == queue_.end()) return Taken::no;
    const auto request = take_request(entry);
    if (request.superseded) return Taken::yes;

    auto tree = chain::verify_block(block.header.merkle_root, block.transactions);
    if (!tree) {
        proof_error_ = tree.error();
        return Taken::bad_proof;
    }
    auto answer = answer_to(request);
    answer.total_transactions = static_cast<std::uint32_t>(block.transactions.size());
    for (const auto& tx : block.transactions)
        answer.bytes += chain::serialize(tx).size();
    if (no_room_for(answer)) {
        on_missed(answer.height, answer.hash, Missed::no_room);
        return Taken::yes;
    }
    answer.whole = std::make_shared<WholeBlock>(WholeBlock{block.transactions, std::move(*tree)});
    on_complete(std::move(answer));
    return Taken::yes;
}

BlockFetch::Taken BlockFetch::on_merkleblock(const bip37::MerkleBlock& block) {
    const auto entry = asked_for(chain::hash_of(block.header));
    if (whole_blocks() || entry == queue_.end()) return Taken::no;
    const auto request = take_request(entry);
    // What follows and is not waited for comes as loose ones: we asked for it all the same.
    credit_ += static_cast<std::int64_t>(block.tree.hashes.size());
    if (request.superseded) return Taken::yes;

    const auto proof = bip37::verify(block);
    if (!proof) {
        proof_error_ = proof.error();
        return Taken::bad_proof;
    }
    auto answer = answer_to(request);
    answer.total_transactions = block.tree.total_transactions;
    answer.matches = proof->matches;
    answer.transactions.resize(answer.matches.size());
    answer.missing = answer.matches.size();
    for (const auto& match : proof->matches) {
        answer.bytes += sizeof match + sizeof answer.transactions[0] + match.branch.size() * 32;
    }
    if (no_room_for(answer)) {
        on_missed(answer.height, answer.hash, Missed::no_room);
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
std::optional<chain::Transaction> BlockFetch::remembered(const chain::Hash256& txid) const {
    if (const auto* stored = context_.wallet.ledger().find(txid)) return stored->tx;
    for (const auto& loose : loose_) {
        if (loose.txid == txid) return loose.tx;
    }
    return std::nullopt;
}

std::size_t BlockFetch::held_bytes() const {
    auto bytes = kept_bytes();
    for (const auto& answer : open_)
        bytes += answer.bytes;
    return bytes;
}

bool BlockFetch::take_credit() {
    if (credit_ == 0) return false;
    --credit_;
    return true;
}

void BlockFetch::keep_loose(const chain::Transaction& tx, const chain::Hash256& txid) {
    const auto bytes = chain::serialize(tx).size();
    loose_.push_back({txid, tx, bytes});
    loose_bytes_ += bytes;
    while (loose_.size() > limits::loose_transactions ||
           loose_bytes_ > limits::loose_transaction_bytes) {
        loose_bytes_ -= loose_.front().bytes;
        loose_.pop_front();
    }
}

bool BlockFetch::fill(BlockAnswer& answer, const chain::Transaction& tx,
                      const chain::Hash256& txid) {
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        if (answer.matches[i].txid != txid || answer.transactions[i]) continue;
        answer.transactions[i] = tx;
        answer.bytes += chain::serialize(tx).size();
        --answer.missing;
        return true;
    }
    return false;
}

bool BlockFetch::wants(const chain::Hash256& txid) const {
    return std::any_of(open_.begin(), open_.end(), [&](const BlockAnswer& answer) {
        return std::any_of(answer.matches.begin(), answer.matches.end(),
                           [&](const auto& match) { return match.txid == txid; });
    });
}

bool BlockFetch::on_transaction(const chain::Transaction& tx, const chain::Hash256& txid) {
    for (auto it = open_.end(); it != open_.begin();) {
        --it;
        if (!fill(*it, tx, txid)) continue;
        progressed();
        if (it->missing == 0) complete(it);
        return true;
    }
    return false;
}

void BlockFetch::complete(std::list<BlockAnswer>::iterator position) {
    BlockAnswer answer = std::move(*position);
    open_.erase(position);
    if (answer.superseded) return;
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        if (!filters_.learn(*answer.filter, *answer.transactions[i], answer.matches[i].txid,
                            answer.ordinal)) {
            ++unmatched_;
        }
    }
    on_complete(std::move(answer));
}

void BlockFetch::on_pong(std::uint64_t nonce) {
    const auto fence = std::find_if(queue_.begin(), queue_.end(), [&](const Request& entry) {
        return entry.is_fence() && entry.fence_nonce == nonce;
    });
    if (fence == queue_.end()) return;
    progressed();
    if (fence->filter) fence->filter->in_effect = true;
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
        on_missed(entry.height, entry.hash, Missed::unanswered);
    for (auto it = open_.begin(); it != open_.end();) {
        if (it->batch > batch) {
            ++it;
            continue;
        }
        if (!it->superseded) on_missed(it->height, it->hash, Missed::incomplete);
        it = open_.erase(it);
    }
}

} // namespace headlight::sync
