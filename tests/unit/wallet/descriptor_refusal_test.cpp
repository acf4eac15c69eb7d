// Descriptors that are refused, and whether the message names the part and the cure.
#include "tests/unit/wallet/support.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/hd_key.hpp"

namespace headlight::wallet {
namespace {

using tests::text;

const std::string xpub = "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5"
                         "JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL";
const std::string xprv = "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PF"
                         "mM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U";
const std::string key = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string uncompressed =
    "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c0"
    "2559e3aa73aa03918ba2d492eea75abea235";
const std::string wif = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";

void refuses(const std::string& descriptor, const std::vector<std::string>& parts,
             std::string_view code = errc::bad_descriptor) {
    SCOPED_TRACE(descriptor);
    expect_refused(Descriptor::parse(descriptor, main_net()), code, parts);
}

TEST(DescriptorChecksum, FollowsTheBipsCases) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "descriptors.json");
    for (const auto& item : file.at("checksum_cases").as_array()) {
        const auto descriptor = text(item, "text");
        const auto reason = text(item, "reason");
        const auto outcome = Descriptor::parse(descriptor, main_net());
        if (reason.empty()) // the checksum holds; the script then is one that no filter can match
            expect_refused(outcome, errc::bad_descriptor, {"raw()", "pushes nothing"});
        else if (reason == "character outside the set")
            expect_refused(outcome, errc::bad_descriptor, {"character 5", "byte 0xc3"});
        else
            expect_refused(outcome, errc::bad_checksum, {"checksum"});
    }
    EXPECT_EQ(with_checksum("raw(deadbeef)").value(), "raw(deadbeef)#89f8spxm");
    expect_refused(with_checksum("raw(\xc3\x9c)"), errc::bad_descriptor, {"character 5"});
}

TEST(DescriptorChecksum, CatchesEveryChangedCharacter) {
    const auto whole = with_checksum("wpkh(" + key + ")").value();
    ASSERT_TRUE(Descriptor::parse(whole, main_net()).has_value());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        auto changed = whole;
        changed[i] = changed[i] == 'q' ? 'p' : 'q';
        EXPECT_FALSE(Descriptor::parse(changed, main_net()).has_value()) << changed;
    }
    refuses("wpkh(" + key + ")#qqqqqqqq", {"'qqqqqqqq'", "ah7klf29"}, errc::bad_checksum);
    refuses("wpkh(" + key + ")#ah7klf2", {"7 characters"}, errc::bad_checksum);
    refuses("wpkh(" + key + ")#", {"0 characters"}, errc::bad_checksum);
}

TEST(DescriptorRefusal, NamesThePartInEveryInvalidOneOfTheBips) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "descriptors.json");
    // In the file's order.
    const std::vector<std::vector<std::string>> named{
        {"pk() takes a key", "character 4"},
        {"pkh() takes a key", "character 5"},
        {"no function at character 4"},
        {"sh() at character 4", "inside another function"},
        {"key at character 6", "uncompressed", "wpkh"},
        {"key at character 9", "uncompressed", "wpkh"},
        {"key at character 6", "uncompressed", "wpkh"},
        {"key at character 9", "uncompressed", "wpkh"},
        {"key at character 8", "uncompressed", "wsh"},
        {"key at character 8", "uncompressed", "wsh"},
        {"wpkh() at character 5 cannot stand inside wsh()"},
        {"wsh() at character 5 is inside wsh()"},
        {"wsh() at character 8 is inside wsh()"},
        {"wpkh() takes a key", "character 6"},
        {"no function at character 5"},
        {"sh(multi()) of 16 keys", "547 bytes", "520"},
        {"threshold 'a' at character 7"},
        {"threshold '0' at character 7"},
        {"threshold 3 at character 7", "there are 2"},
        {"combo() at character 4 cannot stand inside sh()"},
        {"combo() at character 5 cannot stand inside wsh()"},
        {"combo() takes a key", "character 7"},
        {"raw() at character 5", "'asdf'"},
        {"addr() at character 6", "'asdf'"},
        {"raw() at character 4 cannot stand inside sh()"},
        {"raw() at character 5 cannot stand inside wsh()"},
        {"addr() at character 4 cannot stand inside sh()"},
        {"addr() at character 5 cannot stand inside wsh()"},
        {"key at character 4", "uncompressed", "tr"},
        {"key at character 4", "uncompressed", "tr"},
        {"tr() at character 5 cannot stand inside wsh()"},
        {"tr() at character 4 cannot stand inside sh()"},
    };
    const auto& invalid = file.at("invalid").as_array();
    ASSERT_EQ(invalid.size(), named.size());
    for (std::size_t i = 0; i < named.size(); ++i)
        refuses(text(invalid[i], "descriptor"), named[i]);
}

