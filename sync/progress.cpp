#include "sync/progress.hpp"

namespace headlight::sync {

void Progress::report(notice::Phase phase, std::int32_t goal) {
    const auto headers = context_.tree.tip_height();
    const auto scanned = context_.wallet.scan().height;
    const bool of_headers = phase == notice::Phase::headers;
    const auto at = of_headers ? headers : std::max(scanned, 0);
    if (!last_ || last_->phase != phase) {
        start_ = at;
        last_.reset();
    }
    notice::Progress next;
    next.phase = phase;
    next.headers = headers;
    next.scanned = scanned;
    next.done = std::max<std::int64_t>(at - start_, last_ ? last_->done : 0);
    // How many headers there are is known only at their end: a peer's word is not taken for it.
    next.total = of_headers ? next.done : std::max<std::int64_t>(goal - start_, next.done);
    if (last_) next.total = std::max(next.total, last_->total);
    if (last_ == next) return;
    last_ = next;
    context_.notify(next);
}

} // namespace headlight::sync
