// The whole list against a real bitcoind, which is what the clauses are read from.
#include "conform/rpc_maker.hpp"
#include "conform/run.hpp"
#include "tests/live/node/live.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>

namespace headlight::tests {
namespace {

using conform::Verdict;

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

conform::RpcAccess rpc_access(regtest::Bitcoind& node) {
    std::ifstream file(node.datadir() / "regtest" / ".cookie");
    return {"127.0.0.1", node.rpc_port(), {std::istreambuf_iterator<char>(file), {}}};
}

conform::NodeAddress address(regtest::Bitcoind& node) {
    return conform::resolve(chain::network(chain::NetworkId::regtest), node.endpoint()).value();
}

/// Runs the list; every check that did not pass, with its result.
std::map<std::string, Verdict> not_passed(regtest::Bitcoind& node, conform::RunOptions options) {
    const auto maker = conform::RpcMaker::open(rpc_access(node), now).value();
    options.maker = maker.get();
    std::map<std::string, Verdict> others;
    const auto report = conform::run(address(node), options).value();
    for (const auto& result : report.results) {
        if (result.outcome.verdict == Verdict::pass) continue;
        others.emplace(result.check->id, result.outcome.verdict);
        EXPECT_NE(result.outcome.verdict, Verdict::fail)
            << result.check->id << ": sent " << result.sent << "; got " << result.outcome.got;
    }
    return others;
}

// Some nodes relay no outputs to a bare public key.
constexpr std::string_view may_be_skipped = "update.relay-keys-pk";

TEST(RealNode, PassesEveryCheckAndIsLeftWithAnEmptyMempool) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    for (const auto& [id, verdict] : not_passed(node, {}))
        EXPECT_TRUE(id == may_be_skipped && verdict == Verdict::skipped) << id;
    EXPECT_TRUE(node.mempool().empty());
}

TEST(RealNode, PassesASecondTimeOnTheChainOfTheFirst) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    conform::RunOptions options;
    options.only = {"matching", "merkleblock", "headers"};
    EXPECT_TRUE(not_passed(node, options).empty());
    const auto height = node.height();
    EXPECT_TRUE(not_passed(node, options).empty());
    EXPECT_LT(node.height() - height, 200) << "the long chain is there already";
}

// With noban a node closes on nothing, which BIP-37 leaves to it.
TEST(ANodeThatSparesUs, DiffersInWhatItWouldCloseOn) {
    regtest::Bitcoind::Options options;
    options.whitelist = "noban,bloomfilter@127.0.0.1";
    HEADLIGHT_BITCOIND_OR_SKIP(node, options);
    const auto others = not_passed(node, {});
    EXPECT_TRUE(others.contains("filterload.size-36001"));
    EXPECT_TRUE(others.contains("limits.inv-50001"));
}

TEST(ANodeWithoutBloom, SaysSoAndServesNone) {
    regtest::Bitcoind::Options options;
    options.bloom = false;
    // Some builds serve filters to this machine unless they are told not to.
    options.whitelist = "relay@127.0.0.1";
    HEADLIGHT_BITCOIND_OR_SKIP(node, options);
    conform::RunOptions run;
    run.only = {"handshake.node-bloom", "handshake.ping"};
    EXPECT_TRUE(not_passed(node, run).empty());
}

TEST(Rpc, SaysWhatIsWrongWithIt) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    auto access = rpc_access(node);
    access.credentials = "nobody:knows";
    EXPECT_EQ(conform::RpcMaker::open(access, now).error().code, errc::not_accepted);
    access.port = node.p2p_port(); // something else listens there
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(conform::RpcMaker::open(access, now));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(90));
}

TEST(Rpc, OfAnotherNodeIsNoticed) {
    HEADLIGHT_BITCOIND_OR_SKIP(node);
    HEADLIGHT_BITCOIND_OR_SKIP(other);
    const auto maker = conform::RpcMaker::open(rpc_access(other), now).value();
    conform::RunOptions options;
    options.only = {"matching.txid"};
    options.maker = maker.get();
    const auto report = conform::run(address(node), options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, errc::bad_argument);
}

} // namespace
} // namespace headlight::tests
