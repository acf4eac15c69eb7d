// How a report reads: for people, as TAP, as JUnit.
#include "conform/report.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace headlight::tests {
namespace {

using namespace conform;

const Check one{"group.one", "A clause of some length that says <what> a node & its # owner owe",
                "BIP-37, section", nullptr};
const Check two{"group.two", "Another clause", "BIP-111", nullptr};
const Check three{"other.three", "A third clause", "BIP-31", nullptr};
const Check four{"other.four", "A fourth clause", "BIP-35", nullptr};

Report sample() {
    Report report{"127.0.0.1:18444", "/Agent:1.0/", {}};
    report.results.push_back({&one, fail("said \"no\""), "filterload", 0.25});
    report.results.push_back({&two, pass("kept"), "ping", 0.5});
    report.results.push_back({&three, differs("silence"), "getdata", 0});
    report.results.push_back({&four, skipped("needs --rpc"), "", 0});
    return report;
}

std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);)
        longest = std::max(longest, line.size());
    return longest;
}

TEST(Table, TellsIdResultClauseSourceSentAndGot) {
    const auto report = sample();
    EXPECT_EQ(to_text(report.results[1]), "pass     group.two\n"
                                          "         Another clause [BIP-111]\n"
                                          "    sent ping\n"
                                          "    got  kept\n");
    EXPECT_EQ(to_text(report.results[3]), "skipped  other.four\n"
                                          "         A fourth clause [BIP-35]\n"
                                          "    got  needs --rpc\n");
}

TEST(Table, FitsAHundredColumns) {
    std::string words;
    for (int i = 0; i < 60; ++i)
        words += "word" + std::to_string(i) + " ";
    const Result many{&one, fail(words), std::string(350, 'x'), 0};
    const auto text = to_text(many);
    EXPECT_LE(longest_line(text), 100U);
    EXPECT_NE(text.find("word59"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 350);
    EXPECT_LE(longest_line(list_text({&one, &two})), 100U);
    std::vector<const Check*> all;
    for (const auto& check : all_checks())
        all.push_back(&check);
    EXPECT_LE(longest_line(list_text(all)), 100U);
}

TEST(Table, EndsInTheCounts) {
    EXPECT_EQ(totals(sample()), "1 passed, 1 differ, 1 skipped, 1 failed");
}

TEST(Tap, NumbersItsLinesAndSkipsByDirective) {
    EXPECT_EQ(to_tap(sample()),
              "TAP version 13\n"
              "1..4\n"
              "# 127.0.0.1:18444 /Agent:1.0/\n"
              "not ok 1 - group.one: A clause of some length that says <what> a node & its   owner "
              "owe\n"
              "  ---\n"
              "  source: \"BIP-37, section\"\n"
              "  sent: \"filterload\"\n"
              "  got: \"said \\\"no\\\"\"\n"
              "  ...\n"
              "ok 2 - group.two: Another clause\n"
              "ok 3 - other.three: A third clause\n"
              "  ---\n"
              "  source: \"BIP-31\"\n"
              "  sent: \"getdata\"\n"
              "  got: \"silence\"\n"
              "  ...\n"
              "# differs\n"
              "ok 4 - other.four: A fourth clause # SKIP needs --rpc\n");
}

TEST(Junit, CountsAndEscapes) {
    const auto xml = to_junit(sample());
    EXPECT_NE(xml.find("tests=\"4\" failures=\"1\" skipped=\"1\" time=\"0.750\""),
              std::string::npos)
        << xml;
    EXPECT_NE(xml.find("<testcase classname=\"group\" name=\"group.one\" time=\"0.250\"><failure "
                       "message=\"A clause of some length that says &lt;what&gt; a node &amp; its "
                       "# owner owe\">sent filterload; got said &quot;no&quot;</failure>"),
              std::string::npos)
        << xml;
    EXPECT_NE(xml.find("<skipped message=\"needs --rpc\"/>"), std::string::npos);
    EXPECT_NE(xml.find("<system-out>differs: sent getdata; got silence</system-out>"),
              std::string::npos);
}

} // namespace
} // namespace headlight::tests
