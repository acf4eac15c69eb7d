// docs/errors.md lists exactly the words of errc, each once.
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace headlight::tests {
namespace {

std::string read(const char* name) {
    std::ifstream file(source_folder() / name);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The first group of every match; a double is a failure.
std::set<std::string> words(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
        EXPECT_TRUE(found.insert((*it)[1]).second) << (*it)[1];
    return found;
}

TEST(ErrorsDoc, ListsEveryCodeOnce) {
    const auto codes = words(read("chain/result.hpp"), "string_view [a-z_]+ = \"([a-z-]+)\"");
    const auto listed = words(read("docs/errors.md"), "\\n\\| `([a-z-]+)` \\|");
    EXPECT_GT(codes.size(), 20U);
    EXPECT_EQ(codes, listed);
}

} // namespace
} // namespace headlight::tests
