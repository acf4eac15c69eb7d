// What people are shown: one phase at a time, over the work left in this run, never backwards.
#pragma once

#include "sync/context.hpp"

namespace headlight::sync {

class Progress {
  public:
    explicit Progress(Context& context) : context_(context) {}

    /// `goal` is the last height this run will scan.
    void report(notice::Phase phase, std::int32_t goal);

  private:
    Context& context_;
    std::optional<notice::Progress> last_;
    std::int32_t start_ = 0; ///< of the phase
};

} // namespace headlight::sync
