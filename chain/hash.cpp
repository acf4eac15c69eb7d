// The one file that chooses how digests are computed. OpenSSL's low-level SHA-256 is about twice as
// fast as a reused EVP context on 80-byte headers and it is what a header sync spends its time in;
// it is deprecated, not removed, in OpenSSL 3, so the choice and its warning stay in here.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "chain/hash.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ripemd.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace headlight::chain {

std::string Hash256::to_string() const {
    auto reversed = bytes;
    std::reverse(reversed.begin(), reversed.end());
    return to_hex(reversed);
}

std::optional<Hash256> Hash256::from_string(std::string_view text) {
    auto raw = from_hex(text);
    if (!raw || raw->size() != 32) return std::nullopt;
    std::reverse(raw->begin(), raw->end());
    return from_bytes(*raw);
}

std::optional<Hash256> Hash256::from_bytes(ByteView raw) {
    if (raw.size() != 32) return std::nullopt;
    Hash256 hash;
    std::copy(raw.begin(), raw.end(), hash.bytes.begin());
    return hash;
}

std::size_t Hash256Hasher::operator()(const Hash256& hash) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, hash.bytes.data(), sizeof value);
    return value;
}

std::array<std::uint8_t, 32> sha256(ByteView data) {
    std::array<std::uint8_t, 32> digest{};
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, data.data(), data.size());
    SHA256_Final(digest.data(), &context);
    return digest;
}

Hash256 hash256(ByteView data) {
    const auto once = sha256(data);
    return Hash256{sha256(once)};
}

Hash256 hash256(const Hash256& left, const Hash256& right) {
    std::array<std::uint8_t, 64> pair{};
    std::copy(left.bytes.begin(), left.bytes.end(), pair.begin());
    std::copy(right.bytes.begin(), right.bytes.end(), pair.begin() + 32);
    return hash256(pair);
}

std::array<std::uint8_t, 20> hash160(ByteView data) {
    const auto inner = sha256(data);
    std::array<std::uint8_t, 20> digest{};
    RIPEMD160(inner.data(), inner.size(), digest.data());
    return digest;
}

std::array<std::uint8_t, 64> hmac_sha512(ByteView key, ByteView data) {
    // OpenSSL takes a null pointer for "none given" and fails, where an empty view means no bytes.
    static constexpr std::uint8_t nothing[1] = {};
    std::array<std::uint8_t, 64> digest{};
    unsigned int length = 0;
    const auto* done =
        HMAC(EVP_sha512(), key.empty() ? nothing : key.data(), static_cast<int>(key.size()),
             data.empty() ? nothing : data.data(), data.size(), digest.data(), &length);
    // Keys come from this: going on with zeros would be worse than stopping.
    if (!done || length != digest.size()) throw std::runtime_error("HMAC-SHA512 failed");
    return digest;
}

std::array<std::uint8_t, 32> tagged_hash(std::string_view tag, ByteView data) {
    const auto prefix = sha256(as_bytes(tag));
    Bytes message(prefix.begin(), prefix.end());
    message.insert(message.end(), prefix.begin(), prefix.end());
    message.insert(message.end(), data.begin(), data.end());
    return sha256(message);
}

} // namespace headlight::chain
