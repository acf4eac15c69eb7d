// Figures for people.
#include "cli/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headlight::tests {
namespace {

TEST(Figures, AmountsHaveEightDecimalsAndTheirUnit) {
    EXPECT_EQ(cli::format_amount(0), "0.00000000 BTC");
    EXPECT_EQ(cli::format_amount(1), "0.00000001 BTC");
    EXPECT_EQ(cli::format_amount(-150'000'000), "-1.50000000 BTC");
    EXPECT_EQ(cli::format_amount(2'100'000'000'000'000), "21000000.00000000 BTC");
    EXPECT_EQ(cli::format_amount(std::numeric_limits<Amount>::min()), "-92233720368.54775808 BTC");
}

TEST(Figures, TimesBytesAndDurations) {
    EXPECT_EQ(cli::format_time(1'714'564'800), "2024-05-01 12:00:00 UTC");
    EXPECT_EQ(cli::format_day(1'709'164'800), "2024-02-29");
    EXPECT_EQ(cli::format_bytes(999), "999 B");
    EXPECT_EQ(cli::format_bytes(36'000), "36.0 kB");
    EXPECT_EQ(cli::format_bytes(1'250'000), "1.2 MB");
    EXPECT_EQ(cli::format_duration(12.4), "12 s");
    EXPECT_EQ(cli::format_duration(200), "3 min 20 s");
    EXPECT_EQ(cli::format_duration(7'500), "2 h 5 min");
    EXPECT_EQ(cli::count(1, "block"), "1 block");
    EXPECT_EQ(cli::count(0, "block"), "0 blocks");
}

TEST(Figures, TablesAreAligned) {
    cli::Table table({{"NAME"}, {"SUM", cli::Table::Align::right}});
    table.add({"a", "12345"});
    table.add({"longer", "1"});
    EXPECT_EQ(table.to_string(), "NAME      SUM\n"
                                 "a       12345\n"
                                 "longer      1\n");
}

} // namespace
} // namespace headlight::tests
