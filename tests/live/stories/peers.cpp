// Nodes that cannot or will not serve us, and what is said of them (pitfalls C3, C10, E1).
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include "regtest/free_port.hpp"

#include <csignal>
#include <ctime>
#include <thread>

namespace headlight::stories {

class Peers : public Story {};

namespace {

// A node of another network, which has no peers and so stays at its genesis block.
class ForeignNode {
  public:
    ForeignNode(const std::string& chain, const std::filesystem::path& datadir)
        : port_(regtest::free_port()) {
        std::filesystem::create_directories(datadir);
        const auto port = std::to_string(port_);
        process_ =
            regtest::Process::start(
                {*Bitcoind::find_bitcoind(), "-chain=" + chain, "-datadir=" + datadir.string(),
                 "-port=" + port, "-bind=127.0.0.1:" + port, "-server=0", "-connect=0", "-listen=1",
                 "-dnsseed=0", "-listenonion=0", "-discover=0", "-natpmp=0", "-disablewallet=1",
                 "-dbcache=16", "-peerbloomfilters=1", "-printtoconsole=0"},
                datadir / "output.log")
                .value();
    }
    ~ForeignNode() {
        process_.signal(SIGTERM);
        process_.wait(std::chrono::seconds(20));
    }
    ForeignNode(const ForeignNode&) = delete;
    ForeignNode& operator=(const ForeignNode&) = delete;

    p2p::Endpoint endpoint() const { return {"127.0.0.1", port_}; }

  private:
    std::uint16_t port_;
    regtest::Process process_;
};

client::SyncOutcome sync_with(const StoryWallet& wallet, const p2p::Endpoint& endpoint) {
    return try_sync(wallet, {},
                    [&](client::SyncOptions& options) { options.config.peers = {endpoint}; });
}

// Until something listens there.
client::SyncOutcome sync_once_listening(const StoryWallet& wallet, const p2p::Endpoint& endpoint) {
    for (int tries = 0;; ++tries) {
        auto outcome = sync_with(wallet, endpoint);
        const bool nobody = outcome.error && outcome.error->code == errc::no_peer;
        if (!nobody || tries == 20) return outcome;
    }
}

} // namespace

TEST_F(Peers, ANodeWithoutBloomFiltersIsRefusedWithTheCure) {
    const auto closed = start_node(0, {.bloom = false});
    StoryWallet wallet(folder());
    wallet.create();
    const auto outcome = try_sync(wallet, {closed.get()});
    expect_failed(outcome, errc::no_bloom, {"peerbloomfilters=1", "whitelist=bloomfilter@"});
    EXPECT_LT(outcome.seconds, 5);
}

TEST_F(Peers, ANodeWithoutBloomFiltersServesWhomItWhitelists) {
    const auto closed = start_node(0, {.bloom = false, .whitelist = "bloomfilter@127.0.0.1"});
    StoryWallet wallet(folder());
    wallet.create();
    closed->mine(3, wallet.address(0));
    sync(wallet, *closed);
    EXPECT_EQ(wallet.books().history.size(), 3U);
    expect_equal_to_bitcoind(*closed, wallet);
}

TEST_F(Peers, ANodeOfAnotherNetworkIsNamed) {
    const std::vector<std::pair<std::string, std::string>> networks{
        {"signet", "signet"}, {"testnet4", "testnet4"}, {"main", "main"}};
    for (const auto& [chain, name] : networks) {
        const ForeignNode foreign(chain, folder("node-" + name));
        StoryWallet wallet(folder(name));
        wallet.create();
        const auto outcome = sync_once_listening(wallet, foreign.endpoint());
        expect_failed(outcome, errc::wrong_network,
                      {"is a node of " + name, "regtest", "--network " + name});
    }
}

TEST_F(Peers, NobodyListeningIsSaidWithTheCure) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto outcome = sync_with(wallet, {"127.0.0.1", regtest::free_port()});
    expect_failed(outcome, errc::no_peer, {"127.0.0.1", "bitcoind -chain=regtest"});
    EXPECT_LT(outcome.seconds, 10);
}

