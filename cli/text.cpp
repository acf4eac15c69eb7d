#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace headlight::cli {

namespace {

constexpr std::uint64_t satoshis_per_coin = 100'000'000;

template <class... Args>
std::string print(const char* format, Args... args) {
    std::array<char, 64> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), format, args...);
    return {buffer.data(), static_cast<std::size_t>(std::clamp(length, 0, 63))};
}

std::string format_utc(std::int64_t seconds, const char* format) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 64> buffer{};
    return {buffer.data(), std::strftime(buffer.data(), buffer.size(), format, &parts)};
}

std::string pad(const std::string& cell, std::size_t width, Table::Align align) {
    const std::string space(width - std::min(width, cell.size()), ' ');
    return align == Table::Align::right ? space + cell : cell + space;
}

} // namespace

std::string format_amount(Amount satoshis) { return format_bitcoins(satoshis) + " BTC"; }

std::string format_bitcoins(Amount satoshis) {
    const auto unsigned_value = static_cast<std::uint64_t>(satoshis);
    const std::uint64_t magnitude = satoshis < 0 ? 0 - unsigned_value : unsigned_value;
    const std::string sign = satoshis < 0 ? "-" : "";
    return sign + print("%llu.%08llu",
                        static_cast<unsigned long long>(magnitude / satoshis_per_coin),
                        static_cast<unsigned long long>(magnitude % satoshis_per_coin));
}

std::string format_time(std::int64_t seconds) {
    return format_utc(seconds, "%Y-%m-%d %H:%M:%S UTC");
}

std::string format_iso_time(std::int64_t seconds) {
    return format_utc(seconds, "%Y-%m-%dT%H:%M:%SZ");
}

std::string format_day(std::int64_t seconds) { return format_utc(seconds, "%Y-%m-%d"); }

std::string format_bytes(std::uint64_t bytes) {
    if (bytes < 1'000) return std::to_string(bytes) + " B";
    const auto value = static_cast<double>(bytes);
    if (bytes < 1'000'000) return print("%.1f kB", value / 1e3);
    if (bytes < 1'000'000'000) return print("%.1f MB", value / 1e6);
    return print("%.1f GB", value / 1e9);
}

std::string format_duration(double seconds) {
    const auto whole = static_cast<long long>(std::max(seconds, 0.0) + 0.5);
    if (whole < 60) return print("%lld s", whole);
    if (whole < 3'600) return print("%lld min %lld s", whole / 60, whole % 60);
    return print("%lld h %lld min", whole / 3'600, whole % 3'600 / 60);
}

std::string count(std::int64_t number, std::string_view thing) {
    return std::to_string(number) + " " + std::string(thing) + (number == 1 ? "" : "s");
}

std::string Table::to_string() const {
    std::vector<std::size_t> widths;
    for (const auto& column : columns_)
        widths.push_back(column.heading.size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());

    std::string text;
    const auto add_line = [&](auto&& cell) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i)
            line += (i ? "  " : "") + pad(cell(i), widths[i], columns_[i].align);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    add_line([&](std::size_t i) { return columns_[i].heading; });
    for (const auto& row : rows_)
        add_line([&](std::size_t i) { return row[i]; });
    return text;
}

} // namespace headlight::cli
