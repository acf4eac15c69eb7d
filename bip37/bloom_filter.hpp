// The Bloom filter of BIP-37: bits, MurmurHash3 functions with a tweak, and what follows from them.
#pragma once

#include "chain/bytes.hpp"
#include "chain/limits.hpp"
#include "chain/result.hpp"
#include "chain/transaction.hpp"

namespace headlight::bip37 {

/// What the server adds to the filter by itself when an output matches (BIP-37, nFlags).
enum class UpdateFlags : std::uint8_t { none = 0, all = 1, p2pubkey_only = 2 };

/// MurmurHash3, x86, 32 bits.
std::uint32_t murmur3(std::uint32_t seed, ByteView data);

class BloomFilter {
  public:
    BloomFilter() = default;
    /// `bytes` of zeros. Sizes are taken as they are: the limits are sizing's and the decoder's.
    BloomFilter(std::size_t bytes, std::uint32_t hash_functions, std::uint32_t tweak,
                UpdateFlags flags);
    BloomFilter(Bytes data, std::uint32_t hash_functions, std::uint32_t tweak, UpdateFlags flags);

    void insert(ByteView element);
    void insert(const chain::OutPoint& outpoint) { insert(outpoint.bytes()); }
    /// Never wrong when false. A filter of 0 bytes or 0 functions contains everything, as on a
    /// server.
    bool contains(ByteView element) const;
    bool contains(const chain::OutPoint& outpoint) const { return contains(outpoint.bytes()); }

    const Bytes& data() const { return data_; }
    std::uint32_t hash_functions() const { return hash_functions_; }
    std::uint32_t tweak() const { return tweak_; }
    UpdateFlags flags() const { return flags_; }
    std::size_t bits_set() const;
    /// Set bits / all bits, in 0..1; 1 for a filter of 0 bytes, which contains everything.
    double fill_ratio() const;
    /// fill^k: the chance that an element not inserted matches, for the bits as they are now.
    double false_positive_rate() const;

    friend bool operator==(const BloomFilter&, const BloomFilter&) = default;

  private:
    std::size_t bit_index(std::uint32_t function, ByteView element) const;

    Bytes data_;
    std::uint32_t hash_functions_ = 0;
    std::uint32_t tweak_ = 0;
    UpdateFlags flags_ = UpdateFlags::none;
};

} // namespace headlight::bip37
