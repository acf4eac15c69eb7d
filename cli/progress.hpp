// Progress on stderr: one bar that is redrawn on a terminal, a line now and then elsewhere.
#pragma once

#include "cli/output.hpp"
#include "sync/events.hpp"

#include <functional>

namespace headlight::cli {

class ProgressDisplay {
  public:
    enum class Style { none, lines, bar };
    /// `seconds` is a steady clock.
    ProgressDisplay(Output& out, Style style, std::function<double()> seconds);
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    void on(const sync::notice::Progress& progress);
    /// The peer that a stall would be about.
    void on_peer(std::string address) { peer_ = std::move(address); }
    /// How many headers are likely still to come; known on networks whose blocks have a pace.
    void expect_headers(std::int64_t more) { expected_headers_ = more; }
    /// Nobody waits for pending payments in this run: that phase passes unseen.
    void hide_mempool() { shows_mempool_ = false; }
    /// Called about once a second: shows that nothing moves, too.
    void tick();
    /// Takes the bar off the screen.
    void clear();

  private:
    void end_phase(const sync::notice::Progress& next);
    std::int32_t place() const;
    void show(bool now);
    std::string text() const;
    std::string figures() const;
    std::string stall() const;
    double fraction() const;

    Output& out_;
    Style style_;
    std::function<double()> seconds_;
    sync::notice::Progress last_;
    std::string peer_;
    std::int64_t expected_headers_ = 0;
    double phase_start_ = 0;
    double last_change_ = 0;
    double last_shown_ = 0;
    bool started_ = false;
    bool shows_mempool_ = true;
    std::int32_t shown_at_ = -1; ///< the place that was last shown
    bool drawn_ = false;
};

} // namespace headlight::cli
