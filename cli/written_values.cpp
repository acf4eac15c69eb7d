#include "cli/written_values.hpp"

#include <charconv>
#include <cmath>

namespace headlight::cli {

Error usage(std::string message, std::string cause, std::string cure) {
    return {errc::bad_argument, std::move(message), std::move(cause), std::move(cure)};
}

result<std::int64_t> whole(std::string_view name, std::string_view text, std::int64_t least,
                           std::int64_t most) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && value >= least && value <= most)
        return value;
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 "Give such a number");
}

result<std::int64_t> milliseconds(std::string_view name, std::string_view text) {
    constexpr double most_seconds = 1e9;
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (parsed.ec == std::errc{} && parsed.ptr == end && value >= 0 && value <= most_seconds)
        return static_cast<std::int64_t>(std::ceil(value * 1'000));
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a number of seconds, such as 30 or 1.5", "Give such a number");
}

result<chain::Hash256> txid(std::string_view text) {
    if (const auto hash = chain::Hash256::from_string(text)) return *hash;
    return usage("'" + std::string(text) + "' is no transaction id", "an id is 64 hex digits",
                 "Copy it from `headlight history`");
}

std::optional<double> real_number(std::string_view text) {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(value)) return value;
    return {};
}

result<std::optional<double>> probability(std::string_view name, std::string_view text) {
    if (text == "never") return std::optional<double>();
    const auto value = real_number(text);
    if (value && *value >= 0 && *value <= 1) return value;
    return usage(std::string(name) + " cannot be '" + std::string(text) + "'",
                 "it is a probability from 0 to 1, or never", "Give such a number");
}

} // namespace headlight::cli
