// What the engine does about a second opinion: who is asked for it, and what follows from one.
#include "sync/core.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {

/// What an earlier run scanned is, as far as it is recent and unchecked, scanned again: nobody
/// knows any more who showed it, and so who would be a second opinion. (Whole blocks need none.)
void Engine::Core::prepare_checks() {
    const bool whole = context_.config.whole_blocks;
    if (!context_.config.cross_check && !whole) return;
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
    const auto least = context_.config.cross_check == 1.0 ? first_block_ : latest;
    const auto from = std::max({first_block_, least, context_.wallet.checked_to() + 1});
    const auto scanned = context_.wallet.scan().height;
    if (from > scanned) return;
    const bool two_each = std::ranges::all_of(
        lanes_, [&](const Lane& lane) { return peers_.ready_peers(lane.part).size() >= 2; });
    if (!context_.config.cross_check || !(two_each || whole)) {
        unchecked_from_ = from;
        return;
    }
    order_.go_back(from - 1);
    order_.expect_nothing_new(scanned);
}

void Engine::Core::settle_checks() {
    if (const auto surprise = order_.take_surprise()) doubt_earlier_runs(*surprise);
    if (context_.config.whole_blocks) { // which hide nothing
        context_.wallet.set_checked_to(std::min(context_.wallet.scan().height, checked_at_most()));
        return;
    }
    if (!context_.config.cross_check) return;
    for (auto& lane : lanes_) {
        for (auto& block : lane.scan.take_scanned())
            lane.check.add(std::move(block), lane.scanner_address);
    }
    judge_findings();
    std::size_t unchecked = 0;
    auto checked_to = std::min(context_.wallet.scan().height, checked_at_most());
    for (auto& lane : lanes_) {
        settle_checks(lane);
        unchecked = std::max(unchecked, lane.check.open_blocks() + lane.check.forgotten());
        checked_to = std::min(checked_to, lane.check.lowest_open() - 1);
    }
    context_.statistics.unchecked = static_cast<std::int64_t>(unchecked);
    context_.wallet.set_checked_to(checked_to);
}

/// As far as this run itself can say.
std::int32_t Engine::Core::checked_at_most() {
    if (context_.wallet.scan().height < unchecked_from_) // what is above is scanned again
        unchecked_from_ = std::numeric_limits<std::int32_t>::max();
    return unchecked_from_ - 1;
}

void Engine::Core::settle_checks(Lane& lane) {
    watch_checker(lane);
    choose_checker(lane);
    // Without a scanner the checker may have to become it, and may not while it owes answers.
    const auto checker = lane.check.peer();
    if (checker && lane.scan.peer())
        lane.check.pump(serves_from(*checker), headers_.known_height(*checker),
                        lane.scan.idle_at(goal()) || lane.check.full());
}

/// What an earlier run did not show is here now: it was lied to, or knew less of the wallet. All of
/// it is scanned again.
void Engine::Core::doubt_earlier_runs(const BlockOrder::Surprise& surprise) {
    ++context_.statistics.omissions;
    context_.warn(reasons::omitted({}, surprise.txid, surprise.height));
    scan_again_above(first_block_ - 1);
}

/// The blocks of a peer that left something out are scanned again by others. Where nobody is to
/// blame, what the transaction brings (a script in use, a coin) may concern every later block.
void Engine::Core::judge_findings() {
    const auto scanned = context_.wallet.scan().height;
    auto back_to = scanned;
    std::set<std::string> banned;
    for (auto& lane : lanes_) {
        for (const auto& finding : lane.check.take_findings()) {
            const auto again_from =
                finding.liar.empty() ? finding.height : take_relied_on(finding.liar);
            back_to = std::min(back_to, again_from - 1);
            judge_finding(finding, banned);
        }
    }
    if (back_to < scanned) scan_again_above(back_to);
}

void Engine::Core::judge_finding(const CrossCheck::Finding& finding,
                                 std::set<std::string>& banned) {
    ++context_.statistics.omissions;
    const auto& liar = finding.liar;
    const bool told =
        liar.empty() ? std::exchange(unblamed_told_, true) : !banned.insert(liar).second;
    if (told) return;
    const auto why = reasons::omitted(liar, finding.txid, finding.height);
    context_.warn(why);
    if (liar.empty()) return;
    for (const auto peer : peers_.at_address(liar))
        forget(peer);
    peers_.ban(liar, DropReason::omission, why);
}

