// Addresses of every network: Bitcoin Core's key_io vectors, BIP-173, BIP-350, and what is refused.
#include "wallet/address.hpp"

#include "chain/script.hpp"
#include "tests/unit/wallet/support.hpp"
#include "wallet/base58.hpp"
#include "wallet/descriptor.hpp"

namespace headlight::wallet {
namespace {

using tests::hex;
using tests::text;

std::string flip_case(std::string_view address) {
    std::string flipped(address);
    for (char& c : flipped)
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) c = static_cast<char>(c ^ 0x20);
    return flipped;
}

TEST(Base58, WritesAndReadsThePublishedStrings) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "base58_keys.json");
    for (const auto& item : file.at("base58").as_array()) {
        const auto bytes = hex(item, "hex");
        const auto spelled = text(item, "base58");
        EXPECT_EQ(encode_base58(bytes), spelled);
        const auto read = decode_base58(spelled, bytes.size());
        ASSERT_TRUE(read.has_value()) << spelled;
        EXPECT_EQ(Bytes(read->begin(), read->end()), bytes);
        if (!bytes.empty()) {
            EXPECT_FALSE(decode_base58(spelled, bytes.size() - 1).has_value()) << "limit";
        }
    }
}

TEST(Base58, NamesTheBadCharacter) {
    expect_refused(decode_base58("12O4", 20), errc::malformed, {"character 3", "'O'"});
    expect_refused(decode_base58("ab\x80", 20), errc::malformed, {"character 3", "byte 0x80"});
    expect_refused(decode_base58(std::string(100'000, 'z'), 20), errc::malformed,
                   {"too long", "100000"});
    expect_refused(decode_base58check("11", 20), errc::malformed, {"too short"});
}

TEST(Address, ReadsAndWritesEveryValidOneOfCore) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "base58_keys.json");
    for (const auto& item : file.at("valid").as_array()) {
        if (item.at("is_private_key").as_bool()) continue;
        const auto address = text(item, "text");
        const auto& network = net(text(item, "network"));
        const auto script = decode_address(address, network);
        ASSERT_TRUE(script.has_value()) << to_string(script.error());
        EXPECT_EQ(*script, hex(item, "payload")) << address;
        EXPECT_EQ(encode_address(*script, network), address);
        const auto* flag = item.as_object().if_contains("case_flip_ok");
        const auto flipped = decode_address(flip_case(address), network);
        if (flag != nullptr && flag->as_bool())
            EXPECT_EQ(flipped.value(), *script) << address;
        else
            EXPECT_FALSE(flipped.has_value()) << address;
    }
}

TEST(Address, RefusesPrivateKeysWithThePublicFormAsCure) { // pitfalls F4
    HEADLIGHT_VECTORS_OR_SKIP(file, "base58_keys.json");
    for (const auto& item : file.at("valid").as_array()) {
        if (!item.at("is_private_key").as_bool()) continue;
        const auto wif = text(item, "text");
        for (const auto& network : chain::all_networks()) {
            const auto refused = decode_address(wif, network);
            expect_refused(refused, errc::private_key, {"WIF", "public key"});
            EXPECT_EQ(to_string(refused.error()).find(wif.substr(0, 8)), std::string::npos)
                << "the secret must not be repeated";
            const auto cures = descriptors_in(refused.error().cure);
            EXPECT_EQ(cures.size(), item.at("compressed").as_bool() ? 4U : 2U);
            for (const auto& cure : cures)
                EXPECT_TRUE(Descriptor::parse(cure, network).has_value()) << cure;
        }
    }
}

TEST(Address, RefusesEveryInvalidOneOfCoreOnEveryNetwork) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "base58_keys.json");
    for (const auto& item : file.at("invalid").as_array())
        for (const auto& network : chain::all_networks()) {
            const auto refused = decode_address(as_string(item), network);
            ASSERT_TRUE(refused.has_error()) << item;
            EXPECT_NE(refused.error().code, errc::private_key) << item;
            EXPECT_FALSE(refused.error().cause.empty()) << item;
        }
}

