// docs/conformance.md counts the public vectors; this counts them again.
#include "tests/support/files.hpp"
#include "tests/support/vectors.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <map>
#include <regex>

namespace headlight::tests {
namespace {

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
    const auto document = read_text_file(source_folder() / "docs/conformance.md");
    const std::regex row(R"(\| `([\w]+\.json)` \| (\d+) \|)");
    std::map<std::string, std::size_t> told;
    for (std::sregex_iterator it(document.begin(), document.end(), row), end; it != end; ++it)
        told[(*it)[1]] = std::stoul((*it)[2]);
    std::map<std::string, std::size_t> found;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "vectors")) {
        const auto name = entry.path().filename().string();
        if (entry.path().extension() == ".json" && name != "MANIFEST.json")
            found[name] = cases_in(boost::json::parse(read_text_file(entry.path())).as_object());
    }
    EXPECT_EQ(told, found);
}

} // namespace
} // namespace headlight::tests
