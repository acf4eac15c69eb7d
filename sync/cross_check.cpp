#include "sync/cross_check.hpp"

#include <cmath>

namespace headlight::sync {

/// By chance, but not by the peers' choice: the seed of the run decides together with the hash.
bool CrossCheck::chosen(std::int32_t height, const chain::Hash256& hash) const {
    if (height > context_.tree.tip_height() - limits::always_checked_blocks) return true;
    std::uint64_t mixed = context_.config.seed;
    for (std::size_t i = 0; i < 8; ++i)
        mixed ^= static_cast<std::uint64_t>(hash.bytes[i]) << (8 * i);
    const auto drawn = std::mt19937_64(mixed)();
    return std::ldexp(static_cast<double>(drawn >> 11), -53) < *context_.config.cross_check;
}

void CrossCheck::add(BlockScan::Scanned scanned, const std::string& address) {
    rely(address, scanned.height);
    Block block{std::move(scanned), address};
    const auto before = waiting_.find(block.scanned.height);
    if (before != waiting_.end() && before->second.scanned.hash == block.scanned.hash &&
        before->second.address != address) {
        const auto other = std::move(before->second);
        waiting_.erase(before);
        ++context_.statistics.cross_checked;
        hold_together(block, other);
        hold_together(other, block);
    } else if (chosen(block.scanned.height, block.scanned.hash)) {
        insert(std::move(block));
    }
}

void CrossCheck::rely(const std::string& address, std::int32_t height) {
    auto& lowest = relied_on_.try_emplace(address, height).first->second;
    lowest = std::min(lowest, height);
}

std::optional<std::int32_t> CrossCheck::take_relied_on(const std::string& address) {
    const auto it = relied_on_.find(address);
    if (it == relied_on_.end()) return std::nullopt;
    const auto height = it->second;
    relied_on_.erase(it);
    return height;
}

/// What one scanner showed, and the other one did not.
void CrossCheck::hold_together(const Block& one, const Block& other) {
    const auto& silent = other.scanned;
    for (const auto& txid : one.scanned.matches) {
        if (std::find(silent.matches.begin(), silent.matches.end(), txid) == silent.matches.end())
            accuse({other.address, *silent.filter, silent.ordinal}, one.scanned.height, txid);
    }
}

/// Somebody else's proof of this transaction is in the ledger.
void CrossCheck::accuse(const Witness& silent, std::int32_t height, const chain::Hash256& txid) {
    const auto* known = context_.wallet.ledger().find(txid);
    if (!known || !known->confirmation || known->confirmation->height != height) return;
    if (filters_.had_to_match(silent.filter, silent.ordinal, known->tx))
        findings_.push_back({height, txid, silent.address});
}

/// While nobody is there to check, only the latest blocks are kept.
void CrossCheck::insert(Block block) {
    const auto height = block.scanned.height;
    waiting_.insert_or_assign(height, std::move(block));
    if (waiting_.size() > limits::max_unchecked_blocks + limits::scan_window_blocks) {
        lowest_forgotten_ = std::min(lowest_forgotten_, waiting_.begin()->first);
        waiting_.erase(waiting_.begin());
        ++forgotten_;
    }
}

void CrossCheck::forget_above(std::int32_t height) {
    waiting_.erase(waiting_.upper_bound(height), waiting_.end());
    supersede_above(height);
}

std::int32_t CrossCheck::lowest_open() const {
    return waiting_.empty() ? lowest_forgotten_
                            : std::min(lowest_forgotten_, waiting_.begin()->first);
}

std::optional<std::int32_t> CrossCheck::lowest_not_by(const std::string& address) const {
    for (const auto& [height, block] : waiting_)
        if (block.address != address) return height;
    return std::nullopt;
}

bool CrossCheck::can_check(const std::string& address, std::int32_t from,
                           std::int32_t known) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& entry) {
        return entry.first >= from && entry.first <= known && entry.second.address != address;
    });
}

