// What people see while a run goes on.
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace headlight::tests {
namespace {

using cli::ProgressDisplay;
using sync::notice::Phase;
using sync::notice::Progress;

class Display : public ::testing::Test {
  protected:
    std::string shown() {
        auto text = err_.str();
        err_.str("");
        return text;
    }
    std::istringstream in_;
    std::ostringstream out_;
    std::ostringstream err_;
    double seconds_ = 100;
    cli::Host host_{.in = in_, .out = out_, .err = err_, .now = [] { return std::int64_t{0}; }};
    cli::Output output_{host_, false, false};
    std::function<double()> clock_ = [this] { return seconds_; };
};

Progress blocks(std::int64_t done, std::int64_t total) {
    return {.phase = Phase::blocks,
            .done = done,
            .total = total,
            .headers = static_cast<std::int32_t>(1'000 + total),
            .scanned = static_cast<std::int32_t>(1'000 + done)};
}

TEST_F(Display, WritesALineForEachPhaseAndThenEverySoOften) {
    ProgressDisplay display(output_, ProgressDisplay::Style::lines, clock_);
    display.on({.phase = Phase::headers, .done = 0, .total = 0, .headers = 7, .scanned = -1});
    EXPECT_EQ(shown(), "Headers at 7\n");
    display.on({.phase = Phase::headers, .done = 1'000, .total = 1'000, .headers = 1'007});
    EXPECT_EQ(shown(), "");
    display.on(blocks(0, 200));
    EXPECT_EQ(shown(), "Headers at 1200\nBlocks 0 %, at 1000 of 1200\n");
    seconds_ += 2;
    display.on(blocks(20, 200));
    EXPECT_EQ(shown(), "");
    seconds_ += 8;
    display.on(blocks(100, 200));
    EXPECT_EQ(shown(), "Blocks 50 %, at 1100 of 1200, 10/s, 10 s left\n");
    seconds_ += 1;
    display.on({.phase = Phase::at_tip, .headers = 1'200, .scanned = 1'200});
    EXPECT_EQ(shown(), "Blocks 100 %, at 1200 of 1200, 18/s\nAt the tip\n");
    EXPECT_EQ(out_.str(), "");
}

TEST_F(Display, TellsNoEndOfAPhaseTwice) {
    ProgressDisplay display(output_, ProgressDisplay::Style::lines, clock_);
    display.on({.phase = Phase::headers, .headers = 1'200, .scanned = 1'200});
    display.on({.phase = Phase::at_tip, .headers = 1'200, .scanned = 1'200});
    EXPECT_EQ(shown(), "Headers at 1200\nAt the tip\n");
}

TEST_F(Display, SaysNothingOfPendingPaymentsWhenNobodyWaitsForThem) {
    const Progress mempool{.phase = Phase::mempool, .headers = 1'200, .scanned = 1'200};
    for (const auto style : {ProgressDisplay::Style::lines, ProgressDisplay::Style::bar}) {
        ProgressDisplay display(output_, style, clock_);
        display.hide_mempool();
        display.on(blocks(200, 200));
        shown();
        display.on(mempool);
        seconds_ += 10;
        display.tick();
        EXPECT_EQ(shown(), style == ProgressDisplay::Style::bar ? "\r\x1b[K" : "");
    }
    ProgressDisplay display(output_, ProgressDisplay::Style::lines, clock_);
    display.on(mempool);
    EXPECT_EQ(shown(), "Waiting for pending payments\n");
}

// pitfalls F2: a stall has a reason: last progress, peer, rate, time left.
TEST_F(Display, ShowsThatNothingMovesAndWhoIsAsked) {
    ProgressDisplay display(output_, ProgressDisplay::Style::lines, clock_);
    display.on_peer("192.0.2.1:8333");
    display.on(blocks(0, 200));
    seconds_ += 2;
    display.on(blocks(100, 200));
    shown();
    seconds_ += 30;
    display.tick();
    EXPECT_EQ(shown(), "Blocks 50 %, at 1100 of 1200, 3/s, 32 s left, no progress for 30 s from "
                       "192.0.2.1:8333\n");
}

TEST_F(Display, DrawsABarAndTakesItAwayBeforeOtherLines) {
    {
        ProgressDisplay display(output_, ProgressDisplay::Style::bar, clock_);
        display.on(blocks(50, 200));
        EXPECT_EQ(shown(), "Blocks [######------------------] 25 %, at 1050 of 1200");
        output_.note("a remark");
        EXPECT_EQ(shown(), "\r\x1b[Ka remark\n");
        seconds_ += 1;
        display.on(blocks(60, 200));
        shown();
    }
    EXPECT_EQ(shown(), "\r\x1b[K");
}

TEST_F(Display, EstimatesHeadersOnlyWhereTheirPaceIsKnown) {
    ProgressDisplay display(output_, ProgressDisplay::Style::bar, clock_);
    display.expect_headers(6'000);
    display.on({.phase = Phase::headers, .done = 2'000, .total = 2'000, .headers = 2'000});
    EXPECT_EQ(shown(), "Headers [######------------------] 25 %, at 2000");
}

TEST_F(Display, IsSilentForPrograms) {
    ProgressDisplay display(output_, ProgressDisplay::Style::none, clock_);
    display.on(blocks(50, 200));
    seconds_ += 60;
    display.tick();
    EXPECT_EQ(shown(), "");
}

} // namespace
} // namespace headlight::tests