TEST(DescriptorRefusal, TakesTheBipsKeysWhenPublicAndDerivable) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "descriptors.json");
    for (const auto& item : file.at("key_expressions_valid").as_array()) {
        const auto expression = as_string(item);
        const auto descriptor = "pkh(" + expression + ")";
        SCOPED_TRACE(descriptor);
        const auto outcome = Descriptor::parse(descriptor, main_net());
        const auto close = expression.find(']');
        const auto path = expression.substr(close == std::string::npos ? 0 : close);
        const bool is_hardened = path.find("h/") != std::string::npos || path.ends_with("h");
        if (path.find("xprv") != std::string::npos || path.find("]L") == 0 || path[0] == 'L' ||
            path[0] == '5')
            expect_refused(outcome, errc::private_key, {"the key at character 5"});
        else if (is_hardened)
            expect_refused(outcome, errc::bad_descriptor,
                           {"the key at character 5", "hardened step", "/3h/4h/5h"});
        else
            EXPECT_TRUE(outcome.has_value()) << to_string(outcome.error());
    }
}

TEST(DescriptorRefusal, NamesThePartInEveryInvalidKeyOfTheBips) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "descriptors.json");
    const std::vector<std::string> named{"origin '0h",
                                         "'' is not one",
                                         "'deadbef'",
                                         "'deadbeeef'",
                                         "'0f'",
                                         "'-0'",
                                         "'0H'",
                                         "'3H'",
                                         "'/0'",
                                         "'/*'",
                                         "2147483647",
                                         "'1aa'",
                                         "is none: '[aaaaaaa",
                                         "is none: 'aaaaaaaa",
                                         "'gaaaaaaa'",
                                         "nothing follows the origin"};
    const auto& invalid = file.at("key_expressions_invalid").as_array();
    ASSERT_EQ(invalid.size(), named.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
        const auto expected = i == 0 ? std::string("has a * or <>") : named[i];
        refuses("pk(" + as_string(invalid[i]) + ")", {"the key at character 4", expected});
    }
}

