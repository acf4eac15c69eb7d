// Numbers and the like from the words of a command line; refusals that name the option.
#pragma once

#include "chain/hash.hpp"
#include "chain/result.hpp"

#include <cstdint>
#include <optional>

namespace headlight::cli {

/// Error: bad_argument, always.
Error usage(std::string message, std::string cause, std::string cure);

result<std::int64_t> whole(std::string_view name, std::string_view text, std::int64_t least,
                           std::int64_t most);
/// From seconds, such as 30 or 1.5; rounded up.
result<std::int64_t> milliseconds(std::string_view name, std::string_view text);
result<chain::Hash256> txid(std::string_view text);
/// A number, also as 1e-3.
std::optional<double> real_number(std::string_view text);
/// From 0 to 1, or none for "never".
result<std::optional<double>> probability(std::string_view name, std::string_view text);

} // namespace headlight::cli
