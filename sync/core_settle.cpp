// What the engine does after every event: choose, ask, store, tell, and see whether the run is
// over.
#include "sync/core.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {
namespace {

constexpr std::int64_t report_interval_ms = 100;

} // namespace

void Engine::Core::settle() {
    if (!outcome_) {
        peers_.tick();
        if (broadcast_) {
            settle_broadcast();
        } else {
            settle_sync();
        }
    }
    if (finished_) return;
    if (!storing_ && persist_due()) persist();
    if (!finished_) set_alarm();
}

void Engine::Core::settle_sync() {
    check_overdue_headers();
    headers_.pump();
    const bool hasty = !headers_.all_done() || peers_.first_attempts_pending();
    if (headers_.any_done() && !hasty) prepare_wallet();
    if (wallet_ready_) {
        settle_checks();
        for (auto& lane : lanes_) {
            check_scanner(lane);
            choose_scanner(lane);
        }
        if (!held_back()) {
            for (auto& lane : lanes_)
                lane.scan.pump(goal());
        }
    }
    if (context_.config.follow) keep_alive();
    tell_blocks();
    check_finish();
    // A run that fails has no phase any more: what it was in is the last one told.
    if (!outcome_ || !outcome_->error) report();
}

void Engine::Core::settle_broadcast() {
    broadcast_->pump();
    if (broadcast_->accepted()) {
        const auto& tx = *context_.config.broadcast;
        context_.note(
            context_.wallet.ledger().record(tx, chain::txid(tx), context_.now.unix_seconds));
        finish(std::nullopt, false);
    } else if (const auto failure = broadcast_->failure()) {
        finish(failure, false);
    } else if (const auto why = peers_.exhausted()) {
        finish(why, false);
    }
}

/// Once every peer that can be had has been led to its end: what the wallet believes is held
/// against the chain, and birthdays become heights. Against the first peer's chain alone, a node at
/// the start of its own sync would undo all and spend the birthday.
void Engine::Core::prepare_wallet() {
    if (wallet_ready_) return;
    wallet_ready_ = true;
    auto& wallet = context_.wallet;
    const auto believed = wallet.scan().height;
    context_.note(wallet.reconcile(context_.tree));
    if (const auto kept = wallet.scan().height; kept < believed)
        tell_reorganised(early_fork_ && *early_fork_ < believed ? *early_fork_ : std::max(kept, 0));
    std::optional<std::int32_t> from;
    while (wallet.rescan()) {
        const auto height = resolve(*wallet.rescan());
        from = std::min(from.value_or(height), height);
        wallet.clear_rescan();
    }
    // The genesis block pays nobody, so that position 0 is "nothing scanned yet".
    const auto before = std::clamp(from.value_or(1) - 1, 0, context_.tree.tip_height());
    if (wallet.scan().height < 0 || (from && before < wallet.scan().height)) {
        wallet.set_scan({before, context_.tree.at(before).hash});
    }
    prepare_checks();
}

std::int32_t Engine::Core::resolve(const wallet::Birthday& birthday) const {
    const auto tip = context_.tree.tip_height();
    if (birthday.kind == wallet::Birthday::Kind::height) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(birthday.value, 0, tip + 1));
    }
    // The first block that claims so late a time: blocks before it may claim earlier ones in any
    // order, none of them can have been made after the birthday.
    const auto earliest = birthday.value - limits::birthday_margin_seconds;
    std::int32_t height = 1;
    while (height <= tip && context_.tree.at(height).header.time < earliest)
        ++height;
    return height;
}

void Engine::Core::check_overdue_headers() {
    while (const auto late = headers_.overdue()) {
        if (alone(*late) && peers_.moving(*late) && may_extend()) {
            headers_.extend(*late);
            continue;
        }
        drop(*late, DropReason::stalled,
             reasons::stalled(peers_.address(*late), "no answer to getheaders",
                              limits::headers_timeout_ms));
    }
}

std::int32_t Engine::Core::goal() const {
    const auto tip = context_.tree.tip_height();
    return std::min(tip, context_.config.until_height.value_or(tip));
}

void Engine::Core::keep_alive() {
    std::vector<PeerId> silent;
    for (const auto& [peer, ping] : pings_) {
        if (ping.second + limits::stall_timeout_ms <= context_.now.steady_ms)
            silent.push_back(peer);
    }
    for (const auto peer : silent) {
        drop(peer, DropReason::stalled,
             reasons::stalled(peers_.address(peer), "no pong came", limits::stall_timeout_ms));
    }
    if (context_.now.steady_ms < last_ping_ms_ + limits::idle_ping_ms) return;
    last_ping_ms_ = context_.now.steady_ms;
    for (const auto peer : peers_.ready_peers()) {
        const auto nonce = context_.nonce();
        if (!pings_.try_emplace(peer, nonce, context_.now.steady_ms).second) continue;
        context_.send(peer, p2p::Ping{nonce});
    }
}

void Engine::Core::tell_blocks() {
    if (!at_tip_) return;
    while (told_height_ < context_.wallet.scan().height) {
        ++told_height_;
        context_.when_stored.push_back(
            notice::Block{told_height_, context_.tree.at(told_height_).hash, -1});
    }
}

