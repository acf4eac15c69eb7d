// Text that people hand in: files, or stdin for "-".
#pragma once

#include "chain/result.hpp"
#include "cli/host.hpp"

#include <functional>
#include <string>

namespace headlight::cli {

/// All of a file, or of stdin when the name is "-". Errors: io; too_large over `limit` bytes.
result<std::string> read_input(const Host& host, const std::string& name, std::size_t limit);

/// The same line by line, without their ends; what `take` answers ends the reading.
using TakeLine = std::function<result<void>(std::string_view line)>;
result<void> read_lines(const Host& host, const std::string& name, std::size_t limit,
                        const TakeLine& take);

/// Without blanks and line ends on both sides.
std::string_view trim(std::string_view text);

} // namespace headlight::cli
