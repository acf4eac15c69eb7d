#include "chain/header_rules.hpp"

#include <algorithm>
#include <limits>

namespace headlight::chain {
namespace {

/// From these heights on, versions below 2, 3 and 4 are refused.
struct BuriedHeights {
    std::int32_t bip34;
    std::int32_t bip66;
    std::int32_t bip65;
};

constexpr BuriedHeights main_heights{227'931, 363'725, 388'381};
constexpr BuriedHeights testnet3_heights{21'111, 330'776, 581'885};
constexpr BuriedHeights from_the_start{1, 1, 1};

const BuriedHeights* buried_heights(NetworkId id) {
    switch (id) {
    case NetworkId::main:
        return &main_heights;
    case NetworkId::testnet3:
        return &testnet3_heights;
    case NetworkId::testnet4:
    case NetworkId::signet:
        return &from_the_start;
    case NetworkId::regtest:
        break;
    }
    return nullptr;
}

} // namespace

std::int64_t median_time_past(std::int32_t height, const ReadAncestor& ancestor) {
    std::array<std::uint32_t, median_blocks> times{};
    std::ptrdiff_t count = 0;
    for (auto at = height; at >= 0 && count < median_blocks; --at) {
        times[static_cast<std::size_t>(count++)] = ancestor(at).time;
    }
    const auto middle = times.begin() + count / 2;
    std::nth_element(times.begin(), middle, times.begin() + count);
    return *middle;
}

std::int32_t least_version(const Network& network, std::int32_t height) {
    const auto* heights = buried_heights(network.id);
    if (!heights || height < heights->bip34) return std::numeric_limits<std::int32_t>::min();
    if (height < heights->bip66) return 2;
    return height < heights->bip65 ? 3 : 4;
}

bool period_starts_in_time(const Network& network, std::int32_t height, std::uint32_t time,
                           std::uint32_t parent_time) {
    if (network.difficulty != DifficultyRule::twenty_minutes_bip94) return true;
    if (height % period_blocks != 0) return true;
    return std::int64_t{time} >= std::int64_t{parent_time} - block_seconds;
}

} // namespace headlight::chain
