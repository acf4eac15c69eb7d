// Open addressing with linear probing, at most half full.
#include "wallet/store/hash_index.hpp"

#include <algorithm>
#include <bit>

namespace headlight::wallet::store {

namespace {

constexpr std::size_t least_slots = 1024;

} // namespace

void HashIndex::put(const chain::Hash256& hash, std::uint32_t value) {
    const auto mask = slots_.size() - 1;
    auto slot = chain::Hash256Hasher{}(hash)&mask;
    while (slots_[slot] != 0)
        slot = (slot + 1) & mask;
    slots_[slot] = value;
    ++used_;
}

void HashIndex::insert(const chain::Hash256& hash, std::int32_t height, const HashAt& hash_at) {
    if (2 * (used_ + 1) > slots_.size()) build(height, hash_at);
    put(hash, static_cast<std::uint32_t>(height) + 1);
}

void HashIndex::build(std::int32_t count, const HashAt& hash_at) {
    const auto wanted = std::max(least_slots, 2 * (static_cast<std::size_t>(count) + 1) + 1);
    slots_.assign(std::bit_ceil(wanted), 0);
    used_ = 0;
    for (std::int32_t height = 0; height < count; ++height) {
        put(hash_at(height), static_cast<std::uint32_t>(height) + 1);
    }
}

std::optional<std::int32_t> HashIndex::find(const chain::Hash256& hash, std::int32_t tip,
                                            const HashAt& hash_at) const {
    if (slots_.empty()) return std::nullopt;
    const auto mask = slots_.size() - 1;
    for (auto slot = chain::Hash256Hasher{}(hash)&mask; slots_[slot] != 0;
         slot = (slot + 1) & mask) {
        const auto height = static_cast<std::int32_t>(slots_[slot] - 1);
        if (height <= tip && hash_at(height) == hash) return height;
    }
    return std::nullopt;
}

} // namespace headlight::wallet::store
