// The rules of a header in its context that are not about difficulty: times and versions.
#pragma once

#include "chain/difficulty.hpp"

namespace headlight::chain {

inline constexpr std::int32_t median_blocks = 11;

/// Median of the times of the block at `height` and its ten ancestors (fewer near genesis).
std::int64_t median_time_past(std::int32_t height, const ReadAncestor& ancestor);

/// The least version a block at `height` may carry: BIP-34, BIP-66 and BIP-65 where they are buried
/// at known heights. Regtest's heights are an option of the node, so nothing is asked there.
std::int32_t least_version(const Network& network, std::int32_t height);

/// BIP-94: whether a period's first block is dated at least ten minutes before its parent or later.
/// True for all other blocks and networks.
bool period_starts_in_time(const Network& network, std::int32_t height, std::uint32_t time,
                           std::uint32_t parent_time);

} // namespace headlight::chain
