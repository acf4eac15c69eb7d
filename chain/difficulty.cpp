#include "chain/difficulty.hpp"

#include <algorithm>

namespace headlight::chain {
namespace {

bool allows_minimum_blocks(const Network& network) {
    return network.difficulty == DifficultyRule::twenty_minutes ||
           network.difficulty == DifficultyRule::twenty_minutes_bip94;
}

/// On testnet3 and testnet4 a gap of twenty minutes makes the next block a minimum one; any other
/// block carries the bits of the last one that was not such an exception.
std::uint32_t bits_between_retargets(const Network& network, std::int32_t height,
                                     std::uint32_t time, const ReadAncestor& ancestor) {
    auto last = ancestor(height - 1);
    if (!allows_minimum_blocks(network)) return last.bits;
    if (std::int64_t{time} > std::int64_t{last.time} + 2 * block_seconds) {
        return network.pow_limit_bits;
    }
    auto at = height - 1;
    while (at % period_blocks != 0 && last.bits == network.pow_limit_bits)
        last = ancestor(--at);
    return last.bits;
}

} // namespace

bool check_proof_of_work(const Hash256& hash, std::uint32_t bits, const Network& network) {
    const auto target = decode_compact(bits);
    if (!target.valid()) return false;
    if (target.magnitude > decode_compact(network.pow_limit_bits).magnitude) return false;
    return to_number(hash) <= target.magnitude;
}

std::uint32_t required_bits(const Network& network, std::int32_t height, std::uint32_t time,
                            const ReadAncestor& ancestor) {
    if (network.difficulty == DifficultyRule::none) return ancestor(height - 1).bits;
    if (height % period_blocks != 0) {
        return bits_between_retargets(network, height, time, ancestor);
    }
    const auto last = ancestor(height - 1);
    const auto first = ancestor(height - period_blocks);
    // BIP-94: the last block may be a minimum one and would drag the whole next period down.
    const auto base =
        network.difficulty == DifficultyRule::twenty_minutes_bip94 ? first.bits : last.bits;
    return retarget(network, base, first.time, last.time);
}

std::uint32_t retarget(const Network& network, std::uint32_t base_bits, std::uint32_t first_time,
                       std::uint32_t last_time) {
    const auto took = std::clamp(std::int64_t{last_time} - std::int64_t{first_time},
                                 period_seconds / 4, period_seconds * 4);
    const auto target =
        multiply_divide(decode_compact(base_bits).magnitude, static_cast<std::uint32_t>(took),
                        static_cast<std::uint32_t>(period_seconds));
    const auto limit = decode_compact(network.pow_limit_bits).magnitude;
    return encode_compact(std::min(target, limit));
}

} // namespace headlight::chain
