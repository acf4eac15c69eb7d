// Descriptors: the BIPs' vectors, canonical text, branches and indexes, filter elements, speed.
#include "wallet/descriptor.hpp"

#include "chain/hash.hpp"
#include "chain/script.hpp"
#include "tests/unit/wallet/support.hpp"
#include "wallet/address.hpp"
#include "wallet/hd_key.hpp"

#include <ctime>
#include <set>

namespace headlight::wallet {
namespace {

using tests::hex;
using tests::text;

const std::string xpub = "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5"
                         "JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL";
const std::string other_xpub =
    "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBa"
    "ohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y";
const std::string key_a = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string key_b = "0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600";

Descriptor parse(const std::string& descriptor, const chain::Network& network = main_net()) {
    auto parsed = Descriptor::parse(descriptor, network);
    if (!parsed) throw std::runtime_error(to_string(parsed.error()));
    return *parsed;
}

std::vector<Bytes> scripts_of(const boost::json::value& list) {
    std::vector<Bytes> scripts;
    for (const auto& item : list.as_array())
        scripts.push_back(hex(as_string(item)));
    return scripts;
}

void expect_scripts(const Descriptor& descriptor, const boost::json::value& item) {
    const auto scripts = scripts_of(item.at("scripts"));
    EXPECT_EQ(descriptor.ranged(), item.at("ranged").as_bool()) << descriptor.text();
    EXPECT_EQ(descriptor.branches(), 1U);
    for (std::uint32_t i = 0; i < scripts.size(); ++i)
        EXPECT_EQ(descriptor.script_pubkey(0, i).value(), scripts[i]) << descriptor.text();
}

bool holds_private_key(std::string_view descriptor) {
    if (descriptor.starts_with("raw(")) return false;
    if (descriptor.find("prv") != std::string_view::npos) return true;
    for (const auto first : {'K', 'L', '5'})
        for (const auto before : {'(', ',', ']'})
            if (descriptor.find(std::string{before, first}) != std::string_view::npos) return true;
    return false;
}

/// A private descriptor is refused, and what is offered instead gives the same scripts.
void expect_public_form(const std::string& descriptor, const boost::json::value& item) {
    const auto refused = Descriptor::parse(descriptor, main_net());
    expect_refused(refused, errc::private_key, {"the key at character"});
    const auto words = to_string(refused.error());
    EXPECT_EQ(words.find("prv"), std::string::npos) << words;
    if (descriptor.find("*'") != std::string::npos || descriptor.find("*h") != std::string::npos) {
        EXPECT_NE(words.find("/*h"), std::string::npos) << words;
        return;
    }
    const auto cures = descriptors_in(refused.error().cure);
    ASSERT_EQ(cures.size(), 1U) << words;
    EXPECT_FALSE(holds_private_key(cures[0])) << cures[0];
    expect_scripts(parse(cures[0]), item);
}

/// combo() is refused, and what is offered instead gives its scripts, index by index.
void expect_combo_forms(const std::string& descriptor, const boost::json::value& item) {
    const auto refused = Descriptor::parse(descriptor, main_net());
    expect_refused(refused,
                   holds_private_key(descriptor) ? errc::private_key : errc::bad_descriptor,
                   {"combo()", "Give the forms"});
    const auto cures = descriptors_in(refused.error().cure);
    std::map<std::uint32_t, std::vector<Bytes>> expected;
    if (const auto* by_index = item.as_object().if_contains("scripts_by_index"))
        for (const auto& entry : by_index->as_object())
            expected[static_cast<std::uint32_t>(std::stoul(entry.key()))] =
                scripts_of(entry.value());
    else
        expected[0] = scripts_of(item.at("scripts"));
    for (const auto& [index, scripts] : expected) {
        std::vector<Bytes> offered;
        for (const auto& cure : cures)
            offered.push_back(parse(cure).script_pubkey(0, index).value());
        EXPECT_EQ(offered, scripts) << descriptor;
    }
}

TEST(Descriptor, GivesTheScriptsOfTheBips) { // pitfalls F4: private ones are refused
    HEADLIGHT_VECTORS_OR_SKIP(file, "descriptors.json");
    for (const auto& item : file.at("valid").as_array()) {
        const auto payload = text(item, "descriptor");
        const auto descriptor = payload + "#" + text(item, "checksum");
        SCOPED_TRACE(descriptor);
        EXPECT_EQ(with_checksum(payload).value(), descriptor);
        if (payload.starts_with("tr(") && payload.find(',') != std::string::npos)
            expect_refused(Descriptor::parse(descriptor, main_net()), errc::bad_descriptor,
                           {"script tree", "tr(KEY)", "at character"});
        else if (item.at("combo").as_bool())
            expect_combo_forms(descriptor, item);
        else if (payload == "raw(deadbeef)")
            expect_refused(Descriptor::parse(descriptor, main_net()), errc::bad_descriptor,
                           {"raw()", "pushes nothing"});
        else if (holds_private_key(payload))
            expect_public_form(descriptor, item);
        else
            expect_scripts(parse(descriptor), item);
    }
}

TEST(Descriptor, WritesHardenedStepsWithHAndHexInLowerCase) {
    EXPECT_EQ(parse("pkh([DEADBEEF/1/2'/3/4h]" + key_a + ")").text(),
              "pkh([deadbeef/1/2h/3/4h]" + key_a + ")#v6qyyr0g");
    EXPECT_EQ(parse("pkh([deadbeef/01/2'/3/4']" + key_a + ")"),
              parse("pkh([deadbeef/1/2h/3/4h]" + key_a + ")"));
    EXPECT_TRUE(parse("addr(BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4)")
                    .text()
                    .starts_with("addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)#"));
    EXPECT_TRUE(parse("raw(0014751E76E8199196D454941C45D1B3A323F1433BD6)")
                    .text()
                    .starts_with("raw(0014751e76e8199196d454941c45d1b3a323f1433bd6)#"));
}

TEST(Descriptor, ReadsItsOwnText) {
    const std::string path = "[01234567/48h/0h]" + xpub + "/<0;1;7>/*";
    for (const auto& body :
         {"pk(" + path + ")", "pkh(" + path + ")", "wpkh(" + path + ")", "sh(wpkh(" + path + "))",
          "tr(" + path + ")", "multi(1," + path + "," + key_a + ")",
          "sh(sortedmulti(2," + path + "," + other_xpub + "/<2;3;4>/5/*))",
          "wsh(multi(2," + path + "," + path + "))",
          "sh(wsh(sortedmulti(1," + path + "," + other_xpub + "/1)))", "sh(pk(" + path + "))",
          "wsh(pkh(" + path + "))", "sh(wsh(pk(" + path + ")))"}) {
        const auto descriptor = parse(body);
        EXPECT_EQ(descriptor.text(), with_checksum(body).value());
        EXPECT_EQ(descriptor.branches(), 3U);
        EXPECT_TRUE(descriptor.ranged());
        const auto again = parse(descriptor.text());
        EXPECT_EQ(again, descriptor);
        std::set<Bytes> scripts;
        for (std::uint32_t branch = 0; branch < 3; ++branch)
            for (const std::uint32_t index : {0U, 1U, 1000U, hardened - 1}) {
                const auto script = descriptor.script_pubkey(branch, index).value();
                EXPECT_EQ(again.script_pubkey(branch, index).value(), script);
                EXPECT_TRUE(scripts.insert(script).second) << body;
            }
    }
}

TEST(Descriptor, SplitsIntoOneDescriptorForEachBranch) { // BIP-389
    const auto both = parse("wpkh(" + xpub + "/3/<0;5>/*)");
    const auto first = parse("wpkh(" + xpub + "/3/0/*)");
    const auto second = parse("wpkh(" + xpub + "/3/5/*)");
    const auto before = parse("wsh(multi(1," + xpub + "/<1;2>/9/*," + other_xpub + "/4/*))");
    const auto before_second = parse("wsh(multi(1," + xpub + "/2/9/*," + other_xpub + "/4/*))");
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(both.script_pubkey(0, i).value(), first.script_pubkey(0, i).value());
        EXPECT_EQ(both.script_pubkey(1, i).value(), second.script_pubkey(0, i).value());
        EXPECT_EQ(before.script_pubkey(1, i).value(), before_second.script_pubkey(0, i).value());
    }
}

TEST(Descriptor, SortsKeysAtEachIndex) { // BIP-67
    const auto one = parse("wsh(sortedmulti(2," + xpub + "/*," + other_xpub + "/*))");
    const auto two = parse("wsh(sortedmulti(2," + other_xpub + "/*," + xpub + "/*))");
    const auto unsorted = parse("wsh(multi(2," + xpub + "/*," + other_xpub + "/*))");
    int same = 0;
    for (std::uint32_t i = 0; i < 50; ++i) {
        EXPECT_EQ(one.script_pubkey(0, i).value(), two.script_pubkey(0, i).value());
        same += one.script_pubkey(0, i).value() == unsorted.script_pubkey(0, i).value();
    }
    EXPECT_GT(same, 5);
    EXPECT_LT(same, 45);
}

TEST(Descriptor, HasOneScriptWhenNotRanged) {
    const auto descriptor = parse("wpkh([01234567]" + xpub + "/0/7)");
    EXPECT_FALSE(descriptor.ranged());
    EXPECT_EQ(descriptor.branches(), 1U);
    EXPECT_TRUE(descriptor.script_pubkey(0, 0).has_value());
    expect_refused(descriptor.script_pubkey(0, 1), errc::bad_argument, {"index 1", "wpkh("});
    expect_refused(descriptor.script_pubkey(1, 0), errc::bad_argument, {"branch 1"});
    expect_refused(parse("wpkh(" + xpub + "/*)").script_pubkey(0, hardened), errc::bad_argument,
                   {"index 2147483648"});
}

TEST(Descriptor, GivesFiltersExactlyWhatItsScriptPushes) { // pitfalls A8
    const auto elements = [](const std::string& body) {
        return chain::filter_elements(parse(body).script_pubkey(0, 0).value());
    };
    const auto a = hex(key_a);
    const auto b = hex(key_b);
    const auto hash_a = chain::hash160(a);
    const Bytes hash(hash_a.begin(), hash_a.end());
    const std::vector<Bytes> program{hash};
    EXPECT_EQ(elements("pkh(" + key_a + ")"), program);
    EXPECT_EQ(elements("wpkh(" + key_a + ")"), program);
    EXPECT_EQ(elements("pk(" + key_a + ")"), std::vector<Bytes>{a});
    EXPECT_EQ(elements("multi(1," + key_a + "," + key_b + ")"), (std::vector<Bytes>{a, b}));
    const auto redeem = chain::hash160(chain::witness_script(0, hash));
    EXPECT_EQ(elements("sh(wpkh(" + key_a + "))"),
              (std::vector<Bytes>{Bytes(redeem.begin(), redeem.end())}));
    const auto witness = chain::sha256(chain::multisig_script(1, {a, b}));
    EXPECT_EQ(elements("wsh(multi(1," + key_a + "," + key_b + "))"),
              (std::vector<Bytes>{Bytes(witness.begin(), witness.end())}));
    EXPECT_EQ(elements("addr(1FsSia9rv4NeEwvJ2GvXrX7LyxYspbN2mo)"),
              (std::vector<Bytes>{hex("a31c06bd463e3923bc1aadbde48b16976c080717")}));
    const auto taproot = elements("tr(" + key_a.substr(2) + ")");
    ASSERT_EQ(taproot.size(), 1U);
    EXPECT_EQ(to_hex(taproot[0]),
              "77aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11");
    EXPECT_NE(to_hex(taproot[0]), key_a.substr(2)) << "the internal key is never on the chain";
}

TEST(Descriptor, TweaksTaprootKeysAsBip341Does) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip341_wallet.json");
    int without_tree = 0;
    for (const auto& item : file.at("scriptPubKey").as_array()) {
        if (!item.at("given").at("scriptTree").is_null()) continue;
        ++without_tree;
        const auto descriptor = parse("tr(" + text(item.at("given"), "internalPubkey") + ")");
        const auto script = descriptor.script_pubkey(0, 0).value();
        EXPECT_EQ(script, hex(item.at("expected"), "scriptPubKey"));
        EXPECT_EQ(encode_address(script, main_net()), text(item.at("expected"), "bip350Address"));
    }
    EXPECT_GT(without_tree, 0);
    // The form with 02 or 03 in front names the same key.
    EXPECT_EQ(parse("tr(" + key_a + ")").script_pubkey(0, 0).value(),
              parse("tr(" + key_a.substr(2) + ")").script_pubkey(0, 0).value());
}

TEST(Descriptor, DerivesTenThousandScriptsQuickly) {
    for (const auto* form : {"wpkh(", "tr("}) {
        const auto descriptor = parse(form + xpub + "/<0;1>/*)");
        const auto start = std::clock(); // of CPU, since the machine may be busy
        for (std::uint32_t i = 0; i < 5'000; ++i)
            for (std::uint32_t branch = 0; branch < 2; ++branch)
                ASSERT_TRUE(descriptor.script_pubkey(branch, i).has_value());
        const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        RecordProperty("seconds", std::to_string(spent));
        EXPECT_LT(spent, 5.0) << form; // 0.3 and 0.6 s; sanitizers take several times that
    }
}

} // namespace
} // namespace headlight::wallet
