// What the live stories share: a bitcoind for each group of stories, wallets in temporary folders,
// syncs over real sockets, and bitcoind's own books to be equal to.
#pragma once

#include "tests/live/stories/story_wallet.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace headlight::stories {

using regtest::PaidTo;

inline constexpr Amount coin = 100'000'000;
inline constexpr Amount fee = 1'000; ///< well above the minimum for what the stories spend

/// A group of stories around one bitcoind, with coins to pay with. It answers a mempool request at
/// once (whitelist noban), as the README recommends for a node of one's own.
class Story : public testing::Test {
  public:
    static void SetUpTestSuite();
    static void TearDownTestSuite();

  protected:
    void SetUp() override;

    static Bitcoind& node() { return *node_; }
    /// Mines to nobody in these stories. (A coinbase that matures at the tip and is spent at once
    /// is forgotten with its spend in a reorganisation, which would confuse the stories about
    /// those.)
    static void mine(int blocks);
    /// Pays without a lock time. bitcoind's own payments carry the height as theirs, and so leave
    /// its mempool when a reorganisation makes the chain shorter.
    static chain::Hash256 pay_at_any_height(const std::string& address, Amount amount);
    /// Another one, of this story alone, whose own wallet has coins when `blocks` are over 100.
    static std::unique_ptr<Bitcoind> start_node(int blocks = 0, Bitcoind::Options options = {});
    static Bitcoind::Options usual_options();

    std::filesystem::path folder(const std::string& name = "a") const {
        return folder_.path() / name;
    }

  private:
    static std::unique_ptr<Bitcoind> node_;
    tests::TemporaryFolder folder_{tests::TemporaryFolder::Place::disk};
};

// ------------------------------------------------------------------------------------------ syncs

using Change = std::function<void(client::SyncOptions&)>;
using Watcher = std::function<void(const sync::Notice&)>;

/// Runs headlight's engine against the nodes, first named first chosen, for a minute at most.
client::SyncOutcome try_sync(const StoryWallet& wallet, const std::vector<const Bitcoind*>& nodes,
                             const Change& change = {}, const Watcher& watcher = {});
/// Expects it to end well, at the height of the first node.
client::SyncOutcome sync(const StoryWallet& wallet, Bitcoind& node, const Change& change = {});
/// Whether the run says here who scans, just before its requests go out.
bool begins_to_scan(const sync::Notice& notice);
/// That a run failed with this code, and that its text names each of the parts.
void expect_failed(const client::SyncOutcome& outcome, std::string_view code,
                   const std::vector<std::string>& parts);

// --------------------------------------------------------------------------------------- payments

Bytes script_of(const std::string& address);
/// An address that no wallet of a story holds, another one each time (an empty block is otherwise
/// the same as the one it is to replace).
std::string strangers_address();
/// A transaction of the node's own coins, signed and sent nowhere.
chain::Transaction fund(Bitcoind& node, const std::vector<chain::TxOut>& outputs);

/// The keys of a wallet of ours, in a bitcoind that signs for them.
class Signer {
  public:
    Signer(Bitcoind& node, const StoryWallet& wallet, int range = 100);
    Signer(Bitcoind& node, const std::vector<std::string>& private_descriptors, int range = 100);

    /// Signed and sent nowhere. The sequence allows a replacement (BIP-125). Coins that the node
    /// has not seen yet are outputs of `parents`.
    chain::Transaction spend(const std::vector<chain::OutPoint>& coins,
                             const std::vector<chain::TxOut>& outputs,
                             const std::vector<chain::Transaction>& parents = {}) const;

  private:
    Bitcoind& node_;
    std::string name_;
};

/// The output of `tx` that pays `script`.
chain::OutPoint output_to(const chain::Transaction& tx, ByteView script);
std::vector<chain::OutPoint> outpoints(const std::vector<wallet::Coin>& coins);

// ----------------------------------------------------------------------------------------- equals

/// Imports the wallet's descriptors into a watch-only wallet of bitcoind and expects the same coins
/// (listunspent) and balances (getbalances).
void expect_equal_to_bitcoind(Bitcoind& node, const StoryWallet& wallet, int range = 300);
void expect_equal_to_bitcoind(Bitcoind& node, const Books& books,
                              const std::vector<std::string>& descriptors, int range = 300);
/// Lets bitcoind write its chain to disk, as it does by itself only now and then: a killed one
/// would begin at an old height again.
void flush(Bitcoind& node);
/// Waits for a node to have this tip.
void wait_for_tip(Bitcoind& node, const chain::Hash256& tip);
void wait_for_transaction(Bitcoind& node, const chain::Hash256& txid);

} // namespace headlight::stories
