// `watch`: every kind of item, all or nothing.
#include "tests/unit/cli/program.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::tests {
namespace {

class Watch : public Program {
  protected:
    // Adds one item to a wallet of its own and returns {added, known, scripts}.
    boost::json::value add(const std::string& item) {
        const auto ran = run({"watch", item, "--json", "--wallet", std::to_string(++wallets_)});
        EXPECT_EQ(ran.code, 0) << item << ": " << ran.err;
        return ran.json();
    }
    void refused(const std::string& item, std::string_view code) {
        const auto ran = run({"watch", item, "--json", "--wallet", "none"});
        EXPECT_EQ(ran.code, 1) << item;
        const auto error = ran.error();
        EXPECT_EQ(error.at("code").as_string(), code) << item << ": " << ran.err;
        // Every message names the thing, the cause and the cure.
        EXPECT_FALSE(error.at("message").as_string().empty()) << item;
        EXPECT_FALSE(error.at("cure").as_string().empty()) << item << ran.err;
        EXPECT_EQ(ran.out, "");
        EXPECT_FALSE(std::filesystem::exists(paths("none").wallet_file()));
    }
    int wallets_ = 0;
};

// BIP-84's account key of the known mnemonic, and its SLIP-132 form.
const std::string xpub = "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPsh"
                         "WcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";
const std::string zpub = "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVC"
                         "ToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
const std::string key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const std::string key2 = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";

TEST_F(Watch, TakesEveryKindOfItem) {
    network_ = "main";
    const std::vector<std::string> single{"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
                                          "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
                                          "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                                          "pk(" + key + ")",
                                          "pkh(" + key + ")",
                                          "wpkh(" + key + ")",
                                          "sh(wpkh(" + key + "))",
                                          "multi(1," + key + "," + key2 + ")",
                                          "sortedmulti(2," + key + "," + key2 + ")",
                                          "sh(multi(2," + key + "," + key2 + "))",
                                          "wsh(multi(2," + key + "," + key2 + "))",
                                          "sh(wsh(multi(2," + key + "," + key2 + ")))",
                                          "tr(" + key.substr(2) + ")",
                                          "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)",
                                          "raw(0014751e76e8199196d454941c45d1b3a323f1433bd6)"};
    for (const auto& item : single) {
        const auto got = add(item);
        EXPECT_EQ(got.at("added").as_int64(), 1) << item;
        EXPECT_EQ(got.at("known").as_int64(), 0) << item;
        EXPECT_EQ(got.at("scripts").as_int64(), 1) << item;
    }
    EXPECT_EQ(add("wpkh(" + xpub + "/0/*)").at("added").as_int64(), 1);
    EXPECT_EQ(add("wpkh(" + xpub + "/<0;1>/*)").at("added").as_int64(), 1);
    // pitfalls F4: an xpub says nothing of its scripts; a zpub is honoured
    EXPECT_EQ(add(xpub).at("added").as_int64(), 4);
    EXPECT_EQ(add(zpub).at("added").as_int64(), 1);
    EXPECT_EQ(run({"address", "--wallet", std::to_string(wallets_)}).out,
              "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu\n");
}

TEST_F(Watch, RefusesWhatItCannotWatchAndSaysWhy) {
    network_ = "main";
    refused("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "bad-checksum");
    refused("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "wrong-network");
    refused("wpkh(" + key + ")#aaaaaaaa", "bad-checksum");
    refused("nonsense(" + key + ")", "bad-descriptor");
    // pitfalls F4: no private key is accepted where a public one is asked for
    refused("KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn", "private-key");
    refused("wpkh(KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn)", "private-key");
    refused("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMR"
            "NNU3TGtRBeJgk33yuGBxrMPHi",
            "private-key");
}

TEST_F(Watch, ReadsAFileSkippingCommentsAndBlankLines) {
    network_ = "main";
    const auto list = file("list", "# cold storage\n\n  1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 \r\n"
                                   "wpkh(" +
                                       key + ")\n");
    const auto first = run({"watch", "--file", list, "--json"});
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.json().at("added").as_int64(), 2);
    const auto again =
        run({"watch", "--file", "-", "--json"}, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2");
    EXPECT_EQ(again.json().at("added").as_int64(), 0);
    EXPECT_EQ(again.json().at("known").as_int64(), 1);
    EXPECT_EQ(again.json().at("scripts").as_int64(), 2);
}

TEST_F(Watch, ChangesNothingWhenOneLineIsBad) {
    network_ = "main";
    const auto list =
        file("list", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2\n# fine\n1BvBMSEYstWetqTFn5A\n");
    const auto ran = run({"watch", "--file", list, "--json"});
    EXPECT_EQ(ran.code, 1);
    const std::string message(ran.error().at("message").as_string());
    EXPECT_NE(message.find("line 3"), std::string::npos) << message;
    EXPECT_NE(message.find("1BvBMSEYstWetqTFn5A"), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(paths().wallet_file()));
}

// pitfalls D6: what is added to a synced wallet is scanned for without deleting anything.
TEST_F(Watch, AsksForAScanOfASyncedWalletFromTheBirthday) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto txid = pay(script(0, 0), 5'000);
    ASSERT_TRUE(run({"status", "--json"}).json().at("synced").as_bool());
    const auto added = run({"watch", "wpkh(" + key + ")"});
    ASSERT_EQ(added.code, 0) << added.err;
    EXPECT_NE(added.err.find("from the first block"), std::string::npos);
    const auto status = run({"status", "--json"}).json();
    EXPECT_FALSE(status.at("synced").as_bool());
    EXPECT_EQ(status.at("rescan").as_int64(), 0);
    EXPECT_EQ(run({"history", "--json"}).json().as_array().at(0).at("txid").as_string(),
              txid.to_string());
}

TEST_F(Watch, SaysFromWhereTheScanWillGo) {
    const auto ran = run({"watch", "wpkh(" + key + ")", "--birthday", "2024-01-31"});
    EXPECT_NE(ran.err.find("2024-01-31"), std::string::npos);
    EXPECT_EQ(run({"status", "--json"}).json().at("birthday").as_string(), "2024-01-31");
}

TEST_F(Watch, RefusesABirthdayStillToCome) {
    const auto ran = run({"watch", "wpkh(" + key + ")", "--birthday", "2050-01-01", "--json"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.error().at("code").as_string(), "bad-argument");
    EXPECT_EQ(run({"watch", "wpkh(" + key + ")", "--birthday", "9000000"}).code, 0);
}

TEST_F(Watch, SaysWhatAnItemCouldHaveBeen) {
    const auto ran = run({"watch", "foo", "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "bad-address");
    EXPECT_EQ(ran.error().at("message").as_string(),
              "'foo' is neither an address, a descriptor nor an extended public key");
    for (const char* form : {"bcrt1...", "wpkh(KEY)", "extended public key"})
        EXPECT_NE(ran.error().at("cure").as_string().find(form), std::string_view::npos) << form;
}

TEST_F(Watch, RepeatsNoSecretOfALine) {
    const std::string secret = "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn";
    const auto ran = run({"watch", "--file", file("list", secret + "\n"), "--json"});
    EXPECT_EQ(ran.error().at("code").as_string(), "private-key");
    EXPECT_NE(ran.err.find("line 1"), std::string::npos);
    EXPECT_EQ(ran.err.find(secret.substr(0, 12)), std::string::npos) << ran.err;
}

TEST_F(Watch, IsAUsageErrorWithoutItems) {
    EXPECT_EQ(run({"watch"}).code, 2);
    EXPECT_EQ(run({"watch", "--file", file("empty", "# nothing\n")}).code, 1);
}

} // namespace
} // namespace headlight::tests