/// The lowest block that this address scanned or checked, of any part; far above all when none.
std::int32_t Engine::Core::take_relied_on(const std::string& liar) {
    auto lowest = std::numeric_limits<std::int32_t>::max();
    for (auto& lane : lanes_)
        lowest = std::min(lowest, lane.check.take_relied_on(liar).value_or(lowest));
    return lowest;
}

void Engine::Core::scan_again_above(std::int32_t height) {
    for (auto& lane : lanes_)
        lane.check.forget_above(std::max(height, 0));
    order_.go_back(std::max(height, 0));
}

/// What another one scanned, and nobody has checked, is scanned again: whoever scans now cannot
/// check it otherwise.
void Engine::Core::doubt_lost_scanners(const Lane& lane) {
    if (!context_.config.cross_check || peers_.endpoints_for(lane.part) < 2) return;
    const auto lowest = lane.check.lowest_not_by(lane.scanner_address);
    if (lowest && *lowest <= context_.wallet.scan().height) order_.go_back(*lowest - 1);
}

void Engine::Core::watch_checker(Lane& lane) {
    const auto checker = lane.check.peer();
    if (!checker) return;
    const auto where = peers_.address(*checker);
    if (const auto height = lane.check.given_up()) {
        drop(*checker, DropReason::refused_blocks,
             reasons::blocks_refused(where, *height, context_.tree.at(*height).hash));
    } else if (context_.now.steady_ms >= lane.check.deadline_ms()) {
        drop(*checker, DropReason::stalled,
             reasons::stalled(where, "no block or pong came", limits::stall_timeout_ms));
    }
}

/// The best in rank of those who do not scan and can check what waits.
std::optional<PeerId> Engine::Core::best_checker(const Lane& lane) const {
    if (lane.check.open_blocks() == 0) return std::nullopt; // asked of each part, at each event
    for (const auto peer : peers_.ready_peers(lane.part)) {
        if (peer == lane.scan.peer() || !headers_.done(peer)) continue;
        if (can_check(lane, peer)) return peer;
    }
    return std::nullopt;
}

void Engine::Core::choose_checker(Lane& lane) {
    if (!lane.scan.peer()) return;
    const auto checker = lane.check.peer();
    if (checker && lane.check.waiting()) return;
    const auto best = best_checker(lane);
    // A connection that is idle now keeps its filter for the next block.
    if (!best || best == checker) return;
    if (checker && can_check(lane, *checker)) return;
    peers_.log(*best, "checks what another peer scanned");
    lane.check.start(*best, peers_.address(*best));
}

std::int32_t Engine::Core::serves_from(PeerId peer) const {
    if (peers_.version(peer)->services & p2p::services::network) return 0;
    return context_.tree.tip_height() - limits::pruned_depth + 1;
}

bool Engine::Core::can_check(const Lane& lane, PeerId peer) const {
    return lane.check.can_check(peers_.address(peer), serves_from(peer),
                                headers_.known_height(peer));
}

bool Engine::Core::held_back() const {
    return std::ranges::any_of(lanes_, [&](const Lane& lane) {
        const auto checker = lane.check.peer();
        return checker && lane.check.full() && (lane.check.waiting() || can_check(lane, *checker));
    });
}

bool Engine::Core::checking() const {
    if (!context_.config.cross_check) return false;
    return std::ranges::any_of(lanes_, [&](const Lane& lane) { return checking(lane); });
}

bool Engine::Core::checking(const Lane& lane) const {
    const auto hopeful = [&](std::optional<PeerId> peer) { return peer && !peers_.failing(*peer); };
    if ((lane.check.waiting() && hopeful(lane.check.peer())) || hopeful(best_checker(lane)))
        return true;
    return lane.check.open_blocks() > 0 && peers_.coming_back(lane.part, lane.scanner_address);
}

} // namespace headlight::sync
