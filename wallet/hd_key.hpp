// BIP-32: extended keys. Private ones live only while `create` derives its descriptors.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"

#include <vector>

namespace headlight::wallet {

inline constexpr std::uint32_t hardened = 0x80000000;

struct ExtendedPublicKey {
    std::uint8_t depth = 0;
    std::array<std::uint8_t, 4> parent_fingerprint{};
    std::uint32_t child_number = 0;
    std::array<std::uint8_t, 32> chain_code{};
    std::array<std::uint8_t, 33> key{};

    friend bool operator==(const ExtendedPublicKey&, const ExtendedPublicKey&) = default;
    std::array<std::uint8_t, 4> fingerprint() const;
};

/// Wiped when destroyed.
struct ExtendedPrivateKey {
    std::uint8_t depth = 0;
    std::array<std::uint8_t, 4> parent_fingerprint{};
    std::uint32_t child_number = 0;
    std::array<std::uint8_t, 32> chain_code{};
    std::array<std::uint8_t, 32> key{};

    ExtendedPrivateKey() = default;
    ExtendedPrivateKey(const ExtendedPrivateKey&) = default;
    ExtendedPrivateKey& operator=(const ExtendedPrivateKey&) = default;
    ~ExtendedPrivateKey();
};

/// Errors: bad_argument for a seed outside 16..64 bytes or the one in 2^127 that gives no key.
result<ExtendedPrivateKey> master_key(ByteView seed);
result<ExtendedPrivateKey> derive(const ExtendedPrivateKey& parent, std::uint32_t child);
/// Error: bad_argument for a hardened child.
result<ExtendedPublicKey> derive(const ExtendedPublicKey& parent, std::uint32_t child);
ExtendedPublicKey neuter(const ExtendedPrivateKey& key);

/// Base58check text with an explicit version (xpub, tpub, ypub…); `network` gives the usual one.
std::string to_string(const ExtendedPublicKey& key, std::uint32_t version);
std::string to_string(const ExtendedPublicKey& key, const chain::Network& network);
std::string to_string(const ExtendedPrivateKey& key, const chain::Network& network);
/// Any of the known versions, SLIP-132 ones included. Errors: malformed naming what is wrong;
/// bad_checksum.
struct ParsedExtendedKey {
    std::uint32_t version = 0;
    bool is_private = false;
    ExtendedPublicKey public_key; ///< of the private one, neutered
};
result<ParsedExtendedKey> parse_extended_key(std::string_view text);
/// A private one, to derive its public form from. Errors: as above; malformed for a public one.
result<ExtendedPrivateKey> parse_extended_private_key(std::string_view text);

/// The accounts that wallets share: purpose 44 pkh, 49 sh(wpkh), 84 wpkh, 86 tr.
enum class AccountKind { pkh, sh_wpkh, wpkh, tr };
/// "wpkh([fingerprint/84h/1h/0h]tpub…/<0;1>/*)#checksum" for m/purpose'/coin'/account'.
result<std::string> account_descriptor(const ExtendedPrivateKey& master, AccountKind kind,
                                       std::uint32_t account, const chain::Network& network);

} // namespace headlight::wallet
