// Addresses, both ways: base58check (BIP-13), segwit v0 (BIP-173), later versions (BIP-350).
#include "wallet/address.hpp"

#include "chain/script.hpp"
#include "wallet/base58.hpp"
#include "wallet/bech32.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/text.hpp"
#include "wallet/wif.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::size_t hash_bytes = 20;

bool has_prefix_of(std::string_view lower, const chain::Network& network) {
    return lower.size() > network.bech32_prefix.size() &&
           lower.starts_with(network.bech32_prefix) && lower[network.bech32_prefix.size()] == '1';
}

// Whole where it can only be an address; else clipped, as it might be a mistyped private key.
std::string name_address(std::string_view text) {
    return quote(text, has_bech32_prefix(text) || text.size() <= 35 ? 100 : 12);
}

Error bad_address(std::string_view text, std::string cause, std::string cure = {}) {
    if (cure.empty()) cure = "Copy the address again";
    return Error{errc::bad_address, "not an address: " + name_address(text), std::move(cause),
                 std::move(cure)};
}

// The same failure one level up: which address it was, and what about it.
Error in_address(std::string_view text, const Error& error) {
    auto cause = error.message;
    if (!error.cause.empty()) cause += " (" + error.cause + ")";
    auto named = bad_address(text, std::move(cause), error.cure);
    if (error.code == errc::bad_checksum) named.code = errc::bad_checksum;
    return named;
}

Error refuse_private_key(const WifPublicKey& key) {
    std::string cure = "Watch its public key, by the form your scripts have:";
    for (const auto& form : descriptors_of_key(to_hex(key.bytes()), key.compressed))
        cure += ' ' + with_checksum(form).value();
    return Error{errc::private_key, "a private key (WIF) was given where an address is due",
                 "headlight never takes private keys", std::move(cure)};
}

std::optional<Error> check_program(std::string_view text, std::uint8_t version, ByteView program,
                                   Bech32::Kind kind) {
    if (version > 16)
        return bad_address(text, "witness version " + std::to_string(version) + " is above 16");
    if ((kind == Bech32::Kind::bech32) != (version == 0))
        return bad_address(text, version == 0 ? "version 0 needs bech32, this is bech32m"
                                              : "version 1 and above need bech32m, this is bech32");
    const auto size = program.size();
    if (size < 2 || size > 40 || (version == 0 && size != 20 && size != 32))
        return bad_address(text, "a program of " + std::to_string(size) +
                                     " bytes does not exist in version " + std::to_string(version));
    return std::nullopt;
}

result<Bytes> decode_segwit(std::string_view text, const chain::Network& network) {
    const auto parts = decode_bech32(text);
    if (!parts) return in_address(text, parts.error());
    if (parts->prefix != network.bech32_prefix) {
        const auto owners =
            network_names([&](const auto& n) { return n.bech32_prefix == parts->prefix; });
        if (owners.empty())
            return bad_address(text, "no network has the prefix " + quote(parts->prefix));
        return wrong_network("address " + name_address(text), owners, network);
    }
    if (parts->values.empty()) return bad_address(text, "there is nothing behind the prefix");
    const auto version = parts->values.front();
    const auto program = from_five_bits(ByteView(parts->values).subspan(1));
    if (!program) return bad_address(text, "the padding of its last character is not zero");
    if (const auto error = check_program(text, version, *program, parts->kind)) return *error;
    return chain::witness_script(version, *program);
}

result<Bytes> decode_base58_address(std::string_view text, const chain::Network& network) {
    const auto payload = decode_base58check(text, 1 + hash_bytes);
    if (!payload) return in_address(text, payload.error());
    if (payload->size() != 1 + hash_bytes)
        return bad_address(text, std::to_string(payload->size()) +
                                     " bytes, where an address has 21 (the version, a hash)");
    const auto version = payload->front();
    const auto hash = ByteView(*payload).subspan(1);
    if (version == network.base58_pubkey_hash) return chain::pkh_script(hash);
    if (version == network.base58_script_hash) return chain::sh_script(hash);
    const auto owners = network_names([&](const auto& n) {
        return n.base58_pubkey_hash == version || n.base58_script_hash == version;
    });
    if (owners.empty())
        return bad_address(text, "no network has the version byte " + std::to_string(version));
    return wrong_network("address " + name_address(text), owners, network);
}

// The version and program of a witness output (BIP-141).
std::optional<std::string> encode_witness(ByteView script, const chain::Network& network) {
    if (script.size() < 4 || script.size() > 42 || script[1] + 2U != script.size())
        return std::nullopt;
    if (script[0] != 0 && (script[0] < 0x51 || script[0] > 0x60)) return std::nullopt;
    const auto version = static_cast<std::uint8_t>(script[0] == 0 ? 0 : script[0] - 0x50);
    const auto program = script.subspan(2);
    if (version == 0 && program.size() != 20 && program.size() != 32) return std::nullopt;
    Bech32 parts{version == 0 ? Bech32::Kind::bech32 : Bech32::Kind::bech32m,
                 std::string(network.bech32_prefix),
                 {version}};
    const auto values = to_five_bits(program);
    parts.values.insert(parts.values.end(), values.begin(), values.end());
    return encode_bech32(parts);
}

std::string encode_hash(std::uint8_t version, ByteView hash) {
    Bytes payload{version};
    payload.insert(payload.end(), hash.begin(), hash.end());
    return encode_base58check(payload);
}

} // namespace

bool has_bech32_prefix(std::string_view text) {
    const auto lower = to_lower(text);
    const auto networks = chain::all_networks();
    return std::any_of(networks.begin(), networks.end(),
                       [&](const auto& n) { return has_prefix_of(lower, n); });
}

result<Bytes> decode_address(std::string_view text, const chain::Network& network) {
    if (text.empty()) return bad_address(text, "it is empty");
    if (has_bech32_prefix(text)) return decode_segwit(text, network); // no WIF begins like that
    if (const auto key = parse_wif(text)) return refuse_private_key(*key);
    auto script = decode_base58_address(text, network);
    // Bech32 of no network: what is wrong is its prefix, not that base58 lacks some letter of it.
    if (!script && decode_bech32(text)) return decode_segwit(text, network);
    return script;
}

std::optional<std::string> encode_address(ByteView script, const chain::Network& network) {
    switch (chain::classify(script)) {
    case chain::ScriptForm::pkh:
        return encode_hash(network.base58_pubkey_hash, script.subspan(3, hash_bytes));
    case chain::ScriptForm::sh:
        return encode_hash(network.base58_script_hash, script.subspan(2, hash_bytes));
    default:
        return encode_witness(script, network);
    }
}

} // namespace headlight::wallet
