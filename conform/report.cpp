#include "conform/report.hpp"

#include <algorithm>
#include <cstdio>

namespace headlight::conform {

namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t indent = 9; // "skipped" and two blanks
constexpr std::string_view blanks = "         ";
static_assert(blanks.size() == indent);

std::size_t width(std::string_view text) { // in characters: bytes that continue one do not count
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// `text` under a heading of `indent` columns, broken at blanks, and within words that are longer
/// than a line.
std::string wrapped(std::string_view heading, std::string_view text) {
    std::string out(heading);
    out.resize(std::max(indent, out.size()), ' ');
    auto used = out.size();
    bool first = true;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        auto word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!first && used + 1 + width(word) > columns) {
            out += "\n" + std::string(blanks);
            used = indent;
            first = true;
        }
        while (used + width(word) > columns && word.size() > columns - indent) {
            out += std::string(word.substr(0, columns - used)) + "\n" + std::string(blanks);
            word.remove_prefix(columns - used);
            used = indent;
        }
        out += (first ? "" : " ") + std::string(word);
        used += width(word) + (first ? 0 : 1);
        first = false;
    }
    return out + "\n";
}

/// Nothing but what one line of TAP or YAML can hold.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c == '"' || c == '\\') line += '\\';
        line += c == '\n' || c == '\r' ? ' ' : c;
    }
    return line;
}

std::string tap_description(const Check& check) {
    std::string text(check.clause);
    std::replace(text.begin(), text.end(), '#', ' '); // starts a directive
    return "- " + std::string(check.id) + ": " + text;
}

std::string yaml(const Result& result) {
    const auto field = [](std::string_view name, std::string_view value) {
        return "  " + std::string(name) + ": \"" + one_line(value) + "\"\n";
    };
    return "  ---\n" + field("source", result.check->source) + field("sent", result.sent) +
           field("got", result.outcome.got) + "  ...\n";
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
    }
    return out;
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

std::string details(const Result& result) {
    return escaped("sent " + result.sent + "; got " + result.outcome.got);
}

std::string junit_inside(const Result& result) {
    switch (result.outcome.verdict) {
    case Verdict::pass:
        return {};
    case Verdict::fail:
        return "<failure message=\"" + escaped(result.check->clause) + "\">" + details(result) +
               "</failure>";
    case Verdict::skipped:
        return "<skipped message=\"" + escaped(result.outcome.got) + "\"/>";
    case Verdict::differs:
        return "<system-out>differs: " + details(result) + "</system-out>";
    }
    return {};
}

} // namespace

std::string to_text(const Result& result) {
    const auto& check = *result.check;
    auto text = wrapped(to_string(result.outcome.verdict), check.id);
    text += wrapped({}, std::string(check.clause) + " [" + std::string(check.source) + "]");
    if (!result.sent.empty()) text += wrapped("    sent", result.sent);
    return text + wrapped("    got", result.outcome.got);
}

std::string totals(const Report& report) {
    const auto number = [&](Verdict verdict) { return std::to_string(report.count(verdict)); };
    return number(Verdict::pass) + " passed, " + number(Verdict::differs) + " differ, " +
           number(Verdict::skipped) + " skipped, " + number(Verdict::fail) + " failed";
}

std::string list_text(const std::vector<const Check*>& checks) {
    std::string text;
    for (const auto* check : checks)
        text += std::string(check->id) + "\n" +
                wrapped({}, std::string(check->clause) + " [" + std::string(check->source) + "]");
    return text;
}

std::string to_tap(const Report& report) {
    std::string text = "TAP version 13\n1.." + std::to_string(report.results.size()) + "\n# " +
                       one_line(report.node + " " + report.agent) + "\n";
    for (std::size_t i = 0; i < report.results.size(); ++i) {
        const auto& result = report.results[i];
        const auto verdict = result.outcome.verdict;
        text += (verdict == Verdict::fail ? "not ok " : "ok ") + std::to_string(i + 1) + " " +
                tap_description(*result.check);
        if (verdict == Verdict::skipped) text += " # SKIP " + one_line(result.outcome.got);
        text += "\n";
        if (verdict == Verdict::fail || verdict == Verdict::differs) text += yaml(result);
        if (verdict == Verdict::differs) text += "# differs\n";
    }
    return text;
}

std::string to_junit(const Report& report) {
    double seconds = 0;
    for (const auto& result : report.results)
        seconds += result.seconds;
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                       "<testsuite name=\"" +
                       escaped("headlight conform " + report.node + " " + report.agent) +
                       "\" tests=\"" + std::to_string(report.results.size()) + "\" failures=\"" +
                       std::to_string(report.count(Verdict::fail)) + "\" skipped=\"" +
                       std::to_string(report.count(Verdict::skipped)) + "\" time=\"" +
                       seconds_text(seconds) + "\">\n";
    for (const auto& result : report.results) {
        const auto inside = junit_inside(result);
        text += "<testcase classname=\"" + escaped(result.check->group()) + "\" name=\"" +
                escaped(result.check->id) + "\" time=\"" + seconds_text(result.seconds) + "\"" +
                (inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n");
    }
    return text + "</testsuite>\n</testsuites>\n";
}

} // namespace headlight::conform
