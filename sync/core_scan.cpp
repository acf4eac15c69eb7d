// Who scans: which connection is chosen for each part of the scripts, and when it is given up.
#include "sync/core.hpp"
#include "sync/reasons.hpp"

namespace headlight::sync {

/// Nobody else is there for its part.
bool Engine::Core::alone(PeerId peer) const {
    return peers_.ready_peers(peers_.part(peer)).size() == 1;
}

/// Bytes alone do not excuse a peer for ever: they may be chatter.
bool Engine::Core::may_extend() {
    const auto progress = order_.progress() + context_.statistics.headers;
    if (extensions_progress_ != progress) {
        extensions_progress_ = progress;
        extensions_ = 0;
    }
    return ++extensions_ <= limits::max_extensions;
}

bool Engine::Core::serves_what_we_need(PeerId peer) const {
    const auto services = peers_.version(peer)->services;
    if (services & p2p::services::network) return true;
    return context_.wallet.scan().height + 1 > context_.tree.tip_height() - limits::pruned_depth;
}

/// The best in rank that knows a block we still need; else the one that knows most.
std::optional<PeerId> Engine::Core::best_scanner(const Lane& lane,
                                                 std::optional<PeerId> except) const {
    std::optional<PeerId> best;
    for (const auto peer : peers_.ready_peers(lane.part)) {
        if (peer == except || !headers_.done(peer) || !serves_what_we_need(peer)) continue;
        const auto known = headers_.known_height(peer);
        if (known >= goal()) return peer;
        if (!best || known > headers_.known_height(*best)) best = peer;
    }
    return best;
}

std::int64_t Engine::Core::stall_deadline_ms(const Lane& lane) {
    if (!lane.scan.peer() || !lane.scan.waiting()) return Context::never;
    return std::max(lane.scan.last_progress_ms(), lane.stall_extended_ms) +
           limits::stall_timeout_ms;
}

void Engine::Core::check_scanner(Lane& lane) {
    auto& scan = lane.scan;
    const auto scanner = scan.peer();
    if (!scanner) return;
    const auto where = peers_.address(*scanner);
    if (const auto lost = scan.given_up()) {
        const auto hash = context_.tree.at(lost->height).hash;
        drop(*scanner, DropReason::refused_blocks,
             lost->withheld ? reasons::transactions_withheld(where, lost->height, hash)
                            : reasons::blocks_refused(where, lost->height, hash));
    } else if (scan.unmatched() > 0 && !lane.unmatched_told) {
        // Relay may have grown the server's filter behind our mirror, so this proves nothing.
        lane.unmatched_told = true;
        peers_.lower_rank(*scanner, "sends transactions that the filter does not match");
    } else if (const auto missing = scan.first_missing(); missing && best_scanner(lane, scanner)) {
        // Another peer goes on. The connection is ended, not kept for later: what it still has
        // under way was answered under a filter of its own, and must not be taken for newer
        // answers.
        drop(*scanner, DropReason::refused_blocks,
             reasons::blocks_refused(where, *missing, context_.tree.at(*missing).hash));
    } else if (context_.now.steady_ms >= stall_deadline_ms(lane)) {
        if (!best_scanner(lane, scanner) && peers_.moving(*scanner) && may_extend()) {
            lane.stall_extended_ms = context_.now.steady_ms; // slow, but all we have
            return;
        }
        drop(*scanner, DropReason::stalled,
             reasons::stalled(where, "no block or pong came", limits::stall_timeout_ms));
    }
}

void Engine::Core::choose_scanner(Lane& lane) {
    if (lane.scan.peer()) return;
    const auto best = best_scanner(lane, std::nullopt);
    if (best && best == lane.check.peer()) {
        // What it still owes was asked for under another filter.
        if (lane.check.waiting()) return;
        lane.check.stop();
    }
    if (!best) {
        for (const auto peer : peers_.ready_peers(lane.part)) {
            if (!headers_.done(peer) || serves_what_we_need(peer)) continue;
            drop(peer, DropReason::useless,
                 reasons::pruned(peers_.address(peer), context_.wallet.scan().height + 1));
        }
        return;
    }
    peers_.set_scanning(*best, true);
    lane.unmatched_told = false;
    lane.scanner_address = peers_.address(*best);
    const auto which = lanes_.size() == 1 ? std::string{}
                                          : " part " + std::to_string(lane.part + 1) + " of " +
                                                std::to_string(lanes_.size());
    peers_.log(*best, "scans" + which + " from height " +
                          std::to_string(context_.wallet.scan().height + 1));
    doubt_lost_scanners(lane);
    const bool serves_mempool = peers_.version(*best)->services & p2p::services::bloom;
    lane.scan.start(*best, lane.scanner_address, serves_mempool);
}

} // namespace headlight::sync
