// QR codes for a terminal.
#pragma once

#include "chain/result.hpp"

#include <string>

namespace headlight::cli {

/// A QR code of `text` in UTF-8 half blocks, two rows of modules a line, with its quiet zone, for a
/// terminal that writes light on dark. Error: too_large.
result<std::string> qr_code(const std::string& text);

} // namespace headlight::cli
