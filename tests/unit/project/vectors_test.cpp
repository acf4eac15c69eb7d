// docs/conformance.md counts the public vectors; this counts them again.
#include "tests/support/vectors.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace headlight::tests {
namespace {

std::string whole_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

/// The entries of the lists in an object, and in objects in it, without those that only say where
/// it comes from.
std::size_t cases_in(const boost::json::object& object) {
    std::size_t count = 0;
    for (const auto& member : object) {
        const auto& value = member.value();
        if (value.is_object()) count += cases_in(value.get_object());
        if (value.is_array() && member.key() != "source" && member.key() != "notes")
            count += value.get_array().size();
    }
    return count;
}

TEST(Vectors, AreCountedByFileInTheDocument) {
    const auto document = whole_file(source_folder() / "docs/conformance.md");
    const std::regex row(R"(\| `([\w]+\.json)` \| (\d+) \|)");
    std::map<std::string, std::size_t> told;
    for (std::sregex_iterator it(document.begin(), document.end(), row), end; it != end; ++it)
        told[(*it)[1]] = std::stoul((*it)[2]);
    std::map<std::string, std::size_t> found;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "vectors")) {
        const auto name = entry.path().filename().string();
        if (entry.path().extension() == ".json" && name != "MANIFEST.json")
            found[name] = cases_in(boost::json::parse(whole_file(entry.path())).as_object());
    }
    EXPECT_EQ(told, found);
}

} // namespace
} // namespace headlight::tests
