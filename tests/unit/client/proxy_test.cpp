// A sync through a proxy: what the proxy is told, that nothing goes beside it, and the words for
// what fails. The peers' names are ones that no name server knows (RFC 2606, RFC 7686).
#include "client/client.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/client/fake_node.hpp"
#include "tests/unit/client/network_calls.hpp"
#include "tests/unit/client/socks_proxy.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

const p2p::Endpoint onion{"node.onion", 18444};
const p2p::Endpoint invalid{"node.invalid", 18445};

class SyncThroughProxy : public ::testing::Test {
  protected:
    SyncThroughProxy() {
        paths_.datadir = folder_.path();
        paths_.network = &chain::network(chain::NetworkId::regtest);
        EXPECT_TRUE(client::create_wallet(paths_, {}, 0));
    }

    client::SyncOutcome sync(const p2p::Endpoint& proxy, std::vector<p2p::Endpoint> peers) {
        client::SyncOptions options;
        options.config.peers = std::move(peers);
        options.config.proxy = proxy;
        options.timeout_ms = 60'000;
        return client::run_sync(paths_, std::move(options), [this](const sync::Notice& notice) {
            if (const auto* log = std::get_if<sync::notice::PeerLog>(&notice))
                log_ += log->address + ": " + log->text + "\n";
        });
    }
    std::string failure(const p2p::Endpoint& proxy, const p2p::Endpoint& peer) {
        const auto outcome = sync(proxy, {peer});
        if (!outcome.error) return "no error";
        EXPECT_EQ(outcome.error->code, errc::no_peer);
        EXPECT_FALSE(outcome.error->cause.empty() || outcome.error->cure.empty());
        return to_string(*outcome.error);
    }

    TemporaryFolder folder_;
    client::Paths paths_;
    std::string log_;
};

TEST_F(SyncThroughProxy, NothingGoesBesideIt) {
    const FakeNode node;
    const SocksProxy proxy({.routes = {{onion.host, node.endpoint()}}});
    const NetworkCalls calls;
    const auto outcome = sync(proxy.endpoint(), {onion});
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    ASSERT_EQ(outcome.statistics.peers.size(), 1U);
    EXPECT_EQ(outcome.statistics.peers[0].agent, "/fake/");
    EXPECT_EQ(calls.lookups(), std::vector<std::string>{});
    EXPECT_EQ(calls.destinations(), std::set{proxy.endpoint()});
    const auto requests = proxy.requests();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].form, 3);
    EXPECT_EQ(requests[0].host, onion.host);
    EXPECT_EQ(requests[0].port, onion.port);
}

TEST_F(SyncThroughProxy, TheCountersSeeWhatGoesWithoutAProxy) {
    const FakeNode node;
    const NetworkCalls calls;
    client::SyncOptions options;
    options.config.peers = {{"localhost", node.endpoint().port}};
    ASSERT_FALSE(client::run_sync(paths_, options, {}).error);
    EXPECT_EQ(calls.lookups(), std::vector<std::string>{"localhost"});
    EXPECT_TRUE(calls.destinations().contains(node.endpoint()));
}

TEST_F(SyncThroughProxy, ANodeThatCouldBeReachedDirectlyIsNot) {
    const FakeNode node;
    const SocksProxy proxy({});
    const NetworkCalls calls;
    const auto text = failure(proxy.endpoint(), node.endpoint());
    EXPECT_NE(text.find("host unreachable (reply 4)"), std::string::npos) << text;
    EXPECT_EQ(calls.destinations(), std::set{proxy.endpoint()});
    ASSERT_FALSE(proxy.requests().empty());
    EXPECT_EQ(proxy.requests()[0].form, 1);
    EXPECT_EQ(proxy.requests()[0].host, "127.0.0.1");
}

TEST_F(SyncThroughProxy, EachPeerAndEachRunHasCredentialsOfItsOwn) {
    const FakeNode node;
    const SocksProxy proxy({.routes = {{onion.host, node.endpoint()}}});
    std::map<std::string, std::set<std::string>> hosts_of; // by user and password
    for (int run = 0; run < 2; ++run)
        sync(proxy.endpoint(), {onion, invalid});
    std::set<std::string> passwords;
    for (const auto& request : proxy.requests()) {
        EXPECT_EQ(request.user.size(), 32U);
        EXPECT_NE(request.user, request.password);
        hosts_of[request.user + ":" + request.password].insert(request.host);
        passwords.insert(request.password);
    }
    EXPECT_EQ(hosts_of.size(), 4U);
    EXPECT_EQ(passwords.size(), 4U);
    for (const auto& [user, hosts] : hosts_of)
        EXPECT_EQ(hosts.size(), 1U) << user;
}

TEST_F(SyncThroughProxy, AProxyWithoutUserNamesIsUsedAndThatIsSaid) {
    const FakeNode node;
    const SocksProxy proxy({.method = 0, .routes = {{invalid.host, node.endpoint()}}});
    const auto outcome = sync(proxy.endpoint(), {invalid});
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_NE(log_.find("node.invalid:18445: the proxy takes no user name"), std::string::npos);
}

TEST_F(SyncThroughProxy, SaysThatTheProxyIsNotThere) {
    p2p::Endpoint gone;
    { gone = SocksProxy({}).endpoint(); }
    const auto text = failure(gone, onion);
    EXPECT_NE(text.find("cannot connect to the proxy " + p2p::to_string(gone)), std::string::npos)
        << text;
    EXPECT_NE(text.find("--proxy"), std::string::npos) << text;
}

TEST_F(SyncThroughProxy, SaysThatTheProxyRefusesTheUserName) {
    const SocksProxy proxy({.login_status = 1});
    const auto text = failure(proxy.endpoint(), onion);
    EXPECT_NE(text.find("does not serve us: it refuses the user name"), std::string::npos) << text;
}

TEST_F(SyncThroughProxy, SaysThatTheProxyAgreesToNoLogin) {
    const SocksProxy proxy({.method = 0xff});
    const auto text = failure(proxy.endpoint(), onion);
    EXPECT_NE(text.find("does not serve us"), std::string::npos) << text;
}

TEST_F(SyncThroughProxy, SaysThatTheProxyDoesNotReachThePeer) {
    const SocksProxy proxy({});
    const auto text = failure(proxy.endpoint(), onion);
    EXPECT_NE(text.find("does not reach node.onion:18444: host unreachable"), std::string::npos)
        << text;
}

} // namespace
} // namespace headlight::tests
