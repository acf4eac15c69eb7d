// `label`, `watch --label`, `history --csv`, `export` and `unwatch`.
#include "tests/unit/cli/program.hpp"

#include "cli/csv.hpp"
#include "wallet/address.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::tests {
namespace {

class Labels : public Program {
  protected:
    std::string address(std::uint32_t index) const {
        return *wallet::encode_address(script(0, index), *paths().network);
    }
    void create() { ASSERT_EQ(run({"create", "--mnemonic-file", "-"}, known_mnemonic).code, 0); }
    boost::json::value entry() { return run({"history", "--json"}).json().as_array().at(0); }
};

const std::string stranger = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

TEST_F(Labels, ALabelIsSetShownAndRemoved) {
    create();
    EXPECT_EQ(run({"label", address(0), "--json"}).json().at("label"), nullptr);
    EXPECT_EQ(run({"label", address(0)}).out, address(0) + " has no label.\n");
    EXPECT_EQ(run({"label", address(0), "rent, \"May\""}).out, "rent, \"May\"\n");
    EXPECT_EQ(run({"label", address(0), "--json"}).json().at("label").as_string(), "rent, \"May\"");
    auto upper = address(0); // BIP-173: the same address
    for (auto& c : upper)
        c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(run({"label", upper}).out, "rent, \"May\"\n");
    EXPECT_EQ(run({"label", address(0), "--remove"}).code, 0);
    EXPECT_EQ(run({"label", address(0), "--json"}).json().at("label"), nullptr);
}

TEST_F(Labels, WhatIsNoLabelOrNoItemIsRefused) {
    create();
    for (const std::string& text :
         {std::string(""), std::string("  "), std::string("two\nlines"), std::string("bad \xff"),
          std::string("\xed\xa0\x80"), std::string("\xc0\x80"), std::string(256, 'x')}) {
        const auto ran = run({"label", address(0), text, "--json"});
        EXPECT_EQ(ran.code, 1) << text;
        EXPECT_EQ(ran.error().at("code").as_string(), "bad-argument") << text;
    }
    EXPECT_EQ(run({"label", address(0), std::string(255, 'x')}).code, 0);
    EXPECT_EQ(run({"label", address(0), "größe ₿ 🙂"}).code, 0);
    EXPECT_EQ(run({"label", "nonsense", "x", "--json"}).error().at("code").as_string(),
              "bad-address");
    EXPECT_EQ(run({"label", address(0), "x", "--remove"}).code, 2);
    EXPECT_EQ(run({"label", address(0), "x", "--wallet", "none", "--json"}).error().at("code"),
              "wallet-missing");
}

TEST_F(Labels, ShowInHistoryCoinsAndAddresses) {
    create();
    const auto txid = pay(script(0, 0), 150'000'000);
    EXPECT_EQ(entry().at("label"), nullptr);
    EXPECT_EQ(run({"history"}).out.find("LABEL"), std::string::npos);
    ASSERT_EQ(run({"label", address(0), "rent"}).code, 0);
    EXPECT_EQ(entry().at("label").as_string(), "rent");
    EXPECT_NE(run({"history"}).out.find("LABEL"), std::string::npos);
    EXPECT_EQ(run({"utxos", "--json"}).json().as_array().at(0).at("label").as_string(), "rent");
    EXPECT_NE(run({"utxos"}).out.find("rent"), std::string::npos);
    const auto list = run({"address", "--list", "--json"}).json().as_array();
    EXPECT_EQ(list.at(0).at("label").as_string(), "rent");
    EXPECT_EQ(list.at(1).at("label"), nullptr);
    EXPECT_NE(run({"address", "--list"}).out.find("rent"), std::string::npos);

    ASSERT_EQ(run({"label", txid.to_string(), "the flat in May"}).code, 0); // its own goes first
    EXPECT_EQ(entry().at("label").as_string(), "the flat in May");
    EXPECT_EQ(run({"utxos", "--json"}).json().as_array().at(0).at("label").as_string(), "rent");
}

TEST_F(Labels, WatchNamesWhatItAdds) {
    ASSERT_EQ(run({"watch", stranger, "--label", "shop"}).code, 0);
    EXPECT_EQ(run({"label", stranger}).out, "shop\n");
    EXPECT_EQ(run({"list", "--json"}).json().as_array().at(0).at("label").as_string(), "shop");
    pay(script(0, 0), 5'000);
    EXPECT_EQ(entry().at("label").as_string(), "shop");
    // A descriptor's label is that of all its scripts, unless an address has its own.
    const auto key = "wpkh([00c0e74a/84h/1h/0h]"
                     "tpubDCmd9vU1Yu9591SVpgG5v33h2pYatWLKpEL4uhQd8aEycYVihkEmGEPojbkJ1cWwG85R3mqz"
                     "LCDGmH41YHbvQFg6pBDEEZ9gnTzT4G1yhp8/<0;1>/*)";
    ASSERT_EQ(run({"watch", key, "--label", "safe", "--wallet", "two"}).code, 0);
    const auto first = run({"address", "--wallet", "two"}).out;
    const auto own = first.substr(0, first.size() - 1);
    ASSERT_EQ(run({"label", own, "mine", "--wallet", "two"}).code, 0);
    const auto all = run({"address", "--list", "--json", "--wallet", "two"}).json().as_array();
    EXPECT_EQ(all.at(0).at("label").as_string(), "mine");
    EXPECT_EQ(all.at(1).at("label").as_string(), "safe");
    EXPECT_EQ(run({"watch", stranger, "--label", "two\nlines", "--wallet", "none"}).code, 1);
    EXPECT_FALSE(std::filesystem::exists(paths("none").wallet_file()));
}

TEST(Csv, QuotesWhatRfc4180Says) {
    EXPECT_EQ(cli::csv_line({"a", "", "b c"}), "a,,b c\r\n");
    EXPECT_EQ(cli::csv_line({"a,b", "say \"x\"", "two\nlines"}),
              "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n");
}

TEST_F(Labels, HistoryAsCsv) {
    create();
    const auto txid = pay(script(0, 0), 150'000'000);
    ASSERT_EQ(run({"label", txid.to_string(), "rent, May"}).code, 0);
    EXPECT_EQ(run({"history", "--csv"}).out,
              "time,height,amount_satoshis,amount_btc,fee_satoshis,txid,status,label\r\n"
              "2024-05-01T12:00:00Z,1,150000000,1.50000000,," +
                  txid.to_string() + ",confirmed,\"rent, May\"\r\n");
    EXPECT_EQ(run({"history", "--csv", "--json"}).code, 2);
}

TEST_F(Labels, CsvOfAnEmptyHistoryIsItsHeading) {
    create();
    EXPECT_EQ(run({"history", "--csv"}).out,
              "time,height,amount_satoshis,amount_btc,fee_satoshis,txid,status,label\r\n");
}

TEST_F(Labels, ExportHoldsEverythingAndItsProofsVerify) {
    create();
    const auto txid = pay(script(0, 0), 150'000'000);
    ASSERT_EQ(run({"label", txid.to_string(), "rent"}).code, 0);
    ASSERT_EQ(run({"label", stranger, "shop"}).code, 0);
    const auto all = run({"export"}).json();
    EXPECT_EQ(all, run({"export", "--json"}).json());
    EXPECT_EQ(all.at("network").as_string(), "regtest");
    EXPECT_EQ(all.at("scan").at("height").as_int64(), 1);
    EXPECT_EQ(all.at("balance").at("total").as_int64(), 150'000'000);
    EXPECT_EQ(all.at("descriptors"), run({"descriptors", "--json"}).json());
    EXPECT_EQ(all.at("labels").as_object().size(), 2U);
    EXPECT_EQ(all.at("labels").at(stranger).as_string(), "shop");
    const auto& one = all.at("transactions").as_array().at(0);
    EXPECT_EQ(one.at("txid").as_string(), txid.to_string());
    EXPECT_EQ(one.at("label").as_string(), "rent");
    const auto shown = run({"proof", txid.to_string()});
    EXPECT_EQ(one.at("proof"), shown.json());
    EXPECT_EQ(one.at("transaction"), one.at("proof").at("transaction"));
    EXPECT_EQ(run({"verify", "-"}, shown.out).code, 0);
    ASSERT_EQ(run({"reset-chain"}).code, 0); // without its header there is no proof
    EXPECT_TRUE(run({"export"}).json().at("transactions").as_array().at(0).at("proof").is_null());
}

class Unwatch : public Labels {};

TEST_F(Unwatch, RemovesAnAddressAndWhatConcernsItAlone) {
    ASSERT_EQ(run({"watch", stranger, "--label", "shop"}).code, 0);
    const auto txid = pay(script(0, 0), 5'000);
    const auto scanned = run({"status", "--json"}).json().at("scanned");
    const auto ran = run({"unwatch", stranger, "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("removed").as_int64(), 1);
    EXPECT_EQ(ran.json().at("transactions").as_int64(), 1);
    EXPECT_EQ(ran.json().at("scripts").as_int64(), 0);
    EXPECT_EQ(run({"history"}).out, "No transactions.\n");
    EXPECT_EQ(run({"list"}).out, "Nothing is watched.\n");
    EXPECT_EQ(run({"label", stranger}).out, "shop\n");
    EXPECT_EQ(run({"status", "--json"}).json().at("scanned"), scanned);
    EXPECT_EQ(run({"proof", txid.to_string()}).code, 1);
    const auto again = run({"unwatch", stranger, "--json"});
    EXPECT_EQ(again.error().at("code").as_string(), "not-found");
}

TEST_F(Unwatch, AnExtendedKeyGoesAsItCame) {
    const std::string key =
        "tpubDCmd9vU1Yu9591SVpgG5v33h2pYatWLKpEL4uhQd8aEycYVihkEmGEPojbkJ1cWwG85R"
        "3mqzLCDGmH41YHbvQFg6pBDEEZ9gnTzT4G1yhp8";
    ASSERT_EQ(run({"watch", stranger}).code, 0);
    EXPECT_EQ(run({"watch", key, "--json"}).json().at("added").as_int64(), 4);
    EXPECT_EQ(run({"unwatch", "wpkh(" + key + "/<0;1>/*)", "--json"}).json().at("removed"), 1);
    const auto left = run({"list", "--json"}).json().as_array();
    ASSERT_EQ(left.size(), 4U);
    EXPECT_EQ(left.at(3).at("id").as_int64(), 4); // 3 was removed
    EXPECT_EQ(run({"unwatch", key, "--json"}).json().at("removed").as_int64(), 3);
    EXPECT_EQ(run({"unwatch", key, "--json"}).error().at("code").as_string(), "not-found");
    EXPECT_EQ(run({"watch", key, "--json"}).json().at("added").as_int64(), 4);
    EXPECT_NE(run({"address", "--wallet", "default"}).out, "");
}

TEST_F(Unwatch, AllOrNothingFromAFile) {
    ASSERT_EQ(run({"watch", stranger}).code, 0);
    const std::string other = "bcrt1qtet4la3jepsfayg5yrc0rz0gdvvt77506cn2ay";
    const auto ran = run({"unwatch", "--file", "-", "--json"}, stranger + "\n" + other + "\n");
    EXPECT_EQ(ran.error().at("code").as_string(), "not-found");
    EXPECT_EQ(run({"list", "--json"}).json().as_array().size(), 1U);
    EXPECT_EQ(run({"unwatch", "--file", "-"}, stranger + "\n").code, 0);
    EXPECT_EQ(run({"unwatch"}).code, 2);
}

TEST_F(Unwatch, WhatTheWalletIsMadeOfStays) {
    create();
    const auto own = run({"list", "--json"}).json().as_array().at(0).at("descriptor");
    const auto ran = run({"unwatch", std::string(own.as_string()), "--json"});
    EXPECT_EQ(ran.error().at("code").as_string(), "bad-argument");
    const auto part = run({"unwatch", address(0), "--json"});
    EXPECT_EQ(part.error().at("code").as_string(), "not-found");
    EXPECT_NE(part.error().at("cause").as_string().find("it belongs to wpkh("), std::string::npos);
    EXPECT_EQ(run({"list", "--json"}).json().as_array().size(), 1U);
}

} // namespace
} // namespace headlight::tests
