// The fuzz targets by name; the list is made by tests/fuzz/CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace headlight::tests {

using FuzzTarget = int(const std::uint8_t* data, std::size_t size);
using FuzzTargets = std::map<std::string_view, FuzzTarget*>;
extern const FuzzTargets fuzz_targets;

} // namespace headlight::tests
