// Comma-separated values as RFC 4180 has them.
#pragma once

#include <string>
#include <vector>

namespace headlight::cli {

/// With its line end (CR LF). A field that holds a comma, a quote or a line end is quoted.
std::string csv_line(const std::vector<std::string>& fields);

} // namespace headlight::cli
