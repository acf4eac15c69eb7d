// Figures and tables for people.
#pragma once

#include "chain/bytes.hpp"

namespace headlight::cli {

/// "0.00012345 BTC", signed.
std::string format_amount(Amount satoshis);
/// The same without the unit.
std::string format_bitcoins(Amount satoshis);
/// "2024-05-01 13:37:00 UTC", "2024-05-01T13:37:00Z" (ISO 8601), "2024-05-01".
std::string format_time(std::int64_t seconds);
std::string format_iso_time(std::int64_t seconds);
std::string format_day(std::int64_t seconds);
/// "512 B", "36.0 kB", "1.2 MB" (powers of 1000).
std::string format_bytes(std::uint64_t bytes);
/// "12 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);
/// "1 block", "2 blocks".
std::string count(std::int64_t number, std::string_view thing);
/// How many filters hold the scripts: `shards` for each peer of each of `split` groups; empty for
/// one filter that every peer gets.
std::string parts_text(std::uint32_t split, std::uint32_t shards);

/// Rows of text under a heading, in aligned columns.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string heading;
        Align align = Align::left;
    };
    using Row = std::vector<std::string>;
    explicit Table(std::vector<Column> columns);
    void add(Row row) {
        measure(row);
        rows_.push_back(std::move(row));
    }
    bool empty() const { return rows_.empty(); }
    std::string to_string() const;

    /// Of more rows than should be held at once, each is measured first, and then written.
    void measure(const Row& row);
    std::string heading() const;
    std::string line(const Row& row) const;

  private:
    std::vector<Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<Row> rows_;
};

} // namespace headlight::cli
