// --proxy, from what was written.
#include "cli/written.hpp"

#include <arpa/inet.h>

#include <array>

namespace headlight::cli {

namespace {

bool is_address(const std::string& host) {
    std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
    return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
           inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

} // namespace

result<std::optional<p2p::Endpoint>> proxy_to(const std::vector<p2p::Endpoint>& peers,
                                              const Written& written) {
    if (!written.proxy) return std::optional<p2p::Endpoint>{};
    const auto bad = [&](std::string cause) {
        return usage("--proxy cannot be '" + *written.proxy + "'", std::move(cause),
                     "Give HOST:PORT of a SOCKS5 proxy, as 127.0.0.1:9050");
    };
    auto endpoint = p2p::parse_endpoint(*written.proxy, 0);
    if (!endpoint) return bad(endpoint.error().cause);
    if (endpoint->port == 0) return bad("it has no port");
    if (endpoint->host == "localhost") endpoint->host = "127.0.0.1"; // RFC 6761
    if (!is_address(endpoint->host))
        return bad("the name '" + endpoint->host +
                   "' would have to be looked up, and nothing goes beside the proxy");
    if (written.peers.empty() && written.node.empty())
        return usage("--proxy needs a --peer",
                     "the default peer is this machine, and the proxy's 127.0.0.1 is another one",
                     "Name the node with --peer, or leave --proxy out");
    for (const auto& peer : peers) {
        if (peer.host.find('%') == std::string::npos) continue;
        return usage("--proxy cannot lead to " + p2p::to_string(peer),
                     "that address is on a link of this machine", "Name another peer");
    }
    return std::optional(std::move(*endpoint));
}

} // namespace headlight::cli
