// What the engine has stored, and when; what waits for that: bans, what people are told, the end.
#include "sync/core.hpp"

namespace headlight::sync {

bool Engine::Core::unsaved() const {
    return context_.tree.tip().hash != persisted_tip_ ||
           context_.wallet.scan() != persisted_scan_ || !context_.when_stored.empty();
}

/// Only once the wallet has stepped back behind what a liar scanned: a ban alone would let the next
/// run believe it.
void Engine::Core::keep_bans() {
    for (auto& ban : std::exchange(context_.bans, {}))
        context_.act(action::KeepBan{std::move(ban)});
}

bool Engine::Core::persist_due() const {
    if (outcome_ || !context_.bans.empty()) return true;
    // What a part is must outlive whoever is shown one: a peer's group, and the secret.
    const bool secretive = context_.spread() > 1 || context_.config.proxy;
    if (persist_id_ == 0 && secretive) return true;
    if (!unsaved()) return false;
    if (context_.statistics.headers - persisted_headers_ >= limits::persist_headers) return true;
    const bool asked =
        std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.scan.waiting(); });
    if (at_tip_ && !asked) return true;
    return context_.now.steady_ms >= persisted_ms_ + limits::persist_interval_ms;
}

void Engine::Core::persist() {
    action::Persist action;
    action.id = ++persist_id_;
    action.headers = context_.tree.unsaved();
    action.changes = context_.wallet.take_changes();
    persisted_ms_ = context_.now.steady_ms;
    if (action.headers.empty() && action.changes.empty() && context_.when_stored.empty()) {
        keep_bans();
        if (outcome_) end();
        return;
    }
    persisted_headers_ = context_.statistics.headers;
    persisted_tip_ = context_.tree.tip().hash;
    persisted_scan_ = context_.wallet.scan();
    storing_ = action.id;
    storing_notices_ = std::exchange(context_.when_stored, {});
    context_.act(std::move(action));
}

void Engine::Core::handle(const event::Stored& event) {
    if (storing_ != event.id) return;
    storing_.reset();
    if (event.error) {
        // What could not be stored is not told, and nothing goes on in memory alone.
        outcome_ = notice::Finished{event.error, false};
        end();
        return;
    }
    context_.tree.saved(persisted_tip_);
    keep_bans();
    for (auto& notice : std::exchange(storing_notices_, {}))
        context_.notify(std::move(notice));
    if (outcome_) end();
}

} // namespace headlight::sync
