// BIP-32 and the accounts that wallets share, against published keys and addresses.
#include "wallet/hd_key.hpp"

#include "chain/script.hpp"
#include "tests/unit/wallet/support.hpp"
#include "wallet/address.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/key_path.hpp"
#include "wallet/key_version.hpp"
#include "wallet/mnemonic.hpp"

namespace headlight::wallet {
namespace {

using tests::hex;
using tests::text;

/// The child numbers of "m/84'/0'".
std::vector<std::uint32_t> numbers(std::string_view path) {
    std::vector<std::uint32_t> found;
    for (const auto& step : parse_key_path(path.substr(1)).value().steps)
        found.push_back(step.front());
    return found;
}

ExtendedPrivateKey derive_path(ExtendedPrivateKey key, std::string_view path) {
    for (const auto number : numbers(path))
        key = derive(key, number).value();
    return key;
}

AccountKind kind_of(std::uint32_t purpose) {
    switch (purpose - hardened) {
    case 44:
        return AccountKind::pkh;
    case 49:
        return AccountKind::sh_wpkh;
    case 84:
        return AccountKind::wpkh;
    default:
        return AccountKind::tr;
    }
}

/// The account's descriptor, and that its /branch/index gives the address.
void expect_address(const ExtendedPrivateKey& master, const chain::Network& network,
                    std::string_view path, std::string_view address) {
    const auto steps = numbers(path);
    ASSERT_EQ(steps.size(), 5U) << path;
    EXPECT_EQ(steps[1], network.coin_type | hardened);
    const auto written =
        account_descriptor(master, kind_of(steps[0]), steps[2] - hardened, network);
    ASSERT_TRUE(written.has_value()) << to_string(written.error());
    const auto descriptor = Descriptor::parse(*written, network);
    ASSERT_TRUE(descriptor.has_value()) << to_string(descriptor.error());
    EXPECT_EQ(descriptor->text(), *written);
    EXPECT_EQ(descriptor->branches(), 2U);
    EXPECT_TRUE(descriptor->ranged());
    const auto script = descriptor->script_pubkey(steps[3], steps[4]).value();
    EXPECT_EQ(encode_address(script, network), address) << path;
}

TEST(HdKey, DerivesTheBipsVectors) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip32.json");
    for (const auto& vector : file.at("vectors").as_array()) {
        const auto master = master_key(hex(vector, "seed_hex")).value();
        std::optional<ExtendedPublicKey> parent;
        for (const auto& item : vector.at("chains").as_array()) {
            const auto path = text(item, "path");
            const auto key = derive_path(master, path);
            EXPECT_EQ(to_string(key, main_net()), text(item, "xprv")) << path;
            EXPECT_EQ(to_string(neuter(key), main_net()), text(item, "xpub")) << path;
            const auto steps = numbers(path);
            if (parent && steps.back() < hardened) {
                EXPECT_EQ(derive(*parent, steps.back()).value(), neuter(key)) << path;
            }
            parent = neuter(key);
        }
    }
}

TEST(HdKey, ReadsWhatItWrites) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip32.json");
    for (const auto& vector : file.at("vectors").as_array())
        for (const auto& item : vector.at("chains").as_array()) {
            const auto open = parse_extended_key(text(item, "xpub")).value();
            const auto secret = parse_extended_key(text(item, "xprv")).value();
            EXPECT_FALSE(open.is_private);
            EXPECT_TRUE(secret.is_private);
            EXPECT_EQ(open.public_key, secret.public_key);
            EXPECT_EQ(open.version, main_net().bip32_public);
            EXPECT_EQ(secret.version, main_net().bip32_private);
            EXPECT_EQ(to_string(open.public_key, main_net()), text(item, "xpub"));
            const auto full = parse_extended_private_key(text(item, "xprv")).value();
            EXPECT_EQ(to_string(full, main_net()), text(item, "xprv"));
            expect_refused(parse_extended_private_key(text(item, "xpub")), errc::malformed,
                           {"public key"});
        }
}

TEST(HdKey, RefusesTheBipsInvalidKeysByReason) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip32.json");
    const std::map<std::string, std::string> named{
        {"version/key mismatch", "starts with byte"},
        {"bad public key prefix 04", "here with 04"},
        {"bad private key prefix 04", "here with 04"},
        {"bad public key prefix 01", "here with 01"},
        {"bad private key prefix 01", "here with 01"},
        {"depth 0 with non-zero parent fingerprint", "at depth 0 it names a parent"},
        {"depth 0 with non-zero child index", "at depth 0 it has a child number"},
        {"unknown version", "version"},
        {"private key zero", "zero"},
        {"private key equals the order", "order"},
        {"public key not on the curve", "not on the curve"},
        {"bad checksum", "checksum"},
    };
    for (const auto& item : file.at("invalid").as_array()) {
        const auto reason = text(item, "reason");
        const auto code = reason == "bad checksum" ? errc::bad_checksum : errc::malformed;
        expect_refused(parse_extended_key(text(item, "key")), code, {named.at(reason)});
        EXPECT_FALSE(parse_extended_private_key(text(item, "key")).has_value());
        EXPECT_FALSE(Descriptor::parse("pkh(" + text(item, "key") + ")", main_net()).has_value());
    }
}

TEST(HdKey, RefusesWhatCannotBeDerived) {
    expect_refused(master_key(Bytes(15)), errc::bad_argument, {"15 bytes"});
    expect_refused(master_key(Bytes(65)), errc::bad_argument, {"65 bytes"});
    auto key = master_key(Bytes(16, 1)).value();
    expect_refused(derive(neuter(key), 5 | hardened), errc::bad_argument, {"child 5h", "hardened"});
    key.depth = 255;
    expect_refused(derive(key, 0), errc::bad_argument, {"depth 255"});
    expect_refused(derive(neuter(key), 0), errc::bad_argument, {"depth 255"});
    expect_refused(account_descriptor(key, AccountKind::wpkh, hardened, main_net()),
                   errc::bad_argument, {"account 2147483648"});
    ExtendedPublicKey no_point;
    expect_refused(derive(no_point, 0), errc::bad_argument, {"no valid key"});
}