TEST_F(Peers, APrunedNodeServesAWalletYoungerThanWhatItPruned) {
    const auto pruned = start_node(0, {.arguments = {"-keypool=30", "-prune=1", "-fastprune=1"}});
    pruned->mine(700, pruned->new_address());
    const auto kept = pruned->rpc("pruneblockchain", {405}).value().to_number<int>();
    ASSERT_GT(kept, 0);
    StoryWallet young(folder()), old(folder(), "old");
    young.create({.birthday = {Birthday::Kind::height, 690}});
    old.create({.birthday = {Birthday::Kind::height, 10}});
    pruned->mine(2, young.address(0));

    sync(young, *pruned);
    EXPECT_EQ(young.books().history.size(), 2U);
    const auto outcome = try_sync(old, {pruned.get()});
    expect_failed(outcome, errc::pruned, {"pruned", "birthday"});
}

TEST_F(Peers, AWipedRegtestIsNamedAndResetChainIsItsCure) {
    StoryWallet wallet(folder());
    wallet.create();
    node().pay(wallet.address(0), coin / 4);
    mine(1);
    sync(wallet, node());

    const auto wiped = start_node();
    wiped->mine(5, wallet.address(1));
    const auto outcome = try_sync(wallet, {wiped.get()});
    expect_failed(outcome, errc::wiped_chain, {"genesis", "reset-chain"});
    EXPECT_EQ(wallet.books().balance.confirmed, coin / 4); // nothing of the wallet has changed

    EXPECT_EQ(run_program(wallet, {"reset-chain"}).exit_code, 0);
    sync(wallet, *wiped);
    EXPECT_EQ(wallet.books().tip, 5);
    EXPECT_EQ(wallet.books().balance.confirmed, 0);
    EXPECT_GT(wallet.books().balance.immature, 0);
}

TEST_F(Peers, ALighterNodeBesideAHeavierOneChangesNothing) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto behind = start_node();
    behind->mine(20);
    node().pay(wallet.address(0), coin / 4);
    mine(1);
    const auto outcome = try_sync(wallet, {behind.get(), &node()});
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    expect_equal_to_bitcoind(node(), wallet);
}

// pitfalls C3: set aside, no ban, taken once its time has come.
TEST_F(Peers, AHeaderFromTheFutureIsSetAsideUntilItsTimeHasCome) {
    const auto early = start_node(10);
    StoryWallet wallet(folder());
    wallet.create();
    early->set_mock_time(std::time(nullptr) + 3 * 3'600);
    early->mine(1);
    const auto far = early->best_hash();
    const auto outcome = try_sync(wallet, {early.get()});
    expect_failed(outcome, errc::future_block, {far.to_string(), "two hours", "clock"});
    EXPECT_EQ(wallet.books().tip, 10);

    early->invalidate(far);
    const auto ripe = std::time(nullptr) + 8;
    early->set_mock_time(ripe + 7'200);
    early->mine(2, wallet.address(0));
    expect_failed(try_sync(wallet, {early.get()}), errc::future_block, {"two hours"});
    while (std::time(nullptr) <= ripe)
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    sync(wallet, *early);
    EXPECT_EQ(wallet.books().history.size(), 2U);
}

// pitfalls E5: one peer stands still in mid-scan, the other goes on.
TEST_F(Peers, WhenOneOfTwoPeersStandsStillTheOtherFinishes) {
    const auto frozen = start_node();
    StoryWallet wallet(folder());
    wallet.create();
    for (std::uint32_t i = 0; i < 5; ++i) {
        node().pay(wallet.address(i), coin / 50);
        mine(20);
    }
    frozen->connect(node());
    wait_for_tip(*frozen, node().best_hash());
    bool stopped = false;
    const auto outcome =
        try_sync(wallet, {frozen.get(), &node()}, {}, [&](const sync::Notice& notice) {
            if (stopped || !begins_to_scan(notice)) return;
            stopped = true;
            ::kill(frozen->pid(), SIGSTOP);
        });
    ::kill(frozen->pid(), SIGCONT);
    EXPECT_TRUE(stopped);
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(outcome.statistics.peers.size(), 2U);
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
