// MurmurHash3 and the filter's bits. This is what a server runs some ten times a transaction, so it
// allocates nothing and `contains` stops at the first bit that is not set.
#include "bip37/bloom_filter.hpp"

#include <bit>
#include <cmath>
#include <utility>

namespace headlight::bip37 {
namespace {

constexpr std::uint32_t seed_step = 0xfba4c795; // BIP-37: function i has the seed i * step + tweak
constexpr std::uint32_t murmur_c1 = 0xcc9e2d51;
constexpr std::uint32_t murmur_c2 = 0x1b873593;

constexpr std::uint32_t scramble(std::uint32_t block) {
    return std::rotl(block * murmur_c1, 15) * murmur_c2;
}

constexpr std::uint32_t finish(std::uint32_t hash) {
    hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
    return hash ^ (hash >> 16);
}

constexpr std::uint8_t bit_mask(std::size_t bit) {
    return static_cast<std::uint8_t>(1u << (bit & 7));
}

} // namespace

std::uint32_t murmur3(std::uint32_t seed, ByteView data) {
    std::uint32_t hash = seed;
    const auto* byte = data.data();
    for (std::size_t left = data.size() / 4; left > 0; --left, byte += 4) {
        const std::uint32_t block = std::uint32_t{byte[0]} | std::uint32_t{byte[1]} << 8 |
                                    std::uint32_t{byte[2]} << 16 | std::uint32_t{byte[3]} << 24;
        hash = std::rotl(hash ^ scramble(block), 13) * 5 + 0xe6546b64;
    }
    std::uint32_t tail = 0;
    for (std::size_t i = data.size() & 3; i > 0; --i)
        tail = tail << 8 | byte[i - 1];
    return finish(hash ^ scramble(tail) ^ static_cast<std::uint32_t>(data.size()));
}

BloomFilter::BloomFilter(std::size_t bytes, std::uint32_t hash_functions, std::uint32_t tweak,
                         UpdateFlags flags)
    : BloomFilter(Bytes(bytes), hash_functions, tweak, flags) {}

BloomFilter::BloomFilter(Bytes data, std::uint32_t hash_functions, std::uint32_t tweak,
                         UpdateFlags flags)
    : data_(std::move(data)), hash_functions_(hash_functions), tweak_(tweak), flags_(flags) {}

std::size_t BloomFilter::bit_index(std::uint32_t function, ByteView element) const {
    return murmur3(function * seed_step + tweak_, element) % (data_.size() * 8);
}

void BloomFilter::insert(ByteView element) {
    if (data_.empty()) return; // a filter that matches everything stays one
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        const auto bit = bit_index(i, element);
        data_[bit / 8] |= bit_mask(bit);
    }
}

bool BloomFilter::contains(ByteView element) const {
    if (data_.empty()) return true;
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        const auto bit = bit_index(i, element);
        if (!(data_[bit / 8] & bit_mask(bit))) return false;
    }
    return true;
}

std::size_t BloomFilter::bits_set() const {
    std::size_t count = 0;
    for (const auto byte : data_)
        count += static_cast<std::size_t>(std::popcount(byte));
    return count;
}

double BloomFilter::fill_ratio() const {
    if (data_.empty()) return 1.0;
    return static_cast<double>(bits_set()) / (static_cast<double>(data_.size()) * 8.0);
}

double BloomFilter::false_positive_rate() const {
    return std::pow(fill_ratio(), static_cast<double>(hash_functions_));
}

} // namespace headlight::bip37
