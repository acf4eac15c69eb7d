// The filter after `unwatch`: a Bloom filter cannot delete, so it is made from what is left.
#include "sync/filter_policy.hpp"
#include "tests/unit/cli/program.hpp"
#include "wallet/address.hpp"

namespace headlight::tests {
namespace {

class FilterAfterUnwatch : public Program {
  protected:
    bip37::BloomFilter filter(const std::string& wallet = "default") const {
        const auto opened =
            client::open_wallet(paths(wallet), wallet::store::WalletDb::Mode::read_only);
        return sync::filter_of(*opened.value().wallet, 0.0005);
    }
};

TEST_F(FilterAfterUnwatch, IsThatOfAWalletThatNeverWatchedTheItem) {
    const std::string guest = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
    ASSERT_EQ(run({"create", "--mnemonic-file", "-"}, known_mnemonic).code, 0);
    pay(script(0, 0), 5'000);
    std::filesystem::copy(paths().wallet_file(), paths("never").wallet_file());
    const auto never = filter("never");

    ASSERT_EQ(run({"watch", guest}).code, 0);
    pay(wallet::decode_address(guest, *paths().network).value(), 7'000);
    EXPECT_NE(filter(), never) << "both the script and its coin are in it";
    ASSERT_EQ(run({"unwatch", guest}).code, 0);
    EXPECT_EQ(filter(), never);
}

} // namespace
} // namespace headlight::tests
