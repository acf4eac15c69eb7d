// The engine on real sockets and real files: ends, signals, locks.
#include "client/client.hpp"
#include "client/signals.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/client/fake_node.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;
using wallet::store::HeaderFile;
using wallet::store::WalletDb;

class RunSync : public ::testing::Test {
  protected:
    RunSync() {
        paths_.datadir = folder_.path();
        paths_.network = &chain::network(chain::NetworkId::regtest);
    }

    void make_wallet() { ASSERT_TRUE(client::create_wallet(paths_, {}, 0)); }

    client::SyncOutcome sync(client::SyncOptions options) {
        return client::run_sync(paths_, std::move(options), [this](const sync::Notice& notice) {
            notices_.push_back(notice);
            if (on_notice_) on_notice_(notice);
        });
    }
    static client::SyncOptions options(const p2p::Endpoint& peer) {
        client::SyncOptions made;
        made.config.peers = {peer};
        return made;
    }
    static p2p::Endpoint nobody() {
        const FakeNode gone; // its port is free again
        return gone.endpoint();
    }

    TemporaryFolder folder_;
    client::Paths paths_;
    std::vector<sync::Notice> notices_;
    std::function<void(const sync::Notice&)> on_notice_;
};

TEST_F(RunSync, ReachesTheTipAndStoresThatItDid) {
    make_wallet();
    const FakeNode node;
    const auto outcome = sync(options(node.endpoint()));
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(outcome.statistics.tip, 0);
    ASSERT_EQ(outcome.statistics.peers.size(), 1U);
    EXPECT_EQ(outcome.statistics.peers[0].agent, "/fake/");
    EXPECT_GT(outcome.statistics.bytes_received, 0U);
    EXPECT_GT(outcome.statistics.bytes_sent, 0U);
    EXPECT_GT(outcome.seconds, 0);
    EXPECT_TRUE(std::holds_alternative<sync::notice::Finished>(notices_.back()));
    const auto headers =
        HeaderFile::open(paths_.headers(), *paths_.network, HeaderFile::Mode::read_only);
    EXPECT_EQ(headers.value().file->tip_height(), 0);
}

TEST_F(RunSync, TellsWhenNobodyListens) {
    make_wallet();
    const auto outcome = sync(options(nobody()));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::no_peer);
}

TEST_F(RunSync, NamesTheOtherNetworkOfANode) {
    make_wallet();
    const FakeNode node(chain::NetworkId::signet);
    const auto outcome = sync(options(node.endpoint()));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::wrong_network) << to_string(*outcome.error);
    EXPECT_NE(to_string(*outcome.error).find("signet"), std::string::npos);
}

TEST_F(RunSync, EndsAtItsTimeLimit) {
    make_wallet();
    const FakeNode node;
    auto follow = options(node.endpoint());
    follow.config.follow = true;
    follow.timeout_ms = 300;
    const auto outcome = sync(follow);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::timeout);
    EXPECT_LT(outcome.seconds, 5);
}

TEST_F(RunSync, ASignalEndsItInAnOrderlyWay) {
    make_wallet();
    const FakeNode node;
    auto follow = options(node.endpoint());
    follow.config.follow = true;
    follow.timeout_ms = 20'000;
    bool raised = false;
    on_notice_ = [&](const sync::Notice&) {
        if (!std::exchange(raised, true)) std::raise(SIGTERM);
    };
    const auto outcome = sync(follow);
    EXPECT_LT(outcome.seconds, 10);
    if (outcome.error) {
        EXPECT_EQ(outcome.error->code, errc::stopped);
    }
    EXPECT_TRUE(client::open_wallet(paths_, WalletDb::Mode::read_write));
}

TEST(StopSignalsDeathTest, ASecondSignalEndsTheProcessAtOnce) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const client::StopSignals signals;
            std::raise(SIGINT);
            std::raise(SIGTERM);
        },
        ::testing::ExitedWithCode(3), "");
}

TEST_F(RunSync, NeedsAWallet) {
    const auto outcome = sync(options(nobody()));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::wallet_missing);
    EXPECT_TRUE(fs::is_empty(paths_.datadir));
}

TEST_F(RunSync, HoldsItsFilesAlone) {
    make_wallet();
    {
        const auto held = client::open_wallet(paths_, WalletDb::Mode::read_write);
        const auto outcome = sync(options(nobody()));
        ASSERT_TRUE(outcome.error);
        EXPECT_EQ(outcome.error->code, errc::in_use);
    }
    const auto held =
        HeaderFile::open(paths_.headers(), *paths_.network, HeaderFile::Mode::read_write);
    ASSERT_TRUE(held);
    const auto outcome = sync(options(nobody()));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::in_use);
    // Readers need no lock.
    EXPECT_TRUE(client::open_wallet(paths_, WalletDb::Mode::read_only));
}

// pitfalls D8: found at start, one clear message, rebuilt; wallets are never touched.
TEST_F(RunSync, WarnsOfADamagedHeaderFileAndGoesOn) {
    make_wallet();
    fs::create_directories(paths_.headers().parent_path());
    std::ofstream(paths_.headers()) << std::string(5'000, 'x');
    const FakeNode node;
    const auto outcome = sync(options(node.endpoint()));
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    ASSERT_FALSE(notices_.empty());
    const auto* warning = std::get_if<sync::notice::Warning>(&notices_.front());
    ASSERT_TRUE(warning);
    EXPECT_EQ(warning->error.code, errc::damaged);
}

TEST_F(RunSync, BroadcastsWithoutAWallet) {
    const FakeNode node;
    chain::Transaction tx;
    tx.inputs.push_back(
        {.prevout = {chain::hash256(as_bytes("coin")), 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({1'000, Bytes{0x51}});
    auto announce = options(node.endpoint());
    announce.config.broadcast = tx;
    EXPECT_TRUE(sync(announce).error); // a wallet is asked for by default
    announce.wallet_optional = true;
    const auto outcome = sync(announce);
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_FALSE(fs::exists(paths_.wallet_file()));
}

TEST_F(RunSync, ListsWalletsByName) {
    for (const char* name : {"b", "a"}) {
        paths_.wallet = name;
        make_wallet();
    }
    std::ofstream(paths_.wallets() / "notes.txt") << "x";
    EXPECT_EQ(client::wallet_names(paths_), (std::vector<std::string>{"a", "b"}));
}

} // namespace
} // namespace headlight::tests
