// What `watch` takes and what it refuses.
#include "tests/unit/wallet/support.hpp"
#include "wallet/address.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/key_version.hpp"

namespace headlight::wallet {
namespace {

using tests::text;

const std::string xpub = "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5"
                         "JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL";

std::vector<std::string> bodies(std::string_view item, const chain::Network& network) {
    const auto descriptors = parse_watch_item(item, network);
    EXPECT_TRUE(descriptors.has_value()) << to_string(descriptors.error());
    std::vector<std::string> found;
    if (!descriptors) return found;
    for (const auto& descriptor : *descriptors) {
        found.push_back(descriptor.text().substr(0, descriptor.text().find('#')));
        EXPECT_EQ(Descriptor::parse(descriptor.text(), network).value(), descriptor);
    }
    return found;
}

std::string with_version(std::uint32_t version) {
    return to_string(parse_extended_key(xpub).value().public_key, version);
}

using Texts = std::vector<std::string>;

TEST(WatchItem, TakesAddresses) {
    EXPECT_EQ(bodies(" 3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j\r\n", main_net()),
              Texts{"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)"});
    EXPECT_EQ(bodies("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", main_net()),
              Texts{"addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)"});
    EXPECT_EQ(parse_watch_item("3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j", main_net()).value()[0].text(),
              "addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)#6vhk2xgr");
}

TEST(WatchItem, TakesDescriptors) {
    const auto body = "wpkh(" + xpub + "/0/*)";
    EXPECT_EQ(bodies("\t" + with_checksum(body).value() + " ", main_net()), Texts{body});
    expect_refused(parse_watch_item(body + "#qqqqqqqq", main_net()), errc::bad_checksum,
                   {"'qqqqqqqq'"});
}

TEST(WatchItem, WatchesAllFourFormsOfAnXpub) {
    const auto key = xpub + "/<0;1>/*";
    EXPECT_EQ(bodies(xpub, main_net()), (Texts{"pkh(" + key + ")", "sh(wpkh(" + key + "))",
                                               "wpkh(" + key + ")", "tr(" + key + ")"}));
    const auto tpub = with_version(net("regtest").bip32_public);
    EXPECT_EQ(bodies(tpub, net("regtest")).size(), 4U);
    EXPECT_EQ(bodies("[01234567/84h/0']" + xpub, main_net())[2],
              "wpkh([01234567/84h/0h]" + key + ")");
}

TEST(WatchItem, HonoursWhatSlip132Says) { // pitfalls F4
    HEADLIGHT_VECTORS_OR_SKIP(file, "slip132.json");
    for (const auto& vector : file.at("vectors").as_array()) {
        const auto descriptors = parse_watch_item(text(vector, "public"), main_net()).value();
        EXPECT_EQ(descriptors.size(), text(vector, "public")[0] == 'x' ? 4U : 1U);
        const auto script = descriptors[0].script_pubkey(0, 0).value();
        EXPECT_EQ(encode_address(script, main_net()), text(vector, "first_receive_address"));
    }
    for (const auto& prefix : file.at("prefixes").as_array()) {
        const auto version =
            static_cast<std::uint32_t>(std::stoul(text(prefix, "public_version"), nullptr, 16));
        const auto& network = net(text(prefix, "network"));
        const auto& other = net(text(prefix, "network") == "mainnet" ? "signet" : "main");
        const auto item = with_version(version);
        const auto standard = with_version(network.bip32_public);
        expect_refused(parse_watch_item(item, other), errc::wrong_network,
                       {text(prefix, "public_prefix"), "not for " + std::string(other.name)});
        if (text(prefix, "script").starts_with("Multi"))
            expect_refused(
                parse_watch_item(item, network), errc::bad_descriptor,
                {text(prefix, "public_prefix"), "multisig", "sortedmulti(THRESHOLD", standard});
        else if (text(prefix, "script") == "P2WPKH")
            EXPECT_EQ(bodies(item, network), Texts{"wpkh(" + standard + "/<0;1>/*)"});
        else if (text(prefix, "script") == "P2WPKH in P2SH")
            EXPECT_EQ(bodies(item, network), Texts{"sh(wpkh(" + standard + "/<0;1>/*))"});
        else
            EXPECT_EQ(bodies(item, network).size(), 4U);
    }
}

TEST(WatchItem, RefusesSecretsWithoutRepeatingThem) { // pitfalls F4
    HEADLIGHT_VECTORS_OR_SKIP(file, "slip132.json");
    for (const auto& vector : file.at("vectors").as_array()) {
        const auto secret = text(vector, "private");
        const auto refused = parse_watch_item(secret, main_net());
        expect_refused(refused, errc::private_key,
                       {secret.substr(0, 4), text(vector, "public"), "public form"});
        EXPECT_EQ(to_string(refused.error()).find(secret.substr(0, 12)), std::string::npos);
    }
    expect_refused(
        parse_watch_item("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1", main_net()),
        errc::private_key, {"WIF", "wpkh(03a34b99"});
    for (const char* last : {"about", "above"}) { // the second has a bad checksum
        std::string words;
        for (int i = 0; i < 11; ++i)
            words += "abandon ";
        const auto refused = parse_watch_item(words + last, main_net());
        expect_refused(refused, errc::private_key, {"mnemonic", "create"});
        EXPECT_EQ(to_string(refused.error()).find("abandon"), std::string::npos);
    }
}

TEST(WatchItem, NamesWhatIsWrong) {
    expect_refused(parse_watch_item("", main_net()), errc::bad_address, {"empty"});
    for (const std::string item : {"nonsense", "foo", "bc2", "0x51", "[]", "two words"})
        expect_refused(
            parse_watch_item(item, main_net()), errc::bad_address,
            {"'" + item + "' is neither an address, a descriptor nor an extended public key",
             "as an address, ", "parentheses", "xpub, ypub or zpub", "bc1...", "wpkh(KEY)"});
    expect_refused(parse_watch_item("foo", net("regtest")), errc::bad_address,
                   {"tpub, upub or vpub", "bcrt1..."});
    // What is near to an address keeps the address's own error.
    expect_refused(parse_watch_item("bc1qw508", main_net()), errc::bad_address,
                   {"not an address: 'bc1qw508'", "too short"});
    expect_refused(parse_watch_item("3PUNyaW7M55oKWJ3kDukwk9bsKvryra15k", main_net()),
                   errc::bad_checksum, {"not an address", "checksum"});
    auto broken = xpub;
    broken.back() = 'M';
    expect_refused(parse_watch_item(broken, main_net()), errc::bad_checksum,
                   {"extended key 'xpub6ERApfZw...'", "checksum"});
    expect_refused(parse_watch_item("xpub", main_net()), errc::malformed, {"too short"});
    expect_refused(parse_watch_item("[0123/4]" + xpub, main_net()), errc::bad_descriptor,
                   {"fingerprint '0123'"});
    expect_refused(parse_watch_item("wpkh(xpub)", main_net()), errc::bad_descriptor,
                   {"character 6", "too short"});
    expect_refused(parse_watch_item("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", main_net()),
                   errc::wrong_network, {"testnet3/testnet4/signet"});
}

} // namespace
} // namespace headlight::wallet
