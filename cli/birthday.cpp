#include "cli/birthday.hpp"

#include "chain/limits.hpp"
#include "cli/text.hpp"

#include <boost/json/value.hpp>

#include <charconv>
#include <chrono>

namespace headlight::cli {

namespace {

using wallet::Birthday;

// All of `text` as a number of digits only.
std::optional<std::int64_t> digits(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (text.empty() || text.front() == '-' || parsed.ec != std::errc{} || parsed.ptr != end)
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> day(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = digits(text.substr(0, 4));
    const auto month = digits(text.substr(5, 2));
    const auto of_month = digits(text.substr(8, 2));
    if (!year || !month || !of_month) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*of_month))};
    if (!date.ok() || *year < 1970) return std::nullopt;
    const auto since = std::chrono::sys_days(date).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

} // namespace

result<Birthday> parse_birthday(std::string_view text, std::int64_t now) {
    if (const auto height = digits(text); height && *height <= limits::max_height)
        return Birthday{Birthday::Kind::height, *height};
    const auto time = day(text);
    if (time && *time <= now) return Birthday{Birthday::Kind::time, *time};
    if (time)
        return Error{errc::bad_argument, "the birthday " + std::string(text) + " is still to come",
                     "today is " + format_day(now) + ", and nothing before a birthday is scanned",
                     "Give the day of the first payment or an earlier one"};
    return Error{errc::bad_argument, "'" + std::string(text) + "' is no birthday",
                 "it is neither a block height up to " + std::to_string(limits::max_height) +
                     " nor a day of the calendar from 1970 on",
                 "Write HEIGHT or YYYY-MM-DD"};
}

std::string to_text(const Birthday& birthday) {
    if (birthday.kind == Birthday::Kind::height) return "block " + std::to_string(birthday.value);
    return format_day(birthday.value);
}

boost::json::value to_json(const Birthday& birthday) {
    if (birthday.kind == Birthday::Kind::height) return birthday.value;
    return boost::json::value(format_day(birthday.value));
}

} // namespace headlight::cli
