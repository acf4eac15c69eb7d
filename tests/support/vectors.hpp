// Public test vectors: from tests/data/vectors, or from the folder that HEADLIGHT_VECTORS names.
#pragma once

#include "chain/bytes.hpp"

#include <boost/json/value.hpp>

#include <filesystem>
#include <optional>

namespace headlight::tests {

/// tests/data of this checkout.
std::filesystem::path data_folder();
/// The root of this checkout.
std::filesystem::path source_folder();
/// The vectors' folder: $HEADLIGHT_VECTORS, or tests/data/vectors.
std::filesystem::path vectors_folder();

/// A vector file's content; nothing when the file is not there.
std::optional<Bytes> read_vector_file(const std::string& name);
std::optional<boost::json::value> read_vector_json(const std::string& name);

/// A string member; "" when absent. A hex member as bytes; fails the test on bad hex.
std::string text(const boost::json::value& object, std::string_view key);
Bytes hex(const boost::json::value& object, std::string_view key);
Bytes hex(std::string_view digits);

/// In a test: binds `name` to the JSON of a vector file, or skips the test by the file's name.
#define HEADLIGHT_VECTORS_OR_SKIP(name, file)                                                      \
    const auto name##_optional = ::headlight::tests::read_vector_json(file);                       \
    if (!name##_optional) GTEST_SKIP() << "no vector file " << (file);                             \
    const auto& name = *name##_optional

} // namespace headlight::tests
