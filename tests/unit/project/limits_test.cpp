// chain/limits.hpp and docs/limits.md say the same. A constant without its row fails with the row
// to add, so that the two are kept together by pasting one line and saying why.
#include "tests/support/files.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

namespace headlight::tests {
namespace {

struct Row {
    double number = 0;
    std::string unit;
    std::string why;
};
using Rows = std::map<std::string, Row>;

std::string read(const std::string& name) {
    auto text = read_text_file(source_folder() / name);
    EXPECT_FALSE(text.empty()) << "no " << name;
    return text;
}

std::string without(std::string text, char unwanted) {
    std::erase(text, unwanted);
    return text;
}

/// 14 * 86'400 and the like.
double product(const std::string& expression) {
    std::istringstream factors(without(expression, '\''));
    double value = 1;
    for (std::string factor; std::getline(factors, factor, '*');)
        value *= std::stod(factor);
    return value;
}

Rows constants() {
    static const std::regex form(
        R"(inline constexpr [\w:]+ (\w+) =\s*([^;]+);[ \t]*(?:///<)?(.*))");
    const auto text = read("chain/limits.hpp");
    Rows rows;
    for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end; ++it) {
        rows[(*it)[1]] = {product((*it)[2]), "", (*it)[3]};
    }
    return rows;
}

std::string trimmed(const std::string& text) {
    const auto from = text.find_first_not_of(' ');
    if (from == std::string::npos) return {};
    return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

/// | `name` | 4,000,000 | bytes | why |
Rows documented() {
    static const std::regex form(R"(\| `(\w+)` \|([^|]*)\|([^|]*)\|([^|]*)\|)");
    const auto text = read("docs/limits.md");
    Rows rows;
    for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end; ++it) {
        EXPECT_FALSE(rows.contains((*it)[1])) << (*it)[1] << " is listed twice";
        const auto number = without(trimmed((*it)[2]), ',');
        rows[(*it)[1]] = {std::stod(number), trimmed((*it)[3]), trimmed((*it)[4])};
    }
    return rows;
}

std::string number_text(double number) {
    std::ostringstream out;
    out << std::fixed;
    out.precision(number == static_cast<double>(static_cast<long long>(number)) ? 0 : 2);
    out << number;
    auto text = out.str();
    for (auto at =
             static_cast<int>(text.find('.') == std::string::npos ? text.size() : text.find('.')) -
             3;
         at > 0; at -= 3) {
        text.insert(static_cast<std::size_t>(at), ",");
    }
    return text;
}

TEST(Limits, AreAllDocumentedWithTheirNumbers) {
    const auto code = constants();
    const auto docs = documented();
    EXPECT_GT(code.size(), 50u);
    for (const auto& [name, constant] : code) {
        const auto row = docs.find(name);
        if (row == docs.end()) {
            ADD_FAILURE() << "docs/limits.md lacks:\n| `" << name << "` | "
                          << number_text(constant.number) << " | UNIT |" << constant.why << " |";
        } else {
            EXPECT_EQ(row->second.number, constant.number) << name;
        }
    }
}

TEST(Limits, AreDocumentedOnlyWhileTheyExist) {
    const auto code = constants();
    for (const auto& [name, row] : documented()) {
        EXPECT_TRUE(code.contains(name)) << "docs/limits.md names " << name << ", which is gone";
        EXPECT_FALSE(row.unit.empty() || row.why.empty())
            << name << " lacks its unit or its reason";
    }
}

TEST(Limits, EveryConstantOfTheHeaderIsRead) {
    const auto text = read("chain/limits.hpp");
    std::size_t words = 0;
    for (auto at = text.find("constexpr"); at != std::string::npos;
         at = text.find("constexpr", at + 1)) {
        ++words;
    }
    EXPECT_EQ(constants().size(), words);
}

} // namespace
} // namespace headlight::tests
