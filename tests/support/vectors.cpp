#include "tests/support/vectors.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace headlight::tests {

std::filesystem::path data_folder() { return HEADLIGHT_TEST_DATA; }
std::filesystem::path source_folder() { return HEADLIGHT_SOURCE_DIR; }

std::filesystem::path vectors_folder() {
    if (const char* folder = std::getenv("HEADLIGHT_VECTORS"); folder && *folder) return folder;
    return data_folder() / "vectors";
}

std::optional<Bytes> read_vector_file(const std::string& name) {
    std::ifstream file(vectors_folder() / name, std::ios::binary);
    if (!file) return std::nullopt;
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::optional<boost::json::value> read_vector_json(const std::string& name) {
    const auto raw = read_vector_file(name);
    if (!raw) return std::nullopt;
    return boost::json::parse({reinterpret_cast<const char*>(raw->data()), raw->size()});
}

std::string text(const boost::json::value& object, std::string_view key) {
    const auto* member = object.as_object().if_contains(key);
    if (!member || !member->is_string()) return {};
    return std::string(member->as_string());
}

Bytes hex(std::string_view digits) {
    auto raw = from_hex(digits);
    EXPECT_TRUE(raw) << "not hex: " << digits;
    return raw.value_or(Bytes{});
}

Bytes hex(const boost::json::value& object, std::string_view key) { return hex(text(object, key)); }

} // namespace headlight::tests