notice::Phase Engine::Core::phase() const {
    if (!wallet_ready_) {
        return peers_.ready_peers().empty() ? notice::Phase::connecting : notice::Phase::headers;
    }
    if (context_.wallet.scan().height < goal()) return notice::Phase::blocks;
    // What is relayed at the tip is no phase of its own again.
    if (!at_tip_) return notice::Phase::mempool;
    const bool waiting = !context_.config.follow &&
                         context_.now.steady_ms < tip_since_ms_ + context_.config.mempool_wait_ms;
    return waiting ? notice::Phase::mempool : notice::Phase::at_tip;
}

void Engine::Core::report() {
    const auto now_in = phase();
    const bool soon = context_.now.steady_ms < reported_ms_ + report_interval_ms;
    if (reported_phase_ == now_in && soon) return;
    reported_phase_ = now_in;
    reported_ms_ = context_.now.steady_ms;
    progress_.report(now_in, goal());
}

bool Engine::Core::until_met() const {
    const auto& config = context_.config;
    if (config.until_txid && context_.wallet.ledger().find(*config.until_txid)) return true;
    return config.until_height && context_.wallet.scan().height >= *config.until_height;
}

std::int64_t Engine::Core::relay_deadline_ms() const {
    return relay_since_ms_ == Context::never ? Context::never
                                             : relay_since_ms_ + limits::relay_timeout_ms;
}

void Engine::Core::check_finish() {
    if (outcome_) return;
    if (const auto why = peers_.exhausted()) {
        return finish(why, context_.statistics.scanned_blocks > 0);
    }
    if (!wallet_ready_) return;
    const bool to_be_checked = context_.config.until_height && checking();
    if (until_met() && !to_be_checked) return finish(std::nullopt, false);
    if (!headers_.all_done() || !order_.idle_at(goal()) || checking() ||
        peers_.first_attempts_pending()) {
        relay_since_ms_ = Context::never;
        return;
    }
    // What is announced now is waited for, but not for ever: it may never come, or never end.
    if (relay_since_ms_ == Context::never) relay_since_ms_ = context_.now.steady_ms;
    const bool relaying =
        std::ranges::any_of(lanes_, [](const Lane& lane) { return !lane.relay.idle(); });
    if (relaying && context_.now.steady_ms < relay_deadline_ms()) return;
    if (!at_tip_) arrive_at_tip();
    if (!context_.config.follow) finish_at_tip();
}

void Engine::Core::arrive_at_tip() {
    at_tip_ = true;
    tip_since_ms_ = context_.now.steady_ms;
    told_height_ = context_.wallet.scan().height;
    const auto& tip = context_.tree.tip();
    if (context_.network.paced &&
        tip.header.time + limits::stale_tip_seconds < context_.now.unix_seconds) {
        context_.warn(reasons::stale_tip(tip.height, tip.header.time, context_.now.unix_seconds));
    }
}

void Engine::Core::finish_at_tip() {
    if (const auto& future = headers_.future();
        future && !best_scanner(lane_of(future->peer), future->peer)) {
        return finish(
            reasons::future_block(peers_.address(future->peer), future->hash, future->time), true);
    }
    if (context_.tree.tip().work < chain::minimum_work(context_.network.id)) {
        return finish(reasons::too_little_work(context_.network, context_.tree.tip_height()), true);
    }
    if (context_.now.steady_ms < tip_since_ms_ + context_.config.mempool_wait_ms) return;
    const auto& config = context_.config;
    if (config.until_txid) context_.warn(reasons::until_not_seen(config.until_txid->to_string()));
    if (config.until_height) {
        context_.warn(reasons::until_not_seen("height " + std::to_string(*config.until_height)));
    }
    finish(std::nullopt, false);
}

void Engine::Core::finish(std::optional<Error> error, bool kept_part) {
    if (outcome_) return;
    outcome_ = notice::Finished{std::move(error), kept_part};
}

void Engine::Core::end() {
    peers_.close_all();
    context_.notify(*outcome_);
    finished_ = true;
}

void Engine::Core::set_alarm() {
    auto wake = std::min(peers_.next_wake_ms(), headers_.next_wake_ms());
    for (const auto& lane : lanes_) {
        wake = std::min({wake, lane.scan.next_wake_ms(), stall_deadline_ms(lane),
                         lane.check.next_wake_ms(), lane.check.deadline_ms()});
    }
    if (broadcast_) wake = std::min(wake, broadcast_->next_wake_ms());
    if (relay_deadline_ms() > context_.now.steady_ms) wake = std::min(wake, relay_deadline_ms());
    if (at_tip_ && !context_.config.follow) {
        const auto wait_over = tip_since_ms_ + context_.config.mempool_wait_ms;
        if (wait_over > context_.now.steady_ms) wake = std::min(wake, wait_over);
    }
    if (context_.config.follow) {
        wake = std::min(wake, last_ping_ms_ + limits::idle_ping_ms);
        for (const auto& [peer, ping] : pings_) {
            wake = std::min(wake, ping.second + limits::stall_timeout_ms);
        }
    }
    if (!storing_ && unsaved()) {
        wake = std::min(wake, persisted_ms_ + limits::persist_interval_ms);
    }
    wake = std::max(wake, context_.now.steady_ms);
    if (wake == alarm_ms_ || wake == Context::never) return;
    alarm_ms_ = wake;
    context_.act(action::WakeAt{wake});
}

} // namespace headlight::sync
