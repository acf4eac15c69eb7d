// Where files go, and what may name them.
#include "client/paths.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace headlight::tests {
namespace {

// Sets a variable for one test; null removes it.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Variable() { set(old_ ? old_->c_str() : nullptr); }

  private:
    void set(const char* value) {
        if (value)
            setenv(name_, value, 1);
        else
            unsetenv(name_);
    }
    const char* name_;
    std::optional<std::string> old_;
};

TEST(Paths, WalletsOfANetworkShareOneHeaderFile) {
    const auto& regtest = chain::network(chain::NetworkId::regtest);
    const client::Paths paths{"/data", &regtest, "savings"};
    EXPECT_EQ(paths.headers(), "/data/regtest/headers");
    EXPECT_EQ(paths.wallets(), "/data/regtest/wallets");
    EXPECT_EQ(paths.wallet_file(), "/data/regtest/wallets/savings.sqlite");
}

TEST(Paths, TheDataFolderFollowsXdg) {
    const Variable home("HOME", "/home/me");
    {
        const Variable xdg("XDG_DATA_HOME", "/xdg");
        EXPECT_EQ(client::default_datadir().value(), "/xdg/headlight");
    }
    {
        const Variable relative("XDG_DATA_HOME", "relative/is/ignored");
        EXPECT_EQ(client::default_datadir().value(), "/home/me/.local/share/headlight");
    }
    const Variable none("XDG_DATA_HOME", nullptr);
    EXPECT_EQ(client::default_datadir().value(), "/home/me/.local/share/headlight");
    const Variable homeless("HOME", nullptr);
    EXPECT_EQ(client::default_datadir().error().code, errc::bad_argument);
}

TEST(WalletNames, CannotLeaveTheirFolder) {
    for (const char* good : {"default", "a", "My-wallet_2.old", "0"})
        EXPECT_TRUE(client::check_wallet_name(good)) << good;
    for (const char* bad : {"", ".", "..", ".hidden", "a/b", "../x", "a b", "caf\xc3\xa9", "a\n"})
        EXPECT_FALSE(client::check_wallet_name(bad)) << bad;
    EXPECT_TRUE(client::check_wallet_name(std::string(64, 'x')));
    EXPECT_FALSE(client::check_wallet_name(std::string(65, 'x')));
}

} // namespace
} // namespace headlight::tests
