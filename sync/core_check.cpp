// What the engine does about a second opinion: who is asked for it, and what follows from one.
#include "sync/core.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {

/// What an earlier run scanned is, as far as it is recent and unchecked, scanned again: nobody
/// knows any more who showed it, and so who would be a second opinion.
void Engine::Core::prepare_checks() {
    if (!context_.config.cross_check) return;
    std::map<wallet::Birthday::Kind, wallet::Birthday> earliest;
    for (const auto& descriptor : context_.wallet.scripts().descriptors()) {
        const auto& birthday = descriptor.birthday;
        auto& least = earliest.try_emplace(birthday.kind, birthday).first->second;
        least = std::min(least, birthday);
    }
    auto first = context_.tree.tip_height();
    for (const auto& [kind, birthday] : earliest)
        first = std::min(first, resolve(birthday));
    first_block_ = std::max(first, 1);
    const auto latest = context_.tree.tip_height() - limits::always_checked_blocks + 1;
    const auto from = std::max({first_block_, latest, context_.wallet.checked_to() + 1});
    const auto scanned = context_.wallet.scan().height;
    if (from > scanned || peers_.ready_peers().size() < 2) return;
    scan_.go_back(from - 1);
    scan_.expect_nothing_new(scanned);
}

void Engine::Core::settle_checks() {
    if (!context_.config.cross_check) return;
    for (auto& block : scan_.take_scanned()) {
        auto& first = first_scanned_.try_emplace(scanner_address_, block.height).first->second;
        first = std::min(first, block.height);
        check_.add(std::move(block), scanner_address_);
    }
    if (const auto txid = scan_.take_surprise()) doubt_earlier_runs(*txid);
    judge_findings();
    watch_checker();
    choose_checker();
    // Without a scanner the checker may have to become it, and may not while it owes answers.
    if (check_.peer() && scan_.peer())
        check_.pump(headers_.known_height(*check_.peer()), scan_.idle_at(goal()));
    context_.statistics.unchecked = static_cast<std::int64_t>(check_.open_blocks());
    if (check_.open_blocks() == 0 && context_.statistics.cross_checked > 0 && scan_.idle_at(goal()))
        context_.wallet.set_checked_to(context_.wallet.scan().height);
}

/// What an earlier run did not show is here now: it was lied to, or knew less of the wallet. All of
/// it is scanned again.
void Engine::Core::doubt_earlier_runs(const BlockScan::Surprise& surprise) {
    ++context_.statistics.omissions;
    context_.warn(reasons::omitted({}, surprise.txid, surprise.height));
    check_.forget_above(first_block_ - 1);
    scan_.go_back(first_block_ - 1);
}

/// The blocks of a peer that left something out are scanned again by others. Where nobody is to
/// blame, what the transaction brings (a script in use, a coin) may concern every later block.
void Engine::Core::judge_findings() {
    auto back_to = context_.wallet.scan().height;
    for (const auto& finding : check_.take_findings()) {
        ++context_.statistics.omissions;
        auto again_from = finding.height;
        if (!finding.liar.empty()) {
            const auto first = first_scanned_.find(finding.liar);
            again_from = first == first_scanned_.end() ? back_to + 1 : first->second;
        }
        back_to = std::min(back_to, again_from - 1);
        if (!accused_.insert(finding.liar).second) continue; // told already
        const auto why = reasons::omitted(finding.liar, finding.txid, finding.height);
        context_.warn(why);
        if (finding.liar.empty()) continue;
        if (const auto peer = peers_.at_address(finding.liar)) forget(*peer);
        peers_.ban(finding.liar, DropReason::omission, why);
    }
    if (back_to >= context_.wallet.scan().height) return;
    check_.forget_above(back_to);
    scan_.go_back(std::max(back_to, 0));
}

void Engine::Core::watch_checker() {
    const auto checker = check_.peer();
    if (!checker) return;
    const auto where = peers_.address(*checker);
    if (const auto height = check_.given_up()) {
        drop(*checker, DropReason::refused_blocks,
             reasons::blocks_refused(where, *height, context_.tree.at(*height).hash));
    } else if (context_.now.steady_ms >= check_deadline_ms()) {
        drop(*checker, DropReason::stalled,
             reasons::stalled(where, "no block or pong came", limits::stall_timeout_ms));
    }
}

std::int64_t Engine::Core::check_deadline_ms() const {
    if (!check_.peer() || !check_.waiting()) return Context::never;
    return check_.last_progress_ms() + limits::stall_timeout_ms;
}

/// The best in rank of those who do not scan and can check what waits.
std::optional<PeerId> Engine::Core::best_checker() const {
    for (const auto peer : peers_.ready_peers()) {
        if (peer == scan_.peer() || !headers_.done(peer)) continue;
        if (!serves_what_we_need(peer)) continue;
        if (check_.can_check(peers_.address(peer), headers_.known_height(peer))) return peer;
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
    if (checker && check_.can_check(peers_.address(*checker), headers_.known_height(*checker)))
        return;
    peers_.log(*best, "checks what another peer scanned");
    check_.start(*best, peers_.address(*best));
}

bool Engine::Core::checking() const {
    if (!context_.config.cross_check) return false;
    if (check_.waiting() || best_checker()) return true;
    return check_.open_blocks() > 0 && peers_.coming_back(scanner_address_);
}

} // namespace headlight::sync