void CrossCheck::start(PeerId peer, const std::string& address) {
    stop();
    open(peer, address);
}

void CrossCheck::stop() {
    close();
    refused_ = 0;
    given_up_.reset();
}

void CrossCheck::pump(std::int32_t from, std::int32_t known, bool all) {
    if (!peer() || waiting() || given_up_) return;
    if (refused_ > 0 && context_.now.steady_ms < retry_at_ms_) return;
    const auto room = static_cast<std::size_t>(limits::scan_batch_blocks);
    std::vector<std::int32_t> heights;
    for (const auto& [height, block] : waiting_) {
        if (height > known || heights.size() == room) break;
        if (height >= from && block.address != address_) heights.push_back(height);
    }
    if (heights.empty() || (heights.size() < room && !all)) return;
    // All that is required now, so that the second opinion is worth as much as the first one.
    const bool stale = !filter() || !filters_.covers(*filter(), ordinal() + 1);
    if (stale || filters_.worn(*filter())) load_filter();
    asked_ms_ = context_.now.steady_ms;
    request(heights);
}

std::int64_t CrossCheck::deadline_ms() const {
    if (!peer() || !waiting()) return Context::never;
    return std::min(last_progress_ms() + limits::stall_timeout_ms,
                    asked_ms_ + limits::check_timeout_ms);
}

void CrossCheck::on_missed(std::int32_t height, const chain::Hash256& hash, Missed why) {
    const auto it = waiting_.find(height);
    if (it == waiting_.end() || it->second.scanned.hash != hash) return;
    if (why == Missed::no_room) return; // it waits still
    // A batch is one refusal, whatever it lacked.
    if (std::exchange(refused_ms_, context_.now.steady_ms) != context_.now.steady_ms) ++refused_;
    if (refused_ >= limits::max_block_retries) given_up_ = height;
    retry_at_ms_ = context_.now.steady_ms + retry_pause_ms * refused_;
}

void CrossCheck::on_complete(BlockAnswer answer) {
    const auto it = waiting_.find(answer.height);
    if (it == waiting_.end() || it->second.scanned.hash != answer.hash) return;
    const auto block = std::move(it->second);
    waiting_.erase(it);
    refused_ = 0;
    ++context_.statistics.cross_checked;
    rely(address_, answer.height);
    compare(block, answer);
}

void CrossCheck::compare(const Block& block, const BlockAnswer& answer) {
    const auto& said = block.scanned.matches;
    for (std::size_t i = 0; i < answer.matches.size(); ++i) {
        const bool both = std::find(said.begin(), said.end(), answer.matches[i].txid) != said.end();
        if (!both) check_scanner(block, answer, i);
    }
    for (const auto& txid : said) {
        const bool both = std::any_of(answer.matches.begin(), answer.matches.end(),
                                      [&](const auto& match) { return match.txid == txid; });
        if (!both) accuse({address_, *answer.filter, answer.ordinal}, answer.height, txid);
    }
}

/// The checker shows what the scanner did not.
void CrossCheck::check_scanner(const Block& block, const BlockAnswer& answer, std::size_t match) {
    auto& ledger = context_.wallet.ledger();
    const auto& tx = *answer.transactions[match];
    const auto& txid = answer.matches[match].txid;
    if (!ledger.relevant(tx)) return; // matched by chance, or by what relay added
    const auto* known = ledger.find(txid);
    const bool taken = known && known->confirmation && known->confirmation->block == answer.hash;
    const bool guilty = filters_.had_to_match(*block.scanned.filter, block.scanned.ordinal, tx);
    if (taken && !guilty) return;
    if (!taken) {
        context_.note(ledger.confirm(tx, txid, confirmation_of(context_.tree, answer, match),
                                     context_.now.unix_seconds));
        if (!known) ++context_.statistics.transactions_new;
    }
    findings_.push_back({answer.height, txid, guilty ? block.address : std::string{}});
}

} // namespace headlight::sync
