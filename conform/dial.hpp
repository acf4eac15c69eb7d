// From a node's name to a connected socket, straight or through a SOCKS5 proxy.
#pragma once

#include "chain/network.hpp"
#include "conform/outcome.hpp"
#include "p2p/socks5.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace headlight::conform {

using std::chrono::milliseconds;

/// How long to wait for what.
struct Deadlines {
    milliseconds connect{5'000};
    milliseconds answer{15'000};   ///< a pong or another answer
    milliseconds quiet{300};       ///< for nothing to come, where no pong can end the wait
    milliseconds announce{90'000}; ///< a transaction's: nodes hold them back for half a minute
};

/// Where the node is, resolved once.
struct NodeAddress {
    /// The node behind a proxy.
    struct Behind {
        p2p::Endpoint node;
        p2p::Socks5Credentials credentials; ///< the same for all connections to it
        std::string proxy;                  ///< as it was given
    };
    const chain::Network* network = nullptr;
    std::string name;                         ///< as it was given
    std::vector<std::uint8_t> socket_address; ///< the proxy's, where there is one
    int family = 0;
    std::optional<Behind> behind{};

    /// Waits that suit the way: Tor has to build circuits, and answers come late through them.
    Deadlines deadlines() const;
};

/// Errors: no_peer for a name that does not resolve. Through a proxy, which is an address, no name
/// is looked up.
result<NodeAddress> resolve(const chain::Network& network, const p2p::Endpoint& node,
                            const std::optional<p2p::Endpoint>& proxy = {});

/// There is no talking to it.
Error no_talk(const NodeAddress& node, const std::string& cause);

/// Owns a socket.
class Socket {
  public:
    explicit Socket(int handle) : handle_(handle) {}
    Socket(Socket&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
    Socket& operator=(Socket&&) = delete;
    ~Socket();
    int handle() const { return handle_; }

  private:
    int handle_;
};

/// Whether the socket is ready for `events` (poll's) before `end`.
bool ready(int handle, short events, std::chrono::steady_clock::time_point end);

/// Connected to the node, and not blocking. Throws Ended (skipped) when that fails.
Socket dial(const NodeAddress& node, const Deadlines& deadlines);

} // namespace headlight::conform
