// One TCP connection to a peer, on Boost.Asio; no Asio type shows here. All calls and callbacks are
// on the one thread that runs the context behind `Runtime`.
#pragma once

#include "chain/limits.hpp"
#include "p2p/framing.hpp"
#include "p2p/socks5.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace headlight::p2p::asio {

enum class CloseReason {
    local,          ///< we asked for it
    resolve_failed, ///< the name has no address
    connect_failed, ///< refused, unreachable or timed out
    peer_closed,    ///< end of stream
    network_error,  ///< reset and the like
    frame_fault,    ///< see frame_error
    write_timeout,  ///< the peer took nothing for limits::write_timeout_seconds
    queue_full,     ///< over limits::max_send_queue_bytes waited to be sent
    no_proxy,       ///< the proxy is not reached
    proxy_refused,  ///< it is no SOCKS5 proxy, or does not serve us
    proxy_failed,   ///< it does not reach the peer
};
std::string_view to_string(CloseReason reason);

struct Closed {
    CloseReason reason{};
    std::string detail; ///< the system's words
    std::optional<FrameError> frame_error{};
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
};

/// What one connection may hold and wait for.
struct ConnectionBounds {
    std::size_t send_queue_bytes = limits::max_send_queue_bytes;
    std::chrono::milliseconds write_timeout = std::chrono::seconds(limits::write_timeout_seconds);
    std::chrono::milliseconds flush_timeout = std::chrono::seconds(limits::close_flush_seconds);
};

/// What goes to the peer goes through it, and nothing goes beside it: neither a packet nor a
/// question for an address.
struct Proxy {
    Endpoint at; ///< an IPv4 or IPv6 address: a name is not looked up
    Socks5Credentials credentials;
};

/// A connection lives until it is closed, whether or not anybody keeps the pointer; handlers may
/// send, close and drop the pointer. Destroying the context ends it without a call. An exception
/// from a handler leaves io_context::run().
class Connection {
  public:
    struct Handlers {
        std::function<void()> connected; ///< also for an accepted peer, once reading starts
        std::function<void(Message)> message;
        /// After every read, once the messages in it are delivered: bytes so far (for progress and
        /// floors).
        std::function<void(std::uint64_t bytes_received)> progress;
        std::function<void(Closed)> closed;             ///< exactly once, last
        std::function<void(std::string_view)> remark{}; ///< for people who want to know more
    };

    /// Resolves (IPv4, IPv6, names; each address in turn), connects and reads until closed. Of
    /// several addresses each gets an equal share of the time that is left, so that one that
    /// swallows packets does not hide the next. Through a proxy the peer's name is left to it. No
    /// handler is called before this returns.
    static std::shared_ptr<Connection> open(boost::asio::io_context& context,
                                            const chain::Network& network, const Endpoint& endpoint,
                                            std::chrono::milliseconds connect_timeout,
                                            Handlers handlers, const ConnectionBounds& bounds = {},
                                            const std::optional<Proxy>& proxy = std::nullopt);
    virtual ~Connection() = default;

    /// Queues a message; written strictly in the order of the calls. False when the queue is full
    /// (limits::max_send_queue_bytes): the connection is then closed.
    virtual bool send(const Message& message) = 0;
    /// Sends what is queued if `flush` (at most limits::close_flush_seconds long, and only when
    /// connected), then closes. No message is delivered from here on; `closed` is still called,
    /// from the context, with CloseReason::local.
    virtual void close(bool flush = false) = 0;
    /// Both counts stay readable after the end.
    virtual std::uint64_t bytes_received() const = 0;
    virtual std::uint64_t bytes_sent() const = 0;
};

/// Accepts peers on loopback (127.0.0.1): for the simulated node behind a real port. Destroying it
/// stops the accepting; accepted connections go on.
class Listener {
  public:
    /// Port 0 takes a free one. `on_accept` gets each connection before its first byte is read and
    /// may already send. Errors: in_use, io.
    static result<std::unique_ptr<Listener>>
    open(boost::asio::io_context& context, const chain::Network& network, std::uint16_t port,
         std::function<Connection::Handlers(std::shared_ptr<Connection>)> on_accept);
    virtual ~Listener() = default;
    virtual std::uint16_t port() const = 0;
};

} // namespace headlight::p2p::asio