TEST(DescriptorRefusal, NamesGrammarFaults) {
    refuses("", {"no function at character 1"});
    refuses("wpkh", {"no function", "'wpkh'"});
    refuses("wpkh(" + key, {") is missing"});
    refuses("wpkh(" + key + "))", {"character 73", "')'"});
    refuses("wpkh(" + key + ")x", {"character 73", "'x'"});
    refuses("wpkh(" + key + "," + key + ")", {"character 72", ") is due"});
    refuses("wpk(" + key + ")", {"unknown function 'wpk'", "known: pk"});
    refuses("WPKH(" + key + ")", {"'WPKH'"});
    refuses("wpkh( " + key + ")", {"character 6"});
    refuses("pkh()", {"character 5"});
    refuses("multi(1)", {"threshold 1", "there are 0"});
    refuses("multi(99999999999," + key + ")", {"'99999999..."});
    refuses("wpkh(06" + uncompressed.substr(2) + ")", {"public key"});
    refuses("wpkh(" + key.substr(2) + ")", {"x-only", "66 digits"});
    refuses("tr(" + std::string(64, 'f') + ")", {"not on the curve"});
    refuses("pk(02" + std::string(64, 'f') + ")", {"on the curve"});
    refuses(std::string(20'000, 'a'), {"20000", "16384"});
    std::string many = "wsh(multi(1";
    for (int i = 0; i < 21; ++i)
        many += "," + key;
    refuses(many + "))", {"20"});
    refuses("multi(1," + key + "," + key + "," + key + "," + key + ")", {"4 keys", "at most 3"});
    refuses("raw(6a)", {"raw()", "filter"});
    refuses("raw()", {"raw()", "filter"});
}

TEST(DescriptorRefusal, HoldsMultipathsToBip389) {
    refuses("wpkh(" + xpub + "/<0>/*)", {"'<0>'", "two numbers"});
    refuses("wpkh(" + xpub + "/<0;0>/*)", {"'<0;0>'", "twice"});
    refuses("wpkh(" + xpub + "/<0;1/*)", {"'<0;1'", "> is missing"});
    refuses("wpkh(" + xpub + "/<0;1>/<0;1>/*)", {"at most once"});
    refuses("wpkh(" + xpub + "/<0;>/*)", {"''"});
    refuses("wpkh(" + xpub + "/<0;1h>/*)", {"hardened"});
    refuses("wpkh(" + xpub + "/*/<0;1>)", {"nothing can follow"});
    refuses("wsh(multi(1," + xpub + "/<0;1>/*," + xpub + "/<0;1;2>/*))",
            {"2 alternatives", "another has 3"});
    refuses("wpkh([00000000/<0;1>]" + xpub + ")", {"origin"});
    std::string wide = "/<0";
    for (int i = 1; i <= 16; ++i)
        wide += ";" + std::to_string(i);
    refuses("wpkh(" + xpub + wide + ">/*)", {"more than 16"});
}

TEST(DescriptorRefusal, NamesBadKeysInside) {
    auto broken = xpub;
    broken[40] = broken[40] == 'q' ? 'p' : 'q';
    refuses("wpkh(" + broken + "/*)", {"key at character 6", "checksum"}, errc::bad_checksum);
    broken[40] = '0';
    refuses("wpkh(" + broken + "/*)", {"key at character 6", "character 41", "'0'"});
    refuses("sh(multi(1," + key + "," + broken + "/*))", {"key at character 79"});
    std::string deep = xpub;
    for (int i = 0; i < 256; ++i)
        deep += "/0";
    refuses("wpkh(" + deep + ")", {"depth 255"});
}

TEST(DescriptorRefusal, NamesTheOtherNetwork) {
    const auto tpub = to_string(parse_extended_key(xpub).value().public_key, net("signet"));
    refuses("wpkh(" + tpub + "/*)",
            {"key at character 6", "tpub", "testnet3/testnet4/signet/regtest", "not for main"},
            errc::wrong_network);
    expect_refused(Descriptor::parse("wpkh(" + xpub + "/*)", net("regtest")), errc::wrong_network,
                   {"xpub", "is for main", "not for regtest"});
    for (const char* name : {"testnet3", "testnet4", "signet", "regtest"})
        EXPECT_TRUE(Descriptor::parse("wpkh(" + tpub + "/*)", net(name)).has_value());
    refuses("addr(tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx)",
            {"addr() at character 6", "testnet3/testnet4/signet"}, errc::wrong_network);
    refuses("addr(" + wif + ")", {"addr() at character 6", "private key"}, errc::private_key);
}

TEST(DescriptorRefusal, RefusesSlip132KeysWithTheirStandardForm) { // pitfalls F4
    const auto parsed = parse_extended_key(xpub).value().public_key;
    const auto zpub = to_string(parsed, 0x04b24746);
    const auto vpub = to_string(parsed, 0x045f1cf6);
    refuses("wpkh(" + zpub + "/0/*)", {"zpub", "SLIP-132", xpub});
    refuses("pkh(" + zpub + "/0/*)", {"zpub", "SLIP-132", xpub});
    refuses("wpkh(" + vpub + "/0/*)", {"vpub", "SLIP-132", "tpub"});
}

TEST(DescriptorRefusal, OffersThePublicFormUpToTheHardenedSteps) { // pitfalls F4
    const auto cure = [](const std::string& descriptor) {
        const auto refused = Descriptor::parse(descriptor, main_net());
        EXPECT_EQ(refused.error().code, errc::private_key);
        const auto found = descriptors_in(refused.error().cure);
        return found.size() == 1 ? found[0].substr(0, found[0].find('#')) : std::string();
    };
    EXPECT_EQ(cure("wpkh(" + wif + ")"), "wpkh(" + key + ")");
    EXPECT_EQ(cure("multi(1," + key + "," + wif + ")"), "multi(1," + key + "," + key + ")");
    // No hardened step: the neutered key itself, without an invented origin.
    EXPECT_TRUE(cure("wpkh(" + xprv + "/<0;1>/*)").starts_with("wpkh(xpub661MyMwAqRbcFW31YEw"));
    const auto with_origin = cure("tr([aabbccdd/86h]" + xprv + "/0h/1h/<0;1>/*)");
    EXPECT_TRUE(with_origin.starts_with("tr([aabbccdd/86h/0h/1h]xpub6")) << with_origin;
    EXPECT_TRUE(with_origin.ends_with("/<0;1>/*)")) << with_origin;
    const auto mixed = cure("wpkh(" + xprv + "/5/0h/1/2/*)");
    EXPECT_TRUE(mixed.starts_with("wpkh([bd16bee5/5/0h]xpub6")) << mixed;
    EXPECT_TRUE(mixed.ends_with("/1/2/*)")) << mixed;
    refuses("wpkh(" + xprv + "/<0h;1h>/*)", {"hardened <>", "hardened steps stand before"},
            errc::private_key);
    refuses("wpkh(" + xprv + "/<0;1>/2h/*)", {"hardened <>"}, errc::private_key);
    refuses("wpkh(" + xprv + "/0/*h)", {"/*h", "hardened steps stand before"}, errc::private_key);
}

} // namespace
} // namespace headlight::wallet
