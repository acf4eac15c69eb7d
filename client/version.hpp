// The version of library and program; a test holds it to the project's in CMakeLists.txt.
#pragma once

#include <string_view>

namespace headlight::client {

inline constexpr std::string_view version = "0.1.0";

} // namespace headlight::client
