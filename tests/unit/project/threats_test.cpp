// Every test, fault, fuzz target and file that docs/threats.md names is there.
#include "tests/support/files.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace headlight::tests {
namespace {

/// All that a name may stand for: Suite, Suite.Name, a fault, a fuzz target, a ctest suite, a path.
std::set<std::string> known_names() {
    std::set<std::string> names;
    const auto add = [&](const std::string& text, const std::string& form, bool test) {
        const std::regex pattern(form);
        for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
            names.insert((*it)[1]);
            if (test) names.insert((*it)[1].str() + "." + (*it)[2].str());
        }
    };
    for (const auto* folder : {"tests", "regtest"}) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(source_folder() / folder)) {
            const auto path = entry.path();
            if (path.extension() == ".cpp") {
                const auto text = read_text_file(path);
                add(text, R"(\bTEST(?:_[FP])?\((\w+),\s*(\w+)\))", true);
                add(text, R"re(\.name = "([\w-]+)")re", false);
            }
            const auto relative = std::filesystem::relative(path, source_folder());
            names.insert(relative.string());
            if (relative.parent_path() == "tests/fuzz") names.insert(relative.stem());
        }
    }
    const std::regex suite(R"(headlight_suite\((\w+) (\w+))");
    const auto suites = read_text_file(source_folder() / "tests/suites.cmake");
    for (std::sregex_iterator it(suites.begin(), suites.end(), suite), end; it != end; ++it)
        names.insert((*it)[1].str() + "_" + (*it)[2].str());
    return names;
}

TEST(Threats, EveryTestThatTheDocumentNamesExists) {
    const auto known = known_names();
    std::istringstream lines(read_text_file(source_folder() / "docs/threats.md"));
    int named = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| ")) continue;
        const auto column = line.substr(line.rfind('|', line.size() - 2));
        const std::regex quoted("`([^`]+)`");
        for (std::sregex_iterator it(column.begin(), column.end(), quoted), end; it != end; ++it) {
            auto name = (*it)[1].str();
            if (name.ends_with(".*")) name.resize(name.size() - 2);
            EXPECT_TRUE(known.contains(name) || name == "status") << name << " in: " << line;
            ++named;
        }
    }
    EXPECT_GT(named, 40);
}

} // namespace
} // namespace headlight::tests
