// The life of one connection, inside p2p/asio only (Asio shows here): owned by its own coroutines
// and by nobody else, so that it ends with them, or with the context.
#pragma once

#include "p2p/asio/connection.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <vector>

namespace headlight::p2p::asio {

using boost::asio::awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;

/// Shared with the handle, which may outlive the session.
struct Traffic {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
};

class Session : public std::enable_shared_from_this<Session> {
  public:
    using Clock = std::chrono::steady_clock;

    Session(boost::asio::io_context& context, const chain::Network& network,
            const ConnectionBounds& bounds);

    void set_handlers(Connection::Handlers handlers) { handlers_ = std::move(handlers); }
    /// Connects, then reads until closed.
    void dial(const Endpoint& endpoint, std::chrono::milliseconds timeout);
    /// The same with the peer at the far end of a proxy.
    void dial_through(const Proxy& proxy, const Endpoint& endpoint,
                      std::chrono::milliseconds timeout);
    /// Takes a connected socket; send() works from here on.
    void adopt(tcp::socket socket);
    /// Reads an adopted socket until closed.
    void serve();

    bool send(const Message& message);
    void close(bool flush);

    const std::shared_ptr<Traffic>& traffic() const { return traffic_; }
    /// What callers hold: it never keeps the session, so it may outlive it and the context.
    std::shared_ptr<Connection> handle();

  private:
    enum class State { connecting, open, flushing, closed };

    /// A timer whose expiry, even when already queued, does nothing once it is disarmed.
    struct Deadline {
        explicit Deadline(boost::asio::io_context& context) : timer(context) {}
        boost::asio::steady_timer timer;
        std::uint64_t generation = 0;
    };

    struct Addresses {
        error_code error;
        std::vector<tcp::endpoint> list;
    };

    // Coroutines; each holds the session by its parameter.
    static awaitable<void> connect_and_read(std::shared_ptr<Session> self, Endpoint endpoint,
                                            Clock::time_point deadline);
    static awaitable<Addresses> resolve(std::shared_ptr<Session> self, Endpoint endpoint,
                                        Clock::time_point deadline);
    static awaitable<error_code> connect(std::shared_ptr<Session> self, tcp::endpoint address,
                                         Clock::time_point deadline);
    static awaitable<void> connect_through(std::shared_ptr<Session> self, Proxy proxy,
                                           Endpoint endpoint, Clock::time_point deadline);
    static awaitable<Socks5::Step> ask_proxy(std::shared_ptr<Session> self, Socks5& socks);
    static awaitable<void> read(std::shared_ptr<Session> self);
    static awaitable<void> write(std::shared_ptr<Session> self);

    void spawn(awaitable<void> coroutine);
    void arm(Deadline& deadline, Clock::time_point at, void (Session::*expired)());
    static void disarm(Deadline& deadline);

    void opened();
    void start_writing();
    void deliver(ByteView bytes);
    void read_ended(const error_code& error);
    void flushed();
    void write_timed_out();
    void flush_timed_out();
    void connect_timed_out();
    std::string words_of_loss(const error_code& error) const;
    void finish(CloseReason reason, std::string detail,
                std::optional<FrameError> frame_error = std::nullopt);

    boost::asio::io_context& context_;
    ConnectionBounds bounds_;
    std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
    Connection::Handlers handlers_;
    tcp::resolver resolver_;
    tcp::socket socket_;
    Deadline patience_; ///< for the connect, later for the last flush
    Deadline write_patience_;
    State state_ = State::connecting;
    FrameReader reader_;
    Bytes inbox_;
    Bytes queue_;            ///< frames that wait, one behind the other: one write takes them all
    Bytes in_flight_;        ///< what the current write sends
    std::size_t unsent_ = 0; ///< of in_flight_
    bool writing_ = false;
    bool broken_ = false; ///< a write failed: only what the peer said before is still to be read
    bool end_of_stream_ = false;
};

} // namespace headlight::p2p::asio
