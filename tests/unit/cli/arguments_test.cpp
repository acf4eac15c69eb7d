// The command line: global options on both sides of the command, refusals as text and as JSON.
#include "tests/unit/cli/program.hpp"

#include "chain/limits.hpp"
#include "cli/arguments.hpp"
#include "cli/birthday.hpp"
#include "client/version.hpp"
#include "tests/support/vectors.hpp"

#include <boost/json/object.hpp>

#include <fstream>

namespace headlight::tests {
namespace {

using Usage = Program;

TEST_F(Usage, GlobalOptionsStandBeforeAndBehindTheCommand) {
    const auto data = (folder_ / "data").string();
    EXPECT_EQ(run_raw({"create", "--datadir", data, "--network", "regtest", "--json"}).code, 0);
    EXPECT_EQ(run_raw({"--datadir", data, "--network", "regtest", "--json", "balance"}).code, 0);
    EXPECT_EQ(run_raw({"--json", "balance", "--datadir", data, "--network", "regtest"}).code, 0);
}

TEST_F(Usage, MistakesExitWith2AndNameThemselves) {
    const std::vector<std::vector<std::string>> wrong{{},
                                                      {"frobnicate"},
                                                      {"balance", "--frobnicate"},
                                                      {"balance", "more"},
                                                      {"sync", "--peer"},
                                                      {"sync", "--peer", "host:99999"},
                                                      {"sync", "--until", "soon"},
                                                      {"sync", "--timeout", "-1"},
                                                      {"sync", "--timeout", "1e3"},
                                                      {"sync", "--timeout", "nan"},
                                                      {"proof"},
                                                      {"proof", "12"},
                                                      {"verify"},
                                                      {"broadcast"},
                                                      {"--wallet", "../x", "balance"},
                                                      {"--wallet", "", "balance"}};
    for (const auto& arguments : wrong) {
        const auto text = run(arguments);
        EXPECT_EQ(text.code, 2) << text.err;
        EXPECT_EQ(text.out, "");
        EXPECT_EQ(text.err.substr(0, 11), "headlight: ");
        auto with_json = arguments;
        with_json.insert(with_json.begin(), "--json");
        const auto json = run(with_json);
        EXPECT_EQ(json.code, 2);
        EXPECT_EQ(json.out, "");
        EXPECT_EQ(json.error().at("code").as_string(), "bad-argument") << json.err;
    }
    EXPECT_EQ(run_raw({"--network", "moon", "balance"}).code, 2);
}

TEST_F(Usage, AMistakeIsNamedWithWhatWasMeant) {
    const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> mistakes{
        {{"foo"}, {"there is no command 'foo'", "knows create", "verify", "`headlight --help`"}},
        {{"blance"}, {"there is no command 'blance'", "Did you mean 'balance'?"}},
        {{"desc"}, {"Did you mean 'descriptors'?"}},
        {{"foo", "--bar"}, {"there is no command 'foo'"}},
        {{}, {"no command is given"}},
        {{"--frobnicate"}, {"there is no option '--frobnicate'"}},
        {{"balance", "--frobnicate"}, {"'--frobnicate'", "`headlight balance --help`"}},
        {{"balance", "more"}, {"'more'", "`headlight balance --help`"}},
        {{"proof"}, {"TXID", "`headlight proof --help`"}}};
    for (const auto& [arguments, parts] : mistakes) {
        const auto ran = run(arguments);
        EXPECT_EQ(ran.code, 2);
        for (const auto& part : parts)
            EXPECT_NE(ran.err.find(part), std::string::npos) << part << " is not in " << ran.err;
    }
}

TEST_F(Usage, HelpNamesTheKindOfEachValue) {
    const auto help = run_raw({"--help"}).out;
    EXPECT_NE(help.find("Usage: headlight [OPTIONS] COMMAND"), std::string::npos) << help;
    const std::vector<std::pair<std::string, std::string>> values{
        {"create", "--birthday HEIGHT|YYYY-MM-DD"},
        {"create", "--mnemonic-file FILE"},
        {"watch", "[ITEM...]"},
        {"sync", "--peer HOST[:PORT]"},
        {"sync", "--until HEIGHT|TXID"},
        {"rescan", "--from HEIGHT"},
        {"abandon", "TXID"},
        {"verify", "FILE"},
        {"broadcast", "TRANSACTION"}};
    for (const auto& [command, value] : values) {
        const auto text = run_raw({command, "--help"}).out;
        EXPECT_NE(text.find("Usage: headlight " + command), std::string::npos) << text;
        EXPECT_NE(text.find(value), std::string::npos) << text;
        EXPECT_EQ(text.find("TEXT"), std::string::npos) << text;
    }
    EXPECT_EQ(help.find("TEXT"), std::string::npos) << help;
}

TEST_F(Usage, HelpAndVersionGoToStdout) {
    const auto help = run_raw({"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    for (const char* command : {"create", "watch", "sync", "rescan", "status", "balance", "history",
                                "utxos", "descriptors", "wallets", "address", "broadcast",
                                "abandon", "reset-chain", "proof", "verify"}) {
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
        const auto one = run_raw({command, "--help"});
        EXPECT_EQ(one.code, 0);
        EXPECT_NE(one.out.find(command), std::string::npos) << one.out;
    }
    EXPECT_EQ(run_raw({"--version"}).out, "headlight " + std::string(client::version) + "\n");
}

TEST_F(Usage, TheVersionIsTheProjects) {
    std::ifstream file(source_folder() / "CMakeLists.txt");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(text.find("VERSION " + std::string(client::version) + " "), std::string::npos);
}

TEST_F(Usage, AMissingWalletNamesTheCure) {
    for (const char* command :
         {"balance", "history", "utxos", "status", "descriptors", "address", "sync"}) {
        const auto ran = run({command, "--json"});
        EXPECT_EQ(ran.code, 1);
        EXPECT_EQ(ran.error().at("code").as_string(), "wallet-missing") << command;
        EXPECT_NE(ran.error().at("cure").as_string().find("create"), std::string_view::npos);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "data"));
}

TEST_F(Usage, AWalletOfAnotherNetworkIsNamed) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto from = paths().wallet_file();
    network_ = "signet";
    std::filesystem::create_directories(paths().wallets());
    std::filesystem::copy_file(from, paths().wallet_file());
    const auto ran = run({"balance", "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "wrong-network");
    EXPECT_NE(ran.error().at("cure").as_string().find("regtest"), std::string_view::npos);
}

TEST(Arguments, SyncTakesPeersGoalsAndWaits) {
    const std::string txid(64, 'f');
    const auto one =
        parse({"sync", "--network", "signet", "--peer", "a.example", "--peer", "[::1]:5", "--until",
               "77", "--timeout", "1.5", "--mempool-wait", "0.25", "--follow"});
    ASSERT_TRUE(one) << to_string(one.error());
    const auto& sync = std::get<cli::command::Sync>(one->command);
    EXPECT_EQ(sync.peers, (std::vector<p2p::Endpoint>{{"a.example", 38333}, {"::1", 5}}));
    EXPECT_EQ(sync.until_height, 77);
    EXPECT_EQ(sync.timeout_ms, 1'500);
    EXPECT_EQ(sync.mempool_wait_ms, 250);
    EXPECT_TRUE(sync.follow);
    const auto other = parse({"sync", "--until", txid});
    ASSERT_TRUE(other);
    const auto& plain = std::get<cli::command::Sync>(other->command);
    EXPECT_EQ(plain.until_txid, chain::Hash256::from_string(txid));
    EXPECT_EQ(plain.peers, (std::vector<p2p::Endpoint>{{"127.0.0.1", 8333}}));
}

TEST(Birthdays, AreHeightsOrDaysOfTheCalendar) {
    using wallet::Birthday;
    EXPECT_EQ(cli::parse_birthday("0", test_now).value(), (Birthday{Birthday::Kind::height, 0}));
    EXPECT_EQ(cli::parse_birthday("840000", test_now).value(),
              (Birthday{Birthday::Kind::height, 840'000}));
    EXPECT_EQ(cli::parse_birthday("1970-01-01", test_now).value(),
              (Birthday{Birthday::Kind::time, 0}));
    EXPECT_EQ(cli::parse_birthday("2024-02-29", test_now).value(),
              (Birthday{Birthday::Kind::time, 1'709'164'800}));
    for (const char* text :
         {"", "-1", "+1", "1.5", "2023-02-29", "2024-00-10", "2024-04-31", "2024-4-1", "24-04-01",
          "2024-04-0x", "1969-12-31", "2024/04/01", "99999999999999999999"})
        EXPECT_FALSE(cli::parse_birthday(text, test_now)) << text;
    EXPECT_TRUE(cli::parse_birthday("2024-05-01", test_now)); // today
    const auto future = cli::parse_birthday("2024-05-02", test_now);
    ASSERT_FALSE(future);
    EXPECT_EQ(future.error().code, errc::bad_argument);
    EXPECT_NE(to_string(future.error()).find("today is 2024-05-01"), std::string::npos);
    EXPECT_TRUE(cli::parse_birthday(std::to_string(limits::max_height), test_now));
    EXPECT_FALSE(cli::parse_birthday(std::to_string(limits::max_height + 1), test_now));
}

} // namespace
} // namespace headlight::tests
