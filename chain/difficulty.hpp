// Proof of work, and the bits that the next block of a branch must carry.
#pragma once

#include "chain/network.hpp"

#include <functional>

namespace headlight::chain {

inline constexpr std::int32_t period_blocks = 2016;            ///< blocks between retargets
inline constexpr std::int64_t period_seconds = 14 * 24 * 3600; ///< how long they should take
inline constexpr std::int64_t block_seconds = 600;

/// What the rules look at in an ancestor.
struct TimeAndBits {
    std::uint32_t time = 0; ///< seconds since 1970
    std::uint32_t bits = 0; ///< compact target
};

/// Reads an ancestor of one branch; asked in falling order of heights, never above the parent.
using ReadAncestor = std::function<TimeAndBits(std::int32_t height)>;

/// Whether `bits` spell a target this network allows and `hash`, as a number, is not above it.
bool check_proof_of_work(const Hash256& hash, std::uint32_t bits, const Network& network);

/// The bits of the block at `height` (at least 1) with this time, on the branch of `ancestor`.
std::uint32_t required_bits(const Network& network, std::int32_t height, std::uint32_t time,
                            const ReadAncestor& ancestor);

/// The retarget alone: `base_bits` scaled by the time from a period's first block to its last one
/// (2015 intervals, as deployed), at most fourfold either way and never easier than the network's
/// limit.
std::uint32_t retarget(const Network& network, std::uint32_t base_bits, std::uint32_t first_time,
                       std::uint32_t last_time);

} // namespace headlight::chain
