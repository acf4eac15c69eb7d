// Birthdays as people write them: a block's height, or a day.
#pragma once

#include "chain/result.hpp"
#include "wallet/state.hpp"

#include <boost/json/fwd.hpp>

namespace headlight::cli {

/// HEIGHT or YYYY-MM-DD (midnight UTC). Error: bad_argument, also for a day that no calendar has or
/// that is still to come: all before it would be skipped.
result<wallet::Birthday> parse_birthday(std::string_view text, std::int64_t now);

/// "block 1234" or "2024-05-01".
std::string to_text(const wallet::Birthday& birthday);
/// 1234 or "2024-05-01".
boost::json::value to_json(const wallet::Birthday& birthday);

} // namespace headlight::cli
