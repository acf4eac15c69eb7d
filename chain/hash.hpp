// Digests, and the 32-byte hash that names blocks and transactions.
#pragma once

#include "chain/bytes.hpp"

#include <array>
#include <compare>

namespace headlight::chain {

/// A double SHA-256, in wire order inside; its text form is reversed hex, as people write it.
struct Hash256 {
    std::array<std::uint8_t, 32> bytes{};

    friend auto operator<=>(const Hash256&, const Hash256&) = default;

    ByteView view() const { return bytes; }
    bool is_null() const { return *this == Hash256{}; }

    /// 64 hex digits, byte order reversed.
    std::string to_string() const;
    /// Reads what to_string() writes; nothing for any other text.
    static std::optional<Hash256> from_string(std::string_view text);
    /// From 32 bytes in wire order; nothing for another length.
    static std::optional<Hash256> from_bytes(ByteView bytes);
};

/// Hash functor for unordered containers. Block hashes and txids are uniform, so eight bytes do;
/// the first ones, since a block's last bytes are zeros.
struct Hash256Hasher {
    std::size_t operator()(const Hash256& hash) const noexcept;
};

/// SHA-256, once.
std::array<std::uint8_t, 32> sha256(ByteView data);
/// SHA-256 twice: block hashes, txids, checksums.
Hash256 hash256(ByteView data);
/// SHA-256 twice over left || right: one step of a merkle tree.
Hash256 hash256(const Hash256& left, const Hash256& right);
/// RIPEMD-160 of SHA-256: pkh, wpkh and sh programs.
std::array<std::uint8_t, 20> hash160(ByteView data);
/// HMAC-SHA512: BIP-32 child derivation.
std::array<std::uint8_t, 64> hmac_sha512(ByteView key, ByteView data);
/// SHA256(SHA256(tag) || SHA256(tag) || data): BIP-340 tagged hash.
std::array<std::uint8_t, 32> tagged_hash(std::string_view tag, ByteView data);

} // namespace headlight::chain
