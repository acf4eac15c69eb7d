// The whole program but for main(): parse, do, report.
#pragma once

#include "cli/host.hpp"

namespace headlight::cli {

/// Exit codes: 0 done; 1 failed; 2 usage; 3 stopped before the tip (what was scanned is kept).
int run(int argc, const char* const* argv, const Host& host);

} // namespace headlight::cli