TEST(HdKey, GivesTheAccountsOfBip49Bip84AndBip86) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip49_84_86.json");
    for (const auto& vector : file.at("vectors").as_array()) {
        const auto& network = net(text(vector, "network"));
        const auto seed = seed_from_mnemonic(text(vector, "mnemonic"), "");
        const auto master = master_key(seed).value();
        const auto root = parse_extended_key(text(vector, "root_private")).value();
        EXPECT_TRUE(root.is_private);
        EXPECT_EQ(root.public_key, neuter(master));
        const auto account = derive_path(master, text(vector, "account_path"));
        EXPECT_EQ(
            to_string(parse_extended_private_key(text(vector, "account_private")).value(), network),
            to_string(account, network));
        const auto open = parse_extended_key(text(vector, "account_public")).value();
        EXPECT_EQ(open.public_key, neuter(account));
        EXPECT_EQ(to_string(open.public_key, open.version), text(vector, "account_public"));
        for (const auto& item : vector.at("addresses").as_array()) {
            expect_address(master, network, text(item, "path"), text(item, "address"));
            const auto key = neuter(derive_path(master, text(item, "path"))).key;
            if (const auto known = text(item, "public_key"); !known.empty()) {
                EXPECT_EQ(to_hex(key), known);
            }
            if (const auto internal = text(item, "internal_key"); !internal.empty()) {
                EXPECT_EQ(to_hex(ByteView(key).subspan(1)), internal);
            }
            if (const auto script = text(item, "script_pubkey"); !script.empty()) {
                EXPECT_EQ(to_hex(decode_address(text(item, "address"), network).value()), script);
            }
        }
    }
}

TEST(HdKey, GivesTheAccountsThatOtherWalletsGive) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip44_49_84_accounts.json");
    const auto master =
        master_key(seed_from_mnemonic(text(file, "mnemonic"), text(file, "passphrase"))).value();
    for (const auto& account : file.at("accounts").as_array()) {
        const auto& network = net(text(account, "network"));
        const auto key = derive_path(master, text(account, "account_path"));
        const auto known = parse_extended_key(text(account, "xpub")).value();
        EXPECT_EQ(known.public_key, neuter(key));
        EXPECT_EQ(to_string(neuter(key), known.version), text(account, "xpub"));
        for (const auto& item : account.at("addresses").as_array())
            expect_address(master, network, text(item, "path"), text(item, "address"));
    }
}

TEST(HdKey, KnowsEveryVersionOfSlip132) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "slip132.json");
    for (const auto& item : file.at("prefixes").as_array()) {
        const auto public_version =
            static_cast<std::uint32_t>(std::stoul(text(item, "public_version"), nullptr, 16));
        const auto private_version =
            static_cast<std::uint32_t>(std::stoul(text(item, "private_version"), nullptr, 16));
        const auto* known = find_key_version(public_version);
        ASSERT_NE(known, nullptr) << item;
        EXPECT_EQ(known, find_key_version(private_version));
        EXPECT_EQ(known, find_key_version(text(item, "public_prefix") + "abc"));
        EXPECT_EQ(known, find_key_version(text(item, "private_prefix") + "abc"));
        EXPECT_EQ(known->public_version, public_version);
        EXPECT_EQ(known->private_version, private_version);
        EXPECT_TRUE(known->belongs_to(net(text(item, "network"))));
        const auto key = neuter(master_key(Bytes(32, 3)).value());
        EXPECT_TRUE(to_string(key, public_version).starts_with(text(item, "public_prefix")));
        EXPECT_EQ(parse_extended_key(to_string(key, public_version)).value().public_key, key);
    }
    EXPECT_EQ(find_key_version(std::uint32_t{0}), nullptr);
    EXPECT_EQ(find_key_version(std::string_view("bc1q")), nullptr);
}

TEST(HdKey, GivesTheAccountsOfSlip132) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "slip132.json");
    for (const auto& vector : file.at("vectors").as_array()) {
        const auto master = master_key(seed_from_mnemonic(text(vector, "mnemonic"), "")).value();
        const auto account = derive_path(master, text(vector, "account"));
        const auto open = parse_extended_key(text(vector, "public")).value();
        EXPECT_EQ(open.public_key, neuter(account));
        const auto secret = parse_extended_key(text(vector, "private")).value();
        EXPECT_EQ(secret.public_key, neuter(account));
        EXPECT_TRUE(secret.is_private);
        expect_address(master, main_net(), text(vector, "first_receive_path"),
                       text(vector, "first_receive_address"));
    }
}

TEST(HdKey, UsesCoinTypeOneAndTpubOnEveryTestNetwork) {
    const auto master = master_key(Bytes(16, 9)).value();
    for (const auto& network : chain::all_networks()) {
        const auto written = account_descriptor(master, AccountKind::wpkh, 7, network).value();
        const bool is_main = network.id == chain::NetworkId::main;
        EXPECT_TRUE(written.starts_with("wpkh([" + to_hex(neuter(master).fingerprint()) +
                                        (is_main ? "/84h/0h/7h]xpub" : "/84h/1h/7h]tpub")))
            << written;
        EXPECT_NE(written.find("/<0;1>/*)#"), std::string::npos);
    }
}

} // namespace
} // namespace headlight::wallet
