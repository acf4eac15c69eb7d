// A wallet of many addresses through its file: stored, loaded, added to, thinned out; and what an
// older file lacks.
#include "client/client.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/client/fake_node.hpp"
#include "wallet/address.hpp"
#include "wallet/unwatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headlight::tests {
namespace {

using wallet::store::WalletDb;

class LargeWallet : public ::testing::Test {
  protected:
    LargeWallet() {
        paths_.datadir = folder_.path();
        paths_.network = &chain::network(chain::NetworkId::regtest);
    }

    client::OpenWallet open() const {
        return client::open_wallet(paths_, WalletDb::Mode::read_write).value();
    }
    /// Those from `first` up to `end`.
    void add(wallet::Wallet& to, std::uint32_t first, std::uint32_t end) const {
        for (auto i = first; i < end; ++i) {
            const auto hash = chain::sha256(as_bytes(std::to_string(i)));
            Bytes script{0x00, 0x14};
            script.insert(script.end(), hash.begin(), hash.begin() + 20);
            const auto address = wallet::encode_address(script, *paths_.network).value();
            const auto item = wallet::parse_watch_item(address, *paths_.network).value();
            ASSERT_TRUE(to.add(item.front(), 20, {}, false)->is_new);
        }
    }

    TemporaryFolder folder_;
    client::Paths paths_;
};

TEST_F(LargeWallet, ComesBackFromItsFileAsItWas) {
    auto made = client::new_wallet(*paths_.network, {}, 7);
    add(*made, 0, 40'000);
    auto expected = made->state();
    ASSERT_TRUE(client::store_new_wallet(paths_, std::move(made)));
    EXPECT_EQ(open().wallet->state(), expected);
    {
        auto opened = open();
        add(*opened.wallet, 40'000, 50'000);
        ASSERT_TRUE(opened.wallet->scripts().mark_used({123, 0, 0}));
        expected = opened.wallet->state();
        ASSERT_TRUE(opened.save());
        ASSERT_TRUE(opened.save()); // nothing is left to store
    }
    EXPECT_EQ(open().wallet->state(), expected);
    {
        auto opened = open();
        std::vector<std::uint32_t> ids;
        for (std::uint32_t id = 1; id < 50'000; id += 7)
            ids.push_back(id);
        const auto done = wallet::unwatch(*opened.wallet, ids);
        EXPECT_EQ(done.scripts_left, 50'000 - ids.size());
        ASSERT_TRUE(opened.db->apply(done.changes));
    }
    std::erase_if(expected.descriptors, [](const auto& one) { return one.id % 7 == 1; });
    EXPECT_EQ(open().wallet->state(), expected);
    EXPECT_EQ(open().db->load().value(), expected);
}

TEST_F(LargeWallet, OneWithoutAFilterSecretGetsOneForGoodWhenItIsSynced) {
    using Secret = decltype(wallet::FilterParameters::secret);
    {
        auto made = client::new_wallet(*paths_.network, {}, 7);
        EXPECT_NE(made->filter().secret, Secret{});
        auto filter = made->filter();
        filter.secret = {};
        made->set_filter(filter); // as one that schema 2 stored
        ASSERT_TRUE(client::store_new_wallet(paths_, std::move(made)));
    }
    const auto secret = [&] { return open().wallet->filter().secret; };
    EXPECT_EQ(secret(), Secret{});
    const FakeNode node;
    const auto sync = [&] {
        client::SyncOptions options;
        options.config.peers = {node.endpoint()};
        return client::run_sync(paths_, options, {}).error;
    };
    ASSERT_FALSE(sync());
    const auto drawn = secret();
    EXPECT_NE(drawn, Secret{});
    ASSERT_FALSE(sync());
    EXPECT_EQ(secret(), drawn);
}

} // namespace
} // namespace headlight::tests
