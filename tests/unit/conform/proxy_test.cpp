// Probe and checks through a SOCKS5 proxy: that nothing goes beside it, and the words for what
// fails. The node's name is one that no name server knows (RFC 7686).
#include "conform/probe.hpp"
#include "tests/unit/client/network_calls.hpp"
#include "tests/unit/client/socks_proxy.hpp"
#include "tests/unit/conform/simulated.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

const p2p::Endpoint onion{"node.onion", 18444};

class NodeBehindAProxy : public ::testing::Test {
  protected:
    conform::NodeAddress through(const p2p::Endpoint& proxy) const {
        return conform::resolve(stage().chain.network(), onion, proxy).value();
    }
    SocksProxy::Behaviour way() const { return {.routes = {{onion.host, node_.endpoint()}}}; }
    std::string failure(const p2p::Endpoint& proxy) const {
        auto waits = hasty();
        waits.connect = std::chrono::milliseconds(500);
        const auto found = conform::probe(through(proxy), waits);
        if (found) return "no error";
        EXPECT_EQ(found.error().code, errc::no_peer);
        EXPECT_NE(found.error().cure.find("--proxy"), std::string::npos);
        return to_string(found.error());
    }

    SimulatedNode node_{stage().chain, stage().branches};
};

TEST_F(NodeBehindAProxy, IsProbedAndNothingGoesBesideTheProxy) {
    const SocksProxy proxy(way());
    const NetworkCalls calls;
    const auto found = conform::probe(through(proxy.endpoint()), patient());
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->serves, conform::Serves::yes);
    EXPECT_EQ(calls.destinations(), std::set{proxy.endpoint()});
    EXPECT_EQ(calls.lookups(), std::vector{proxy.endpoint().host}) << "an address, no name";
    ASSERT_EQ(proxy.requests().size(), 1U);
    EXPECT_EQ(proxy.requests()[0].form, 3);
    EXPECT_EQ(proxy.requests()[0].host, onion.host);
    EXPECT_EQ(proxy.requests()[0].port, onion.port);
}

TEST_F(NodeBehindAProxy, IsCheckedAsAnyOther) {
    const SocksProxy proxy(way());
    const NetworkCalls calls;
    conform::RunOptions options;
    options.deadlines = patient();
    options.only = {"handshake", "filteradd"};
    const auto report = conform::run(through(proxy.endpoint()), options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->node, "node.onion:18444");
    EXPECT_GT(report->results.size(), 20U);
    EXPECT_EQ(report->count(conform::Verdict::fail), 0U);
    EXPECT_EQ(calls.destinations(), std::set{proxy.endpoint()});
}

TEST_F(NodeBehindAProxy, HasOneUserNameInARunAndAnotherInTheNext) {
    const SocksProxy proxy(way());
    conform::RunOptions options;
    options.deadlines = patient();
    options.only = {"handshake.ping"};
    std::set<std::string> users;
    for (int run = 0; run < 2; ++run)
        ASSERT_TRUE(conform::run(through(proxy.endpoint()), options));
    for (const auto& request : proxy.requests())
        users.insert(request.user + ":" + request.password);
    EXPECT_GT(proxy.requests().size(), 4U);
    EXPECT_EQ(users.size(), 2U);
}

TEST_F(NodeBehindAProxy, IsReachedThroughOneThatTakesNoUserName) {
    auto behaviour = way();
    behaviour.method = 0;
    const SocksProxy proxy(behaviour);
    EXPECT_TRUE(conform::probe(through(proxy.endpoint()), patient()));
}

TEST_F(NodeBehindAProxy, IsWaitedForAsLongAsTorMayTake) {
    EXPECT_EQ(through({"127.0.0.1", 9050}).deadlines().connect, std::chrono::seconds(30));
    EXPECT_EQ(node_.address().deadlines().connect, std::chrono::seconds(5));
}

TEST_F(NodeBehindAProxy, SaysWhichOfTheTwoFails) {
    p2p::Endpoint gone;
    { gone = SocksProxy({}).endpoint(); }
    EXPECT_NE(failure(gone).find("the proxy " + p2p::to_string(gone) + " takes no connection"),
              std::string::npos);
    const SocksProxy lost({});
    EXPECT_NE(failure(lost.endpoint()).find("does not reach node.onion:18444: host unreachable"),
              std::string::npos);
    const SocksProxy closed({.login_status = 1});
    EXPECT_NE(failure(closed.endpoint()).find("does not serve us: it refuses the user name"),
              std::string::npos);
    // A node is no proxy: it waits for a message where a proxy answers.
    EXPECT_NE(failure(node_.endpoint()).find("does not serve us"), std::string::npos);
}

} // namespace
} // namespace headlight::tests
