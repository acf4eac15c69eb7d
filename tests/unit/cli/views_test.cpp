// The commands that show what a wallet knows: shapes, figures and honesty.
#include "tests/unit/cli/program.hpp"

#include "wallet/address.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::tests {
namespace {

class Views : public Program {
  protected:
    void expect_members(const boost::json::value& value, const std::vector<std::string>& names) {
        for (const auto& name : names)
            EXPECT_TRUE(value.as_object().contains(name)) << name;
    }
    void pay_twice() {
        ASSERT_EQ(run({"create", "--mnemonic-file", "-"}, known_mnemonic).code, 0);
        first_ = pay(script(0, 0), 150'000'000);
        second_ = pay(script(0, 4), 25);
    }
    chain::Hash256 first_;
    chain::Hash256 second_;
};

// pitfalls F3: whole satoshis, in parts that add up.
TEST_F(Views, BalanceHasItsParts) {
    pay_twice();
    const auto balance = run({"balance", "--json"}).json();
    EXPECT_EQ(balance.at("confirmed").as_int64(), 150'000'025);
    EXPECT_EQ(balance.at("unconfirmed").as_int64(), 0);
    EXPECT_EQ(balance.at("immature").as_int64(), 0);
    EXPECT_EQ(balance.at("total").as_int64(), 150'000'025);
    EXPECT_EQ(balance.at("height").as_int64(), 2);
    EXPECT_EQ(balance.at("tip").as_int64(), 2);
    EXPECT_NE(run({"balance"}).out.find("1.50000025 BTC"), std::string::npos);
}

TEST_F(Views, PendingPaymentsAreUnconfirmed) {
    pay_twice();
    chain::Transaction tx;
    tx.inputs.push_back({.prevout = {first_, 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({100'000'000, script(1, 0)});
    tx.outputs.push_back({49'000'000, Bytes{0x51}});
    {
        auto opened =
            client::open_wallet(paths(), wallet::store::WalletDb::Mode::read_write).value();
        opened.wallet->ledger().record(tx, chain::txid(tx), now_);
        ASSERT_TRUE(opened.save());
    }
    const auto balance = run({"balance", "--json"}).json();
    EXPECT_EQ(balance.at("confirmed").as_int64(), 25);
    EXPECT_EQ(balance.at("unconfirmed").as_int64(), 100'000'000);
    EXPECT_EQ(balance.at("total").as_int64(), 100'000'025);
    const auto history = run({"history", "--json"}).json().as_array();
    ASSERT_EQ(history.size(), 3U);
    EXPECT_TRUE(history[2].at("height").is_null());
    EXPECT_TRUE(history[2].at("block").is_null());
    EXPECT_EQ(history[2].at("status").as_string(), "pending");
    EXPECT_EQ(history[2].at("amount").as_int64(), -50'000'000);
    EXPECT_EQ(history[2].at("fee").as_int64(), 1'000'000);
    const auto coins = run({"utxos", "--json"}).json().as_array();
    ASSERT_EQ(coins.size(), 3U);
    EXPECT_EQ(coins[0].at("spent_by").as_string(), chain::txid(tx).to_string());
    EXPECT_TRUE(coins[1].at("spent_by").is_null());

    const auto abandoned = run({"abandon", chain::txid(tx).to_string(), "--json"});
    EXPECT_EQ(abandoned.json().at("abandoned").as_array().size(), 1U);
    EXPECT_EQ(run({"balance", "--json"}).json().at("confirmed").as_int64(), 150'000'025);
    EXPECT_EQ(run({"history", "--json"}).json().as_array()[2].at("status").as_string(),
              "abandoned");
}

TEST_F(Views, HistoryIsOldestFirstWithEveryMember) {
    pay_twice();
    const auto history = run({"history", "--json"}).json().as_array();
    ASSERT_EQ(history.size(), 2U);
    expect_members(history[0], {"txid", "height", "block", "time", "amount", "fee", "status"});
    EXPECT_EQ(history[0].at("txid").as_string(), first_.to_string());
    EXPECT_EQ(history[0].at("height").as_int64(), 1);
    EXPECT_EQ(history[0].at("amount").as_int64(), 150'000'000);
    EXPECT_TRUE(history[0].at("fee").is_null());
    EXPECT_EQ(history[0].at("status").as_string(), "confirmed");
    EXPECT_EQ(history[1].at("txid").as_string(), second_.to_string());
    EXPECT_NE(run({"history"}).out.find(second_.to_string()), std::string::npos);
}

TEST_F(Views, UtxosHaveEveryMember) {
    pay_twice();
    const auto coins = run({"utxos", "--json"}).json().as_array();
    ASSERT_EQ(coins.size(), 2U);
    expect_members(coins[0], {"txid", "vout", "amount", "address", "script", "height",
                              "confirmations", "coinbase", "spent_by"});
    EXPECT_EQ(coins[0].at("confirmations").as_int64(), 2);
    EXPECT_EQ(coins[0].at("script").as_string(), to_hex(script(0, 0)));
    EXPECT_EQ(coins[0].at("address").as_string(),
              *wallet::encode_address(script(0, 0), *paths().network));
    EXPECT_FALSE(coins[0].at("coinbase").as_bool());
    EXPECT_TRUE(coins[0].at("spent_by").is_null());
}

// pitfalls F1: two figures, and "synced" only when both stand at the tip.
TEST_F(Views, StatusTellsHeadersAndScanApart) {
    pay_twice();
    const auto synced = run({"status", "--json"}).json();
    expect_members(synced,
                   {"network", "headers", "scanned", "tip", "tip_time", "synced", "birthday",
                    "scripts", "highest_used", "gap", "filter", "transactions"});
    expect_members(synced.at("filter"), {"bytes", "functions", "tweak", "fp_rate"});
    EXPECT_EQ(synced.at("network").as_string(), "regtest");
    EXPECT_EQ(synced.at("headers").as_int64(), 2);
    EXPECT_EQ(synced.at("scanned").as_int64(), 2);
    EXPECT_TRUE(synced.at("synced").as_bool());
    EXPECT_EQ(synced.at("highest_used").as_int64(), 4);
    EXPECT_EQ(synced.at("gap").as_int64(), 20);
    EXPECT_EQ(synced.at("transactions").as_int64(), 2);
    EXPECT_GT(synced.at("filter").at("bytes").to_number<int>(), 8);
    EXPECT_TRUE(run({"status"}).out.ends_with(", or name a second one.\n"));
    EXPECT_EQ(run({"status", "--json"}).out.find("E-"), std::string::npos) << "decimal fractions";

    mine({chain::Transaction{}}); // a block that nobody has scanned
    const auto behind = run({"status", "--json"}).json();
    EXPECT_EQ(behind.at("headers").as_int64(), 3);
    EXPECT_EQ(behind.at("scanned").as_int64(), 2);
    EXPECT_FALSE(behind.at("synced").as_bool());
    EXPECT_NE(run({"status"}).out.find("not synced"), std::string::npos);
}

// pitfalls C9: an old tip is not called synced, but on regtest blocks have no pace.
TEST_F(Views, StatusDistrustsAnOldTipWhereBlocksHaveAPace) {
    pay_twice();
    now_ += 400 * 86'400;
    EXPECT_TRUE(run({"status", "--json"}).json().at("synced").as_bool());

    network_ = "main";
    ASSERT_EQ(run({"create"}).code, 0);
    std::filesystem::create_directories(paths().headers().parent_path());
    {
        using wallet::store::HeaderFile;
        auto opened =
            HeaderFile::open(paths().headers(), *paths().network, HeaderFile::Mode::read_write);
        const chain::HeaderTree tree(*paths().network, *opened.value().file);
        ASSERT_TRUE(opened.value().file->apply(tree.unsaved()));
        auto wallet =
            client::open_wallet(paths(), wallet::store::WalletDb::Mode::read_write).value();
        wallet.wallet->set_scan({0, paths().network->genesis_hash});
        wallet.wallet->clear_rescan();
        ASSERT_TRUE(wallet.save());
    }
    const auto old = run({"status", "--json"}).json();
    EXPECT_EQ(old.at("headers").as_int64(), 0);
    EXPECT_EQ(old.at("scanned").as_int64(), 0);
    EXPECT_FALSE(old.at("synced").as_bool());
    EXPECT_NE(run({"status"}).err.find("warning"), std::string::npos);
    now_ = paths().network->genesis.time + 3'600;
    EXPECT_TRUE(run({"status", "--json"}).json().at("synced").as_bool());
}

// The figures before the first sync are those of the filter that it will send.
TEST_F(Views, StatusPlansTheFilterAsTheEngineDoes) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto status = run({"status", "--json"}).json();
    EXPECT_EQ(status.at("filter").at("bytes").as_int64(), 1'977); // of the class of 1,000
    EXPECT_EQ(status.at("filter").at("functions").as_int64(), 10);
    const auto text = run({"status"}).out;
    EXPECT_NE(text.find("nothing yet; the next sync scans from block 0"), std::string::npos);
    EXPECT_EQ(text.find("With one peer scanning"), std::string::npos);
    pay(script(0, 0), 1);
    ASSERT_EQ(run({"rescan", "--from", "0"}).code, 0);
    EXPECT_NE(run({"status"}).out.find("the next sync scans again from block 0"),
              std::string::npos);
}

TEST_F(Views, BalanceSaysWhenItsHeadersAreGone) {
    pay_twice();
    EXPECT_EQ(run({"balance"}).err, "");
    ASSERT_EQ(run({"reset-chain"}).code, 0);
    const auto none = run({"balance"});
    EXPECT_EQ(none.code, 0);
    EXPECT_NE(none.err.find("header is not stored any more"), std::string::npos) << none.err;
    mine({chain::Transaction{}});
    EXPECT_NE(run({"balance"}).err.find("the stored headers end at 1"), std::string::npos);
}

// pitfalls D7: headers being there says nothing about the scan of another wallet.
TEST_F(Views, ASecondWalletBesideTheHeadersIsNotScanned) {
    pay_twice();
    ASSERT_EQ(run({"create", "--wallet", "second"}).code, 0);
    const auto status = run({"status", "--json", "--wallet", "second"}).json();
    EXPECT_EQ(status.at("headers").as_int64(), 2);
    EXPECT_EQ(status.at("scanned").as_int64(), -1);
    EXPECT_FALSE(status.at("synced").as_bool());
    EXPECT_NE(run({"balance", "--wallet", "second"}).err.find("Nothing is scanned yet"),
              std::string::npos);
    const auto wallets = run({"wallets", "--json"}).json().as_array();
    ASSERT_EQ(wallets.size(), 2U);
    EXPECT_EQ(wallets[0].at("name").as_string(), "default");
    EXPECT_EQ(wallets[0].at("scanned").as_int64(), 2);
    EXPECT_EQ(wallets[0].at("total").as_int64(), 150'000'025);
    EXPECT_EQ(wallets[1].at("scanned").as_int64(), -1);
}

TEST_F(Views, ADamagedWalletDoesNotHideTheOthers) {
    pay_twice();
    std::filesystem::copy_file(file("noise", std::string(5'000, 'x')), paths("bad").wallet_file());
    const auto wallets = run({"wallets", "--json"});
    EXPECT_EQ(wallets.code, 0);
    EXPECT_EQ(wallets.json().as_array().at(0).at("error").at("code").as_string(), "damaged");
    EXPECT_EQ(wallets.json().as_array().at(1).at("name").as_string(), "default");
}

TEST_F(Views, AddressIsTheNextUnusedOne) {
    pay_twice();
    const auto next = run({"address", "--json"}).json();
    EXPECT_EQ(next.at("index").as_int64(), 5);
    EXPECT_EQ(next.at("address").as_string(),
              *wallet::encode_address(script(0, 5), *paths().network));
    const auto list = run({"address", "--list", "--json"}).json().as_array();
    EXPECT_EQ(list.size(), 45U); // receive: 0..24, change: 0..19
    EXPECT_TRUE(list[0].at("used").as_bool());
    EXPECT_EQ(list[0].at("received").as_int64(), 150'000'000);
    EXPECT_FALSE(list[1].at("used").as_bool());
    EXPECT_TRUE(list[4].at("used").as_bool());
    const auto table = run({"address", "--list"}).out;
    EXPECT_NE(table.find("1.50000000 BTC"), std::string::npos);
    EXPECT_EQ(table.find("0.00000000 BTC"), std::string::npos) << "unused ones have a dash";
    const auto drawn = run({"address", "--qr"}).out;
    EXPECT_NE(drawn.find("\u2588"), std::string::npos);
    EXPECT_NE(drawn.find(std::string(next.at("address").as_string())), std::string::npos);
}

TEST_F(Views, AddressSaysWhenThereIsNone) {
    ASSERT_EQ(run({"watch", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"}).code, 0);
    const auto ran = run({"address", "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "not-found");
    EXPECT_EQ(run({"address", "--list", "--json"}).json().as_array().size(), 1U);
}

TEST_F(Views, DescriptorsCanBeWatchedByAnotherWallet) {
    pay_twice();
    const auto described = run({"descriptors", "--json"}).json().as_array();
    ASSERT_EQ(described.size(), 1U);
    EXPECT_EQ(described[0].at("branches").as_array().at(0).at("highest_used").as_int64(), 4);
    EXPECT_TRUE(described[0].at("branches").as_array().at(1).at("highest_used").is_null());
    const std::string text(described[0].at("descriptor").as_string());
    ASSERT_EQ(run({"watch", text, "--wallet", "copy"}).code, 0);
    EXPECT_EQ(run({"address", "--wallet", "copy"}).out.substr(0, 5), "bcrt1");
}

TEST_F(Views, RescanGoesBackAndKeepsWhatIsKnown) {
    pay_twice();
    const auto ran = run({"rescan", "--from", "1", "--json"});
    EXPECT_EQ(ran.json().at("from").as_int64(), 1);
    const auto status = run({"status", "--json"}).json();
    EXPECT_FALSE(status.at("synced").as_bool());
    EXPECT_EQ(status.at("rescan").as_int64(), 1);
    EXPECT_EQ(status.at("transactions").as_int64(), 2);
    EXPECT_EQ(run({"rescan"}).code, 2);
    EXPECT_EQ(run({"rescan", "--from", "x"}).code, 2);
}

TEST_F(Views, ResetChainRemovesHeadersAndKeepsWallets) {
    pay_twice();
    const auto before = run({"balance", "--json"}).json();
    {
        auto held = wallet::store::HeaderFile::open(paths().headers(), *paths().network,
                                                    wallet::store::HeaderFile::Mode::read_write);
        const auto refused = run({"reset-chain", "--json"});
        EXPECT_EQ(refused.code, 1);
        EXPECT_EQ(refused.error().at("code").as_string(), "in-use");
    }
    const auto ran = run({"reset-chain", "--json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(ran.json().at("removed").as_bool());
    EXPECT_FALSE(std::filesystem::exists(paths().headers()));
    EXPECT_EQ(run({"status", "--json"}).json().at("headers").as_int64(), -1);
    EXPECT_EQ(run({"balance", "--json"}).json().at("total"), before.at("total"));
    EXPECT_FALSE(run({"reset-chain", "--json"}).json().at("removed").as_bool());
}

TEST_F(Views, AbandonRefusesWhatIsConfirmedOrUnknown) {
    pay_twice();
    EXPECT_EQ(run({"abandon", first_.to_string()}).code, 1);
    const auto unknown = run({"abandon", std::string(64, 'a'), "--json"});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_EQ(unknown.error().at("code").as_string(), "not-found");
    EXPECT_EQ(run({"abandon", "abc"}).code, 2);
}

} // namespace
} // namespace headlight::tests
