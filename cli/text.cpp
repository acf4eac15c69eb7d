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

std::string parts_text(std::uint32_t split, std::uint32_t shards) {
    if (split * shards == 1) return {};
    const auto text = std::to_string(split * shards) + " filters of this size";
    if (split == 1) return text + ", all for each peer";
    return text + ", " + std::to_string(shards) + " for each of " + std::to_string(split) +
           " groups of peers";
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const auto& column : columns_)
        widths_.push_back(column.heading.size());
}

void Table::measure(const Row& row) {
    for (std::size_t i = 0; i < widths_.size(); ++i)
        widths_[i] = std::max(widths_[i], row[i].size());
}

std::string Table::heading() const {
    Row row;
    for (const auto& column : columns_)
        row.push_back(column.heading);
    return line(row);
}

std::string Table::line(const Row& row) const {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        line += (i ? "  " : "") + pad(row[i], widths_[i], columns_[i].align);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string Table::to_string() const {
    auto text = heading();
    for (const auto& row : rows_)
        text += line(row);
    return text;
}

} // namespace headlight::cli
