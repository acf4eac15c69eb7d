#include "sync/headers.hpp"

namespace headlight::sync {
namespace {

constexpr std::int64_t future_retry_pause_ms = 60'000;

bool links(const std::vector<chain::BlockHeader>& headers) {
    for (std::size_t i = 1; i < headers.size(); ++i) {
        if (headers[i].previous != chain::hash_of(headers[i - 1])) return false;
    }
    return true;
}

} // namespace

void HeaderSync::add_peer(PeerId peer, std::int32_t start_height) {
    peers_[peer].start_height = start_height;
}

void HeaderSync::forget(PeerId peer) {
    peers_.erase(peer);
    if (future_ && future_->peer == peer) future_.reset();
}

void HeaderSync::want(PeerId peer) {
    if (const auto it = peers_.find(peer); it != peers_.end()) it->second.wanted = true;
}

void HeaderSync::on_block_announced(PeerId peer, const chain::Hash256& hash) {
    if (!context_.tree.find(hash)) want(peer);
}

HeaderSync::Verdict HeaderSync::on_headers(PeerId id, const p2p::Headers& message) {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return {};
    auto& peer = it->second;
    const bool asked = peer.asking();
    const bool full = message.headers.size() >= limits::max_headers_per_message;
    if (message.headers.size() > limits::max_headers_per_message) {
        return {.broken_rule = "more than 2,000 headers in one message"};
    }
    if (!links(message.headers)) {
        return {.broken_rule = "headers of one message do not link to each other"};
    }
    peer.deadline_ms = Context::never;
    const auto known_before = context_.statistics.headers;
    auto verdict = take(peer, id, message.headers);
    count_fruitless(peer, context_.statistics.headers > known_before);
    if (!verdict.broken_rule.empty() || verdict.over_limit) return verdict;
    if (full && !verdict.set_aside) {
        peer.wanted = true;
        peer.ask_from = chain::hash_of(message.headers.back());
    } else if (!verdict.unlinked && (asked || !message.headers.empty())) {
        peer.done = true;
        verdict.wiped = wiped(peer);
    }
    return verdict;
}

/// Announcements that lead to nothing must not keep a run open for ever.
void HeaderSync::count_fruitless(Peer& peer, bool fruitful) {
    ++peer.fruitless;
    if (!fruitful) return;
    for (auto& [id, other] : peers_)
        other.fruitless = 0;
}

HeaderSync::Verdict HeaderSync::take(Peer& peer, PeerId id,
                                     const std::vector<chain::BlockHeader>& headers) {
    Verdict verdict;
    for (const auto& header : headers) {
        const auto report = context_.tree.accept(header, context_.now.unix_seconds);
        switch (report.verdict) {
        case chain::HeaderVerdict::invalid:
            verdict.broken_rule = report.reason;
            return verdict;
        case chain::HeaderVerdict::no_room:
            verdict.over_limit = true;
            return verdict;
        case chain::HeaderVerdict::unlinked:
            // An announcement from a burst or a reorganisation: ask how it connects (pitfall C6).
            verdict.over_limit = ++peer.unlinked > limits::max_unlinked_headers;
            verdict.unlinked = true;
            peer.wanted = true;
            peer.ask_from.reset();
            return verdict;
        case chain::HeaderVerdict::too_early:
            future_ = Future{id, chain::hash_of(header), header.time};
            future_retry_ms_ = context_.now.steady_ms + future_retry_pause_ms;
            verdict.set_aside = true;
            return verdict;
        case chain::HeaderVerdict::reorganised:
            verdict.fork = std::min(verdict.fork.value_or(report.reorganisation->fork),
                                    report.reorganisation->fork);
            [[fallthrough]];
        case chain::HeaderVerdict::extended:
        case chain::HeaderVerdict::side:
            ++context_.statistics.headers;
            peer.unlinked = 0;
            break;
        case chain::HeaderVerdict::duplicate:
            break;
        }
        if (future_ && future_->peer == id) future_.reset();
    }
    if (!headers.empty()) peer.best = chain::hash_of(headers.back());
    // A chain that never ends is not the one the peer said it had.
    const auto claimed = std::max(peer.start_height, 0);
    const auto height = context_.tree.tip_height();
    verdict.over_limit = height > limits::max_height ||
                         (headers.size() >= limits::max_headers_per_message && peer.best &&
                          height - claimed > limits::max_headers_beyond_claim &&
                          context_.tree.tip().hash == *peer.best);
    return verdict;
}

/// Led to its end, and all we share is genesis while ours has more work (pitfall C10). A node that
/// has no block at all looks the same; where blocks have a pace it is rather at the start of its
/// own sync.
bool HeaderSync::wiped(const Peer& peer) const {
    if (context_.tree.tip_height() == 0) return false;
    if (!peer.best) return peer.start_height == 0 && !context_.network.paced;
    return !context_.tree.height_of(*peer.best) && context_.tree.fork_height(*peer.best) == 0;
}

void HeaderSync::pump() {
    if (context_.now.steady_ms >= future_retry_ms_) {
        future_retry_ms_ = Context::never;
        if (future_) want(future_->peer);
    }
    for (const auto& [id, peer] : peers_) {
        if (peer.asking() && !any_done()) return; // the first one is led alone
    }
    for (auto& [id, peer] : peers_) {
        if (!peer.wanted || peer.asking()) continue;
        p2p::GetHeaders question;
        question.locator = peer.ask_from && context_.tree.find(*peer.ask_from)
                               ? context_.tree.locator(*peer.ask_from)
                               : context_.tree.locator();
        peer.wanted = false;
        peer.ask_from.reset();
        peer.deadline_ms = context_.now.steady_ms + limits::headers_timeout_ms;
        context_.send(id, std::move(question));
        if (!any_done()) return;
    }
}

std::optional<PeerId> HeaderSync::overdue() const {
    for (const auto& [id, peer] : peers_) {
        if (peer.deadline_ms <= context_.now.steady_ms) return id;
    }
    return std::nullopt;
}

void HeaderSync::extend(PeerId id) {
    if (const auto it = peers_.find(id); it != peers_.end()) {
        it->second.deadline_ms = context_.now.steady_ms + limits::headers_timeout_ms;
    }
}

std::int64_t HeaderSync::next_wake_ms() const {
    auto wake = future_ ? future_retry_ms_ : Context::never;
    for (const auto& [id, peer] : peers_)
        wake = std::min(wake, peer.deadline_ms);
    return wake;
}

bool HeaderSync::done(PeerId peer) const {
    const auto it = peers_.find(peer);
    return it != peers_.end() && it->second.done;
}

bool HeaderSync::any_done() const {
    return std::any_of(peers_.begin(), peers_.end(), [](const auto& it) { return it.second.done; });
}

bool HeaderSync::all_done() const {
    return std::all_of(peers_.begin(), peers_.end(), [](const auto& it) {
        const auto& peer = it.second;
        if (peer.done && peer.fruitless > limits::max_unlinked_headers) return true;
        return peer.done && !peer.wanted && !peer.asking();
    });
}

std::int32_t HeaderSync::known_height(PeerId id) const {
    const auto it = peers_.find(id);
    if (it == peers_.end()) return -1;
    const auto& peer = it->second;
    const auto tip = context_.tree.tip_height();
    if (!peer.best) return std::min(peer.start_height, tip); // it knew our locator: no news
    return std::max(context_.tree.fork_height(*peer.best).value_or(0),
                    std::min(peer.start_height, tip));
}

} // namespace headlight::sync
