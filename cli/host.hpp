// What the program meets outside itself: three streams, whether people see them, the time of day.
// Tests hand in their own.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>

namespace headlight::cli {

struct Host {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    std::function<std::int64_t()> now; ///< seconds since 1970 UTC
};

} // namespace headlight::cli
