// What the engine does about a second opinion: who is asked for it, and what follows from one.
#include "sync/core.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {

/// What an earlier run scanned is, as far as it is recent and unchecked, scanned again: nobody
/// knows any more who showed it, and so who would be a second opinion.
void Engine::Core::prepare_checks() {
    if (!context_.config.cross_check) return;
    std::map<wallet::Birthday::Kind, wallet::Birthday> earliest;
    for (const auto& birthday : context_.wallet.scripts().birthdays()) {
        auto& least = earliest.try_emplace(birthday.kind, birthday).first->second;
        least = std::min(least, birthday);
    }
    auto first = context_.tree.tip_height();
    for (const auto& [kind, birthday] : earliest)
        first = std::min(first, resolve(birthday));
    first_block_ = std::max(first, 1);
    const auto latest = context_.tree.tip_height() - limits::always_checked_blocks + 1;
    const auto least = *context_.config.cross_check == 1 ? first_block_ : latest;
    const auto from = std::max({first_block_, least, context_.wallet.checked_to() + 1});
    const auto scanned = context_.wallet.scan().height;
    if (from > scanned || peers_.ready_peers().size() < 2) return;
    scan_.go_back(from - 1);
    scan_.expect_nothing_new(scanned);
}

void Engine::Core::settle_checks() {
    if (!context_.config.cross_check) return;
    for (auto& block : scan_.take_scanned())
        check_.add(std::move(block), scanner_address_);
    if (const auto surprise = scan_.take_surprise()) doubt_earlier_runs(*surprise);
    judge_findings();
    watch_checker();
    choose_checker();
    // Without a scanner the checker may have to become it, and may not while it owes answers.
    if (check_.peer() && scan_.peer())
        check_.pump(serves_from(*check_.peer()), headers_.known_height(*check_.peer()),
                    scan_.idle_at(goal()) || check_.full());
    context_.statistics.unchecked =
        static_cast<std::int64_t>(check_.open_blocks() + check_.forgotten());
    context_.wallet.set_checked_to(
        std::min(context_.wallet.scan().height, check_.lowest_open() - 1));
}

/// What an earlier run did not show is here now: it was lied to, or knew less of the wallet. All of
/// it is scanned again.
void Engine::Core::doubt_earlier_runs(const BlockScan::Surprise& surprise) {
    ++context_.statistics.omissions;
    context_.warn(reasons::omitted({}, surprise.txid, surprise.height));
    scan_again_above(first_block_ - 1);
}

/// The blocks of a peer that left something out are scanned again by others. Where nobody is to
/// blame, what the transaction brings (a script in use, a coin) may concern every later block.
void Engine::Core::judge_findings() {
    auto back_to = context_.wallet.scan().height;
    std::set<std::string> banned;
    for (const auto& finding : check_.take_findings()) {
        ++context_.statistics.omissions;
        const auto& liar = finding.liar;
        const auto again_from =
            liar.empty() ? finding.height : check_.take_relied_on(liar).value_or(back_to + 1);
        back_to = std::min(back_to, again_from - 1);
        const bool told =
            liar.empty() ? std::exchange(unblamed_told_, true) : !banned.insert(liar).second;
        if (told) continue;
        const auto why = reasons::omitted(liar, finding.txid, finding.height);
        context_.warn(why);
        if (liar.empty()) continue;
        if (const auto peer = peers_.at_address(liar)) forget(*peer);
        peers_.ban(liar, DropReason::omission, why);
    }
    if (back_to < context_.wallet.scan().height) scan_again_above(back_to);
}

void Engine::Core::scan_again_above(std::int32_t height) {
    check_.forget_above(std::max(height, 0));
    scan_.go_back(std::max(height, 0));
}

/// What another one scanned, and nobody has checked, is scanned again: whoever scans now cannot
/// check it otherwise.
void Engine::Core::doubt_lost_scanners() {
    if (!context_.config.cross_check || context_.config.peers.size() < 2) return;
    const auto lowest = check_.lowest_not_by(scanner_address_);
    if (lowest && *lowest <= context_.wallet.scan().height) scan_.go_back(*lowest - 1);
}

void Engine::Core::watch_checker() {
    const auto checker = check_.peer();
    if (!checker) return;
    const auto where = peers_.address(*checker);
    if (const auto height = check_.given_up()) {
        drop(*checker, DropReason::refused_blocks,
             reasons::blocks_refused(where, *height, context_.tree.at(*height).hash));
    } else if (context_.now.steady_ms >= check_.deadline_ms()) {
        drop(*checker, DropReason::stalled,
             reasons::stalled(where, "no block or pong came", limits::stall_timeout_ms));
    }
}

/// The best in rank of those who do not scan and can check what waits.
std::optional<PeerId> Engine::Core::best_checker() const {
    for (const auto peer : peers_.ready_peers()) {
        if (peer == scan_.peer() || !headers_.done(peer)) continue;
        if (can_check(peer)) return peer;
    }
    return std::nullopt;
}

void Engine::Core::choose_checker() {
    if (!scan_.peer()) return;
    const auto checker = check_.peer();
    if (checker && check_.waiting()) return;
    const auto best = best_checker();
    // A connection that is idle now keeps its filter for the next block.
    if (!best || best == checker) return;
    if (checker && can_check(*checker)) return;
    peers_.log(*best, "checks what another peer scanned");
    check_.start(*best, peers_.address(*best));
}

std::int32_t Engine::Core::serves_from(PeerId peer) const {
    if (peers_.version(peer)->services & p2p::services::network) return 0;
    return context_.tree.tip_height() - limits::pruned_depth + 1;
}

bool Engine::Core::can_check(PeerId peer) const {
    return check_.can_check(peers_.address(peer), serves_from(peer), headers_.known_height(peer));
}

bool Engine::Core::held_back() const {
    const auto checker = check_.peer();
    return checker && check_.full() && (check_.waiting() || can_check(*checker));
}

bool Engine::Core::checking() const {
    if (!context_.config.cross_check) return false;
    const auto hopeful = [&](std::optional<PeerId> peer) { return peer && !peers_.failing(*peer); };
    if ((check_.waiting() && hopeful(check_.peer())) || hopeful(best_checker())) return true;
    return check_.open_blocks() > 0 && peers_.coming_back(scanner_address_);
}

} // namespace headlight::sync
