// What every command works with.
#pragma once

#include "cli/arguments.hpp"
#include "cli/output.hpp"

namespace headlight::cli {

struct Context {
    const client::Paths& paths;
    Output& out;
    bool kept_part = false; ///< set by a command that was stopped before the tip: exit code 3

    const chain::Network& network() const { return *paths.network; }
    std::int64_t now() const { return out.host().now(); }
};

} // namespace headlight::cli
