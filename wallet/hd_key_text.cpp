// BIP-32's serialization: extended keys as base58check text.
#include "wallet/base58.hpp"
#include "wallet/curve.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/key_version.hpp"
#include "wallet/text.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

// version, depth, parent's fingerprint, child number, chain code, key
constexpr std::size_t serialized_bytes = 4 + 1 + 4 + 4 + 32 + 33;
constexpr std::size_t depth_at = 4, fingerprint_at = 5, child_at = 9, chain_code_at = 13,
                      key_at = 45;

void put_u32(SecretBytes& out, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0})
        out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t get_u32(ByteView raw, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | raw[at + i];
    return value;
}

template <class Key>
SecretBytes serialize_head(const Key& key, std::uint32_t version) {
    SecretBytes out;
    out.reserve(serialized_bytes);
    put_u32(out, version);
    out.push_back(key.depth);
    out.insert(out.end(), key.parent_fingerprint.begin(), key.parent_fingerprint.end());
    put_u32(out, key.child_number);
    out.insert(out.end(), key.chain_code.begin(), key.chain_code.end());
    return out;
}

Error bad_key(std::string cause) {
    return Error{errc::malformed, "not an extended key", std::move(cause),
                 "Copy the key again from the wallet that it belongs to"};
}

struct Serialized {
    SecretBytes raw;
    const KeyVersion* version = nullptr;
    bool is_private = false;
};

// Everything that can be told without looking at the key itself.
result<Serialized> read_serialized(std::string_view text) {
    auto raw = decode_base58check(text, serialized_bytes);
    if (!raw) return raw.error();
    if (raw->size() != serialized_bytes)
        return bad_key(std::to_string(raw->size()) + " bytes, where an extended key has 78");
    const auto number = get_u32(*raw, 0);
    const auto* version = find_key_version(number);
    if (version == nullptr)
        return bad_key("its version " + to_hex(ByteView(*raw).first(4)) + " is unknown");
    if ((*raw)[depth_at] == 0) {
        if (get_u32(*raw, fingerprint_at) != 0)
            return bad_key("at depth 0 it names a parent (its fingerprint is not zero)");
        if (get_u32(*raw, child_at) != 0)
            return bad_key("at depth 0 it has a child number other than 0");
    }
    return Serialized{std::move(*raw), version, number == version->private_version};
}

template <class Key>
Key read_head(ByteView raw) {
    Key key;
    key.depth = raw[depth_at];
    std::copy_n(raw.begin() + fingerprint_at, 4, key.parent_fingerprint.begin());
    key.child_number = get_u32(raw, child_at);
    std::copy_n(raw.begin() + chain_code_at, 32, key.chain_code.begin());
    return key;
}

result<ExtendedPublicKey> read_public(ByteView raw) {
    auto key = read_head<ExtendedPublicKey>(raw);
    std::copy_n(raw.begin() + key_at, key.key.size(), key.key.begin());
    if (key.key[0] != 2 && key.key[0] != 3)
        return bad_key("a public key starts with byte 02 or 03, here with " +
                       to_hex(ByteView(key.key).first(1)));
    if (!curve::Point::parse(key.key)) return bad_key("its public key is not on the curve");
    return key;
}

result<ExtendedPrivateKey> read_private(ByteView raw) {
    auto key = read_head<ExtendedPrivateKey>(raw);
    if (raw[key_at] != 0)
        return bad_key("a private key starts with byte 00, here with " +
                       to_hex(raw.subspan(key_at, 1)));
    std::copy_n(raw.begin() + key_at + 1, key.key.size(), key.key.begin());
    if (!curve::Point::of_secret(key.key))
        return bad_key("its private key is zero or not below the curve's order");
    return key;
}

} // namespace

std::string to_string(const ExtendedPublicKey& key, std::uint32_t version) {
    auto out = serialize_head(key, version);
    out.insert(out.end(), key.key.begin(), key.key.end());
    return encode_base58check(out);
}

std::string to_string(const ExtendedPublicKey& key, const chain::Network& network) {
    return to_string(key, network.bip32_public);
}

std::string to_string(const ExtendedPrivateKey& key, const chain::Network& network) {
    auto out = serialize_head(key, network.bip32_private);
    out.push_back(0);
    out.insert(out.end(), key.key.begin(), key.key.end());
    return encode_base58check(out);
}

result<ParsedExtendedKey> parse_extended_key(std::string_view text) {
    const auto serialized = read_serialized(text);
    if (!serialized) return serialized.error();
    ParsedExtendedKey parsed{get_u32(serialized->raw, 0), serialized->is_private, {}};
    if (parsed.is_private) {
        const auto key = read_private(serialized->raw);
        if (!key) return key.error();
        parsed.public_key = neuter(*key);
        return parsed;
    }
    const auto key = read_public(serialized->raw);
    if (!key) return key.error();
    parsed.public_key = *key;
    return parsed;
}

result<ExtendedPrivateKey> parse_extended_private_key(std::string_view text) {
    const auto serialized = read_serialized(text);
    if (!serialized) return serialized.error();
    if (!serialized->is_private) return bad_key("it is a public key, where a private one is due");
    return read_private(serialized->raw);
}

} // namespace headlight::wallet
