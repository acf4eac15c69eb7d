// How fast headers are checked and stored.
#pragma once

#include <cstdint>

namespace headlight::bench {

/// CPU seconds for `count` regtest headers: accepted by a header tree, and stored in a file, in
/// messages and stores of the sizes that a sync has. Throws when a header is refused.
double time_headers(std::int32_t count);

} // namespace headlight::bench
