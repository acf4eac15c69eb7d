// `create`: what it derives, shows and stores, and what it refuses.
#include "tests/unit/cli/program.hpp"

#include "wallet/address.hpp"
#include "wallet/mnemonic.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;

class Create : public Program {
  protected:
    Ran restore(std::vector<std::string> more) {
        std::vector<std::string> arguments{"create", "--mnemonic-file", "-", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments, std::string(known_mnemonic) + "\n");
    }
};

std::string only_descriptor(const Ran& ran) {
    return std::string(ran.json().at("descriptors").as_array().at(0).as_string());
}

// BIP-84, "Test vectors": account 0 of this mnemonic on main.
constexpr const char* bip84_key =
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4Z"
    "eZXYVUhLv1VMrjPC7PW6V";

TEST_F(Create, RestoresTheAccountOfBip84FromItsMnemonic) {
    network_ = "main";
    const auto made = restore({});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(only_descriptor(made).starts_with("wpkh([73c5da0a/84h/0h/0h]" +
                                                  std::string(bip84_key) + "/<0;1>/*)#"));
    EXPECT_EQ(made.json().at("fingerprint").as_string(), "73c5da0a");
    EXPECT_FALSE(made.json().as_object().contains("mnemonic"));
    const auto next = run({"address", "--json"});
    EXPECT_EQ(next.json().at("address").as_string(), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    EXPECT_EQ(next.json().at("index").as_int64(), 0);
}

TEST_F(Create, DerivesTheFirstAddressOfEveryScriptKind) {
    network_ = "main";
    // BIP-44/49/84/86 for the same mnemonic.
    const std::vector<std::pair<std::string, std::string>> first{
        {"pkh", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA"},
        {"sh-wpkh", "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf"},
        {"wpkh", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"},
        {"tr", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"}};
    for (const auto& [script, address] : first) {
        ASSERT_EQ(restore({"--script", script, "--wallet", script}).code, 0);
        EXPECT_EQ(run({"address", "--wallet", script}).out, address + "\n");
    }
    const auto all = restore({"--script", "all", "--wallet", "every"});
    EXPECT_EQ(all.json().at("descriptors").as_array().size(), 4U);
}

TEST_F(Create, TakesAccountPassphraseAndGap) {
    const auto plain = restore({"--wallet", "a"});
    const auto account = restore({"--wallet", "b", "--account", "7"});
    const auto passphrase =
        restore({"--wallet", "c", "--passphrase-file", file("secret", "TREZOR\nignored\n")});
    EXPECT_NE(only_descriptor(account).find("/84h/1h/7h]"), std::string::npos);
    EXPECT_NE(plain.json().at("fingerprint"), passphrase.json().at("fingerprint"));
    // pitfalls A10: a gap given at creation is honoured
    ASSERT_EQ(restore({"--wallet", "d", "--gap", "33"}).code, 0);
    EXPECT_EQ(run({"status", "--json", "--wallet", "d"}).json().at("gap").as_int64(), 33);
    EXPECT_EQ(run({"address", "--list", "--json", "--wallet", "d"}).json().as_array().size(), 66U);
}

TEST_F(Create, ShowsANewMnemonicOnceAndStoresItNowhere) {
    for (const char* words : {"12", "15", "18", "21", "24"}) {
        const auto made = run({"create", "--json", "--words", words, "--wallet", words});
        ASSERT_EQ(made.code, 0) << made.err;
        const std::string mnemonic(made.json().at("mnemonic").as_string());
        EXPECT_EQ(std::count(mnemonic.begin(), mnemonic.end(), ' ') + 1, std::stoi(words));
        EXPECT_TRUE(wallet::entropy_from_mnemonic(mnemonic));
        for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
            if (!entry.is_regular_file()) continue;
            std::ifstream stored(entry.path(), std::ios::binary);
            const std::string content(std::istreambuf_iterator<char>(stored), {});
            EXPECT_EQ(content.find(mnemonic), std::string::npos);
            EXPECT_EQ(content.find("prv"), std::string::npos);
        }
    }
    const auto shown = run({"create", "--wallet", "people"});
    EXPECT_NE(shown.out.find("Mnemonic: "), std::string::npos);
    EXPECT_NE(shown.out.find("Write these words down"), std::string::npos);
}

TEST_F(Create, MakesAFileThatItsOwnerAloneCanRead) {
    ASSERT_EQ(run({"create"}).code, 0);
    for (const auto& entry : fs::directory_iterator(paths().wallets()))
        EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write)
            << entry.path();
    EXPECT_EQ(fs::status(paths().wallets()).permissions(), fs::perms::owner_all);
}

TEST_F(Create, RefusesToOverwriteAWallet) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto before = run({"descriptors", "--json"}).out;
    const auto again = run({"create", "--json"});
    EXPECT_EQ(again.code, 1);
    EXPECT_EQ(again.out, "");
    EXPECT_EQ(again.error().at("code").as_string(), "wallet-exists");
    EXPECT_EQ(run({"descriptors", "--json"}).out, before);
}

// pitfalls D5: a restore without a birthday scans from the start and says so.
TEST_F(Create, ChoosesTheBirthday) {
    network_ = "main";
    EXPECT_EQ(run({"create", "--json", "--wallet", "new"}).json().at("birthday").as_string(),
              "2024-05-01");
    EXPECT_EQ(restore({"--wallet", "old"}).json().at("birthday").as_int64(), 0);
    const auto said = run({"create", "--mnemonic-file", "-", "--wallet", "older"}, known_mnemonic);
    EXPECT_NE(said.err.find("from the first block"), std::string::npos);
    EXPECT_EQ(
        restore({"--wallet", "given", "--birthday", "800000"}).json().at("birthday").as_int64(),
        800'000);
    EXPECT_EQ(
        restore({"--wallet", "day", "--birthday", "2020-02-29"}).json().at("birthday").as_string(),
        "2020-02-29");
    network_ = "regtest"; // its blocks have no pace
    EXPECT_EQ(run({"create", "--json"}).json().at("birthday").as_int64(), 0);
}

TEST_F(Create, NamesABadWordAndItsPosition) {
    std::string mnemonic = known_mnemonic;
    mnemonic.replace(mnemonic.find("about"), 5, "abuot");
    const auto ran = run({"create", "--mnemonic-file", "-", "--json"}, mnemonic);
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "bad-mnemonic");
    const std::string message(ran.err);
    EXPECT_NE(message.find("abuot"), std::string::npos);
    EXPECT_NE(message.find("12"), std::string::npos);
    EXPECT_FALSE(fs::exists(paths().wallet_file()));
}

TEST_F(Create, RefusesAFalseMnemonicChecksum) {
    std::string mnemonic = known_mnemonic;
    mnemonic.replace(mnemonic.find("about"), 5, "abandon");
    const auto ran = run({"create", "--mnemonic-file", file("words", mnemonic), "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "bad-checksum");
}

TEST_F(Create, TellsWhichFileItCannotRead) {
    const auto ran = run({"create", "--mnemonic-file", (folder_ / "none").string(), "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "io");
    EXPECT_NE(ran.err.find("none"), std::string::npos);
}

TEST_F(Create, NamesTheWayOutOfAFolderThatCannotBeWritten) {
    const auto in_a_file = file("plain", "no folder") + "/data";
    const auto ran = run_raw({"--datadir", in_a_file, "create", "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "io");
    EXPECT_EQ(ran.error().at("cause").as_string(), "Not a directory");
    EXPECT_EQ(ran.error().at("cure").as_string(),
              "Choose another folder with --datadir, or make it writable");
}

TEST_F(Create, IsAUsageErrorWithValuesOutOfRange) {
    const std::vector<std::vector<std::string>> wrong{
        {"--words", "13"},
        {"--words", "x"},
        {"--script", "p2sh"},
        {"--gap", "0"},
        {"--gap", "10001"},
        {"--account", "-1"},
        {"--account", "2147483648"},
        {"--birthday", "yesterday"},
        {"--birthday", "2023-02-29"},
        {"--birthday", "2023-13-01"},
        {"--birthday", "-1"},
        {"--birthday", "2050-01-01"},
        {"--words", "12", "--mnemonic-file", "-"},
        {"--mnemonic-file", "-", "--passphrase-file", "-"}};
    for (auto arguments : wrong) {
        arguments.insert(arguments.begin(), {"create", "--json"});
        const auto ran = run(arguments, known_mnemonic);
        EXPECT_EQ(ran.code, 2) << arguments[2] << " " << arguments[3];
        EXPECT_EQ(ran.error().at("code").as_string(), "bad-argument");
        EXPECT_EQ(ran.out, "");
    }
    EXPECT_FALSE(fs::exists(paths().wallet_file()));
}

} // namespace
} // namespace headlight::tests
