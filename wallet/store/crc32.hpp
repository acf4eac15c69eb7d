// CRC-32 (IEEE 802.3, as zlib computes it): finds torn writes and flipped bits, not forgery.
#pragma once

#include "chain/bytes.hpp"

namespace headlight::wallet::store {

/// Of `data`, or of `data` behind what gave `before`.
std::uint32_t crc32(ByteView data, std::uint32_t before = 0);

} // namespace headlight::wallet::store
