// BIP-32: master key and child derivation.
#include "wallet/hd_key.hpp"

#include "chain/hash.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/public_parent.hpp"
#include "wallet/secret.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

using ChainCode = std::array<std::uint8_t, 32>;

// HMAC-SHA512's halves: a tweak (or the master key), and the chain code that goes with it.
struct Halves {
    curve::Scalar left{};
    ChainCode right{};

    Halves(ByteView key, ByteView data) {
        auto digest = chain::hmac_sha512(key, data);
        const Wiped wiped(digest);
        std::copy_n(digest.begin(), left.size(), left.begin());
        std::copy_n(digest.begin() + left.size(), right.size(), right.begin());
    }
    Halves(const Halves&) = delete;
    Halves& operator=(const Halves&) = delete;
    ~Halves() { OPENSSL_cleanse(left.data(), left.size()); }
};

// What a child's digest is taken over: 33 bytes of key and the child number.
using ChildData = std::array<std::uint8_t, 37>;

ChildData child_data(const curve::CompressedKey& key, std::uint32_t child) {
    ChildData data{};
    std::copy(key.begin(), key.end(), data.begin());
    for (std::size_t i = 0; i < 4; ++i)
        data[33 + i] = static_cast<std::uint8_t>(child >> (24 - 8 * i));
    return data;
}

Error no_such_child(std::uint32_t child) {
    return Error{errc::bad_argument, "child " + std::to_string(child) + " gives no valid key",
                 "one in 2^127 children has none (BIP-32)", "Go on with the next one"};
}

Error too_deep() {
    return Error{errc::bad_argument, "the key cannot have children",
                 "it is at depth 255, the deepest that BIP-32 can write",
                 "Use a key nearer to the master key"};
}

std::array<std::uint8_t, 4> fingerprint_of(const curve::CompressedKey& key) {
    const auto hash = chain::hash160(key);
    return {hash[0], hash[1], hash[2], hash[3]};
}

struct Account {
    std::uint32_t purpose;
    std::string_view open, close;
};

Account account_of(AccountKind kind) {
    switch (kind) {
    case AccountKind::pkh:
        return {44, "pkh(", ")"};
    case AccountKind::sh_wpkh:
        return {49, "sh(wpkh(", "))"};
    case AccountKind::wpkh:
        return {84, "wpkh(", ")"};
    case AccountKind::tr:
        return {86, "tr(", ")"};
    }
    return {};
}

} // namespace

ExtendedPrivateKey::~ExtendedPrivateKey() {
    OPENSSL_cleanse(key.data(), key.size());
    OPENSSL_cleanse(chain_code.data(), chain_code.size());
}

std::array<std::uint8_t, 4> ExtendedPublicKey::fingerprint() const { return fingerprint_of(key); }

result<ExtendedPrivateKey> master_key(ByteView seed) {
    if (seed.size() < 16 || seed.size() > 64)
        return Error{errc::bad_argument, "the seed has " + std::to_string(seed.size()) + " bytes",
                     "BIP-32 takes 16 to 64", "Take another seed"};
    const Halves halves(as_bytes("Bitcoin seed"), seed);
    if (!curve::Point::of_secret(halves.left))
        return Error{errc::bad_argument, "the seed gives no valid key",
                     "one in 2^127 has none (BIP-32)", "Take another seed"};
    ExtendedPrivateKey key;
    key.key = halves.left;
    key.chain_code = halves.right;
    return key;
}

result<ExtendedPrivateKey> derive(const ExtendedPrivateKey& parent, std::uint32_t child) {
    if (parent.depth == 255) return too_deep();
    const auto point = curve::Point::of_secret(parent.key);
    if (!point) return no_such_child(child);
    const auto public_key = point->compressed();
    auto data = child_data(public_key, child);
    const Wiped wiped(data);
    if (child >= hardened) {
        data[0] = 0;
        std::copy(parent.key.begin(), parent.key.end(), data.begin() + 1);
    }
    const Halves halves(parent.chain_code, data);
    auto sum = curve::add(parent.key, halves.left);
    if (!sum) return no_such_child(child);
    const Wiped wiped_sum(*sum);
    ExtendedPrivateKey key;
    key.depth = static_cast<std::uint8_t>(parent.depth + 1);
    key.parent_fingerprint = fingerprint_of(public_key);
    key.child_number = child;
    key.chain_code = halves.right;
    key.key = *sum;
    return key;
}

std::optional<PublicParent> PublicParent::of(const ExtendedPublicKey& key) {
    const auto point = curve::Point::parse(key.key);
    if (!point) return std::nullopt;
    PublicParent parent(*point);
    parent.key_ = key.key;
    parent.chain_code_ = key.chain_code;
    return parent;
}

result<PublicParent::Child> PublicParent::child(std::uint32_t number) const {
    if (number >= hardened)
        return Error{errc::bad_argument,
                     "child " + std::to_string(number - hardened) + "h is hardened",
                     "a public key has no hardened children (BIP-32)",
                     "Give the public key behind the last hardened step"};
    const Halves halves(chain_code_, child_data(key_, number));
    const auto sum = point_.add(halves.left);
    if (!sum) return no_such_child(number);
    return Child{sum->compressed(), halves.right};
}

result<ExtendedPublicKey> derive(const ExtendedPublicKey& parent, std::uint32_t child) {
    if (parent.depth == 255) return too_deep();
    const auto ready = PublicParent::of(parent);
    if (!ready) return no_such_child(child);
    const auto made = ready->child(child);
    if (!made) return made.error();
    return ExtendedPublicKey{static_cast<std::uint8_t>(parent.depth + 1), parent.fingerprint(),
                             child, made->chain_code, made->key};
}

ExtendedPublicKey neuter(const ExtendedPrivateKey& key) {
    ExtendedPublicKey result{
        key.depth, key.parent_fingerprint, key.child_number, key.chain_code, {}};
    if (const auto point = curve::Point::of_secret(key.key)) result.key = point->compressed();
    return result;
}

result<std::string> account_descriptor(const ExtendedPrivateKey& master, AccountKind kind,
                                       std::uint32_t account, const chain::Network& network) {
    if (account >= hardened)
        return Error{errc::bad_argument, "account " + std::to_string(account) + " does not exist",
                     "accounts are numbered below 2^31", "Give a number below 2147483648"};
    const auto form = account_of(kind);
    ExtendedPrivateKey key = master;
    for (const auto step : {form.purpose, network.coin_type, account}) {
        auto child = derive(key, step | hardened);
        if (!child) return child.error();
        key = *child;
    }
    return with_checksum(std::string(form.open) + "[" + to_hex(neuter(master).fingerprint()) + "/" +
                         std::to_string(form.purpose) + "h/" + std::to_string(network.coin_type) +
                         "h/" + std::to_string(account) + "h]" + to_string(neuter(key), network) +
                         "/<0;1>/*" + std::string(form.close));
}

} // namespace headlight::wallet