TEST(Address, NamesTheNetworksThatAnAddressBelongsTo) {
    const auto& main = main_net();
    const auto& regtest = net("regtest");
    expect_refused(decode_address("mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ", main), errc::wrong_network,
                   {"mzK2FFDEhxqHcmrJw1ysqFkVyhUULo45hZ", "testnet3/testnet4/signet/regtest",
                    "not for main", "--network"});
    expect_refused(
        decode_address("tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", regtest),
        errc::wrong_network, {"testnet3/testnet4/signet,", "not for regtest"});
    expect_refused(decode_address("1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo", regtest),
                   errc::wrong_network, {"is for main", "not for regtest"});
    expect_refused(decode_address("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", net("signet")),
                   errc::wrong_network, {"is for main"});
}

TEST(Address, NamesWhatIsWrong) {
    const auto& main = main_net();
    expect_refused(decode_address("", main), errc::bad_address, {"empty"});
    expect_refused(decode_address("hello there", main), errc::bad_address,
                   {"'hello there'", "character 3", "'l'"});
    expect_refused(decode_address("1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mp", main), errc::bad_checksum,
                   {"1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mp", "checksum"});
    expect_refused(decode_address(encode_base58check(Bytes(21, 99)), main), errc::bad_address,
                   {"version byte 99"});
    expect_refused(decode_address(encode_base58check(Bytes(20, 0)), main), errc::bad_address,
                   {"20 bytes", "21"});
    expect_refused(decode_address("tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty", main),
                   errc::bad_address, {"prefix 'tc'"});
    // A mistyped private key is not repeated either.
    const auto mistyped =
        decode_address("L5nJeqKmpHp4P14FEsNW1UySk8RHv9vLMTSDBo5tMVPm6jpBPfgf", main);
    ASSERT_TRUE(mistyped.has_error());
    EXPECT_EQ(to_string(mistyped.error()).find("FEsNW1"), std::string::npos);
}

TEST(Address, HasTheFormsOfScriptsAndOfNothingElse) {
    const auto& main = main_net();
    const auto key = hex("03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd");
    EXPECT_FALSE(encode_address(chain::pk_script(key), main));
    EXPECT_FALSE(encode_address(chain::multisig_script(1, {key}), main));
    EXPECT_FALSE(encode_address(hex("6a0401020304"), main));
    EXPECT_FALSE(encode_address(hex(""), main));
    EXPECT_FALSE(encode_address(hex("001501020304"), main)) << "length byte beyond the script";
    EXPECT_FALSE(encode_address(hex("000401020304"), main)) << "version 0 of 4 bytes";
    EXPECT_EQ(encode_address(hex("51024e73"), main), "bc1pfeessrawgf");
    EXPECT_EQ(decode_address("bc1pfeessrawgf", main).value(), hex("51024e73"));
}

TEST(Address, RoundTripsEveryProgramOnEveryNetwork) {
    for (const auto& network : chain::all_networks())
        for (std::uint8_t version = 0; version <= 16; ++version)
            for (std::size_t size = 2; size <= 40; ++size) {
                if (version == 0 && size != 20 && size != 32) continue;
                const auto script =
                    chain::witness_script(version, Bytes(size, static_cast<std::uint8_t>(size)));
                const auto address = encode_address(script, network);
                ASSERT_TRUE(address) << int(version) << " " << size;
                EXPECT_EQ(decode_address(*address, network).value(), script);
            }
}

TEST(Address, FollowsBip350WhereBip173DiffersFromIt) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bech32.json");
    for (const char* bip : {"bip173", "bip350"}) {
        for (const auto& item : file.at(bip).at("valid_addresses").as_array()) {
            const auto address = text(item, "address");
            const auto& network = net(address[0] == 'b' || address[0] == 'B' ? "main" : "testnet3");
            const auto script = decode_address(address, network);
            const auto* still = item.as_object().if_contains("valid_under_bip350");
            if (still != nullptr && !still->as_bool()) {
                expect_refused(script, errc::bad_address, {address, "bech32m"});
                continue;
            }
            ASSERT_TRUE(script.has_value()) << to_string(script.error());
            EXPECT_EQ(*script, hex(item, "script_pubkey"));
            const auto written = encode_address(*script, network).value();
            EXPECT_TRUE(written == address || flip_case(written) == address) << written;
        }
        for (const auto& item : file.at(bip).at("invalid_addresses").as_array())
            for (const auto& network : chain::all_networks()) {
                const auto refused = decode_address(text(item, "address"), network);
                ASSERT_TRUE(refused.has_error()) << item;
                EXPECT_FALSE(to_string(refused.error()).empty());
            }
    }
}

} // namespace
} // namespace headlight::wallet
