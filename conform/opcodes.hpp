// The few operations that scripts here are made of.
#pragma once

#include <cstdint>

namespace headlight::conform {

inline constexpr std::uint8_t op_0 = 0x00;
inline constexpr std::uint8_t op_pushdata1 = 0x4c;
inline constexpr std::uint8_t op_pushdata2 = 0x4d;
inline constexpr std::uint8_t op_true = 0x51; ///< also the number 1
inline constexpr std::uint8_t op_return = 0x6a;
inline constexpr std::uint8_t op_drop = 0x75;

} // namespace headlight::conform
