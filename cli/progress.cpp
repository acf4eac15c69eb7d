#include "cli/progress.hpp"

#include "cli/text.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace headlight::cli {

namespace {

using sync::notice::Phase;

constexpr double redraw_seconds = 0.1;
constexpr double line_seconds = 5;
constexpr double silence_seconds = 5; // without progress, before that is said
constexpr int bar_width = 24;

bool has_figures(Phase phase) { return phase == Phase::headers || phase == Phase::blocks; }

std::string_view title(Phase phase) {
    switch (phase) {
    case Phase::connecting:
        return "Connecting";
    case Phase::headers:
        return "Headers";
    case Phase::blocks:
        return "Blocks";
    case Phase::mempool:
        return "Waiting for pending payments";
    case Phase::at_tip:
        break;
    }
    return "At the tip";
}

std::string percent(double fraction) {
    return std::to_string(static_cast<int>(fraction * 100)) + " %, ";
}

std::string bar(double fraction) {
    const int full = static_cast<int>(std::lround(fraction * bar_width));
    return "[" + std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(bar_width - full), '-') + "] ";
}

} // namespace

ProgressDisplay::ProgressDisplay(Output& out, Style style, std::function<double()> seconds)
    : out_(out), style_(style), seconds_(std::move(seconds)) {
    if (style_ == Style::bar) out_.on_stderr([this] { clear(); });
}

ProgressDisplay::~ProgressDisplay() {
    clear();
    out_.on_stderr({});
}

void ProgressDisplay::on(const sync::notice::Progress& progress) {
    const bool new_phase = !started_ || progress.phase != last_.phase;
    const double now = seconds_();
    if (new_phase && started_) end_phase(progress);
    if (new_phase) phase_start_ = now;
    if (new_phase || progress.done != last_.done) last_change_ = now;
    last_ = progress;
    started_ = true;
    show(new_phase);
}

void ProgressDisplay::tick() {
    if (started_) show(false);
}

void ProgressDisplay::clear() {
    if (!drawn_) return;
    out_.host().err << "\r\x1b[K";
    out_.host().err.flush();
    drawn_ = false;
}

// Where a phase ended is known from the next one's figures. A bar is gone by then.
void ProgressDisplay::end_phase(const sync::notice::Progress& next) {
    if (style_ != Style::lines || !has_figures(last_.phase)) return;
    const bool headers = last_.phase == Phase::headers;
    const auto end = headers ? next.headers : next.scanned;
    if (end == shown_at_) return;
    last_.done += end - place();
    last_.headers = next.headers;
    last_.scanned = next.scanned;
    expected_headers_ = 0;
    show(true);
}

std::int32_t ProgressDisplay::place() const {
    return last_.phase == Phase::headers ? last_.headers : last_.scanned;
}

void ProgressDisplay::show(bool now) {
    if (last_.phase == Phase::mempool && !shows_mempool_) return clear();
    const double wait = style_ == Style::bar ? redraw_seconds : line_seconds;
    if (style_ == Style::none || (!now && seconds_() - last_shown_ < wait)) return;
    last_shown_ = seconds_();
    shown_at_ = place();
    if (style_ == Style::lines) return out_.note(text());
    clear();
    if (last_.phase == Phase::at_tip) return;
    out_.host().err << text();
    out_.host().err.flush();
    drawn_ = true;
}

std::string ProgressDisplay::text() const {
    std::string line(title(last_.phase));
    if (has_figures(last_.phase)) line += figures();
    return line + stall();
}

double ProgressDisplay::fraction() const {
    const auto more = last_.phase == Phase::headers ? expected_headers_ : 0;
    const auto total = std::max(last_.total, last_.done + more);
    if (total <= 0) return 0;
    return std::clamp(static_cast<double>(last_.done) / static_cast<double>(total), 0.0, 1.0);
}

std::string ProgressDisplay::figures() const {
    const bool headers = last_.phase == Phase::headers;
    const double part = fraction();
    std::string line = " ";
    // How many headers there are is known at their end only, unless their pace tells.
    if (!headers || expected_headers_ > 0)
        line += (style_ == Style::bar ? bar(part) : "") + percent(part);
    line += "at " + std::to_string(place());
    if (!headers) line += " of " + std::to_string(last_.headers);
    const double taken = seconds_() - phase_start_;
    if (taken < 1 || last_.done <= 0) return line;
    const double rate = static_cast<double>(last_.done) / taken;
    line += ", " + std::to_string(std::lround(rate)) + "/s";
    if (part > 0 && part < 1) line += ", " + format_duration(taken / part - taken) + " left";
    return line;
}

std::string ProgressDisplay::stall() const {
    const double silent = seconds_() - last_change_;
    if (silent < silence_seconds || last_.phase == Phase::at_tip || last_.phase == Phase::mempool)
        return {};
    return ", no progress for " + format_duration(silent) + (peer_.empty() ? "" : " from " + peer_);
}

} // namespace headlight::cli
