// One TCP connection to a peer, on Boost.Asio; no Asio type shows here. All calls and callbacks are on
// the one thread that runs the context behind `Runtime`.
#pragma once

#include "p2p/framing.hpp"

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
};
std::string_view to_string(CloseReason reason);

struct Closed {
    CloseReason reason{};
    std::string detail; ///< the system's words
    std::optional<FrameError> frame_error{};
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
};

class Connection {
  public:
    struct Handlers {
        std::function<void()> connected;
        std::function<void(Message)> message;
        /// After every read, once the messages in it are delivered: bytes so far (for progress and floors).
        std::function<void(std::uint64_t bytes_received)> progress;
        std::function<void(Closed)> closed; ///< exactly once, last
    };

    /// Resolves (IPv4, IPv6, names; each address in turn), connects and reads until closed.
    static std::shared_ptr<Connection> open(boost::asio::io_context& context,
                                            const chain::Network& network, const Endpoint& endpoint,
                                            std::chrono::milliseconds connect_timeout,
                                            Handlers handlers);
    virtual ~Connection() = default;

    /// Queues a message; written strictly in the order of the calls. False when the queue is full
    /// (limits::max_send_queue_bytes): the connection is then closed.
    virtual bool send(const Message& message) = 0;
    /// Sends what is queued if `flush`, then closes. `closed` is still called, with CloseReason::local.
    virtual void close(bool flush = false) = 0;
    virtual std::uint64_t bytes_received() const = 0;
    virtual std::uint64_t bytes_sent() const = 0;
};

/// Accepts peers on loopback: for the simulated node behind a real port.
class Listener {
  public:
    static result<std::unique_ptr<Listener>>
    open(boost::asio::io_context& context, const chain::Network& network, std::uint16_t port,
         std::function<Connection::Handlers(std::shared_ptr<Connection>)> on_accept);
    virtual ~Listener() = default;
    virtual std::uint16_t port() const = 0;
};

} // namespace headlight::p2p::asio
