// The project's vocabulary for raw bytes: owned, borrowed, and as hex text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Whole satoshis, signed as on the wire.
using Amount = std::int64_t;

/// Lower-case hex, two digits a byte, in the order the bytes stand.
std::string to_hex(ByteView bytes);

/// The bytes that hex text (either case) spells; nothing for an odd length or another character.
std::optional<Bytes> from_hex(std::string_view hex);

/// The bytes of a string, borrowed.
inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

} // namespace headlight
