// --proxy: what it may be, and that what connects to a node goes through it.
#include "cli/arguments.hpp"
#include "tests/unit/cli/program.hpp"
#include "tests/unit/client/fake_node.hpp"
#include "tests/unit/client/network_calls.hpp"
#include "tests/unit/client/socks_proxy.hpp"

namespace headlight::tests {
namespace {

class ProxyOption : public Program {};

TEST_F(ProxyOption, IsAnAddressAndAPort) {
    const std::vector<std::pair<std::string, p2p::Endpoint>> good{
        {"127.0.0.1:9050", {"127.0.0.1", 9050}},
        {"localhost:9050", {"127.0.0.1", 9050}},
        {"[::1]:1080", {"::1", 1080}}};
    for (const auto& [text, endpoint] : good) {
        const auto sync = parse({"sync", "--peer", "node.onion", "--proxy", text});
        ASSERT_TRUE(sync) << to_string(sync.error());
        EXPECT_EQ(std::get<cli::command::Sync>(sync->command).proxy, endpoint);
        const auto broadcast = parse({"broadcast", "00", "--peer", "node.onion", "--proxy", text});
        ASSERT_TRUE(broadcast) << to_string(broadcast.error());
        EXPECT_EQ(std::get<cli::command::Broadcast>(broadcast->command).proxy, endpoint);
        const auto probe = parse({"probe", "node.onion", "--proxy", text});
        ASSERT_TRUE(probe) << to_string(probe.error());
        EXPECT_EQ(std::get<cli::command::Probe>(probe->command).proxy, endpoint);
        const auto conform = parse({"conform", "node.onion", "--proxy", text});
        ASSERT_TRUE(conform) << to_string(conform.error());
        EXPECT_EQ(std::get<cli::command::Conform>(conform->command).proxy, endpoint);
    }
    const auto without = parse({"sync", "--peer", "node.example"});
    EXPECT_FALSE(std::get<cli::command::Sync>(without->command).proxy);
}

TEST_F(ProxyOption, IsRefusedWhereSomethingWouldGoBesideIt) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
        {{"--peer", "a.onion", "--proxy", "127.0.0.1"}, "it has no port"},
        {{"--peer", "a.onion", "--proxy", "127.0.0.1:0"}, "no port from 1"},
        {{"--peer", "a.onion", "--proxy", ""}, "neither a name nor"},
        {{"--peer", "a.onion", "--proxy", "socks5://127.0.0.1:9050"}, "neither a name nor"},
        {{"--peer", "a.onion", "--proxy", "tor.example:9050"}, "have to be looked up"},
        {{"--proxy", "127.0.0.1:9050"}, "--proxy needs a --peer"},
        {{"--peer", "fe80::1%eth0", "--proxy", "127.0.0.1:9050"}, "a link of this machine"}};
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"sync"}, std::vector<std::string>{"broadcast", "00"}}) {
        for (auto [arguments, words] : wrong) {
            arguments.insert(arguments.begin(), command.begin(), command.end());
            const auto ran = run(arguments);
            EXPECT_EQ(ran.code, 2) << ran.err;
            EXPECT_NE(ran.err.find(words), std::string::npos) << words << " is not in " << ran.err;
        }
    }
}

TEST_F(ProxyOption, IsRefusedByTheToolsForTheSameReasons) {
    for (const std::string tool : {"probe", "conform"}) {
        const auto name = run({tool, "a.onion", "--proxy", "tor.example:9050"});
        EXPECT_EQ(name.code, 2);
        EXPECT_NE(name.err.find("have to be looked up"), std::string::npos) << name.err;
        const auto link = run({tool, "fe80::1%eth0", "--proxy", "127.0.0.1:9050"});
        EXPECT_EQ(link.code, 2);
        EXPECT_NE(link.err.find("a link of this machine"), std::string::npos) << link.err;
    }
}

TEST_F(ProxyOption, NamesTheAddressOfTheRpcsWhichGoBesideIt) {
    const std::vector<std::string> conform{"conform",        "a.onion",      "--proxy",
                                           "127.0.0.1:9050", "--rpc-cookie", "cookie"};
    const auto ran = run(conform);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("--proxy and --rpc-cookie need --rpc"), std::string::npos) << ran.err;
    auto named = conform;
    named.insert(named.end(), {"--rpc", "http://127.0.0.1:18443", "--network", "regtest"});
    const auto parsed = parse(named);
    ASSERT_TRUE(parsed) << to_string(parsed.error());
    EXPECT_EQ(std::get<cli::command::Conform>(parsed->command).rpc->host, "127.0.0.1");
}

TEST_F(ProxyOption, LeadsAProbeAndTheChecks) {
    const FakeNode node;
    const SocksProxy proxy({.routes = {{"node.onion", node.endpoint()}}});
    const auto through = p2p::to_string(proxy.endpoint());
    const NetworkCalls calls;
    // The fake node offers what a wallet needs, and serves no blocks.
    const auto probe = run({"probe", "node.onion", "--proxy", through, "--json"});
    EXPECT_EQ(probe.json().at("node").as_string(), "node.onion:18444") << probe.err;
    EXPECT_EQ(probe.json().at("agent").as_string(), "/fake/");
    const auto conform =
        run({"conform", "node.onion", "--proxy", through, "--only", "handshake.ping", "--json"});
    EXPECT_EQ(conform.json().at("agent").as_string(), "/fake/") << conform.err;
    EXPECT_EQ(calls.destinations(), std::set{proxy.endpoint()});
    for (const auto& request : proxy.requests())
        EXPECT_EQ(request.host, "node.onion");
}

TEST_F(ProxyOption, LeadsASyncToAnOnion) {
    ASSERT_EQ(run({"create"}).code, 0);
    const FakeNode node;
    const SocksProxy proxy({.method = 0, .routes = {{"node.onion", node.endpoint()}}});
    const auto ran = run({"sync", "--peer", "node.onion", "--proxy",
                          p2p::to_string(proxy.endpoint()), "--json", "-v"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("peers").as_array().at(0).at("address").as_string(),
              "node.onion:18444");
    EXPECT_NE(ran.err.find("the proxy takes no user name"), std::string::npos) << ran.err;
}

TEST_F(ProxyOption, LeadsABroadcast) {
    chain::Transaction tx;
    tx.inputs.push_back(
        {.prevout = {chain::hash256(as_bytes("coin")), 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({1'000, Bytes{0x51}});
    const FakeNode node;
    const SocksProxy proxy({.routes = {{"node.invalid", node.endpoint()}}});
    const auto ran = run({"broadcast", to_hex(chain::serialize(tx)), "--peer", "node.invalid",
                          "--proxy", p2p::to_string(proxy.endpoint())});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto requests = proxy.requests();
    ASSERT_FALSE(requests.empty());
    EXPECT_EQ(requests[0].host, "node.invalid");
}

} // namespace
} // namespace headlight::tests
