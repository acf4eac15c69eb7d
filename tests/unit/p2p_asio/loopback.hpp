// A context under the test's control, a record of what a connection said, and a peer of raw
// sockets.
#pragma once

#include "p2p/asio/connection.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace headlight::tests {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

inline const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// What one connection told its handlers, in order.
struct Record {
    std::vector<p2p::Message> messages;
    std::vector<p2p::asio::Closed> closed;
    std::string events; ///< C connected, m message, p progress, x closed
    std::function<void()> on_connected = [] {};
    std::function<void(const p2p::Message&)> on_message = [](const p2p::Message&) {};

    /// The record has to outlive the connection.
    p2p::asio::Connection::Handlers handlers() {
        return {[this] {
                    events += 'C';
                    on_connected();
                },
                [this](p2p::Message message) {
                    events += 'm';
                    messages.push_back(message);
                    on_message(message);
                },
                [this](std::uint64_t) { events += 'p'; },
                [this](p2p::asio::Closed why) {
                    events += 'x';
                    closed.push_back(std::move(why));
                }};
    }
    bool connected() const { return events.starts_with('C'); }
};

/// A peer that speaks bytes, on sockets of its own.
class RawPeer {
  public:
    explicit RawPeer(const char* address = "127.0.0.1")
        : acceptor_(context_, {boost::asio::ip::make_address(address), 0}) {}

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    void accept() {
        acceptor_.accept(socket_);
        socket_.non_blocking(true); // a test that reads too much fails, rather than hangs
    }
    void write(ByteView bytes) {
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()));
    }
    void write(const p2p::Message& message) { write(p2p::encode_frame(regtest(), message)); }
    /// The next `count` bytes; fewer at the end of the stream, or when they do not come.
    Bytes read(std::size_t count) {
        Bytes bytes(count);
        std::size_t have = 0;
        for (int patience = 500; have < count && patience > 0;) {
            boost::system::error_code error;
            have +=
                socket_.read_some(boost::asio::buffer(bytes.data() + have, count - have), error);
            if (error == boost::asio::error::would_block) {
                std::this_thread::sleep_for(2ms);
                --patience;
            } else if (error) {
                break;
            }
        }
        bytes.resize(have);
        return bytes;
    }
    /// Whether the other side has ended the stream.
    bool at_end() {
        Bytes one(1);
        boost::system::error_code error;
        socket_.read_some(boost::asio::buffer(one), error);
        return error == boost::asio::error::eof;
    }
    void end_writing() { socket_.shutdown(tcp::socket::shutdown_send); }
    void close() { socket_.close(); }
    void reset() {
        socket_.set_option(tcp::socket::linger(true, 0));
        socket_.close();
    }
    tcp::socket& socket() { return socket_; }
    tcp::acceptor& acceptor() { return acceptor_; }

  private:
    boost::asio::io_context context_;
    tcp::acceptor acceptor_;
    tcp::socket socket_{context_};
};

class Loopback : public testing::Test {
  protected:
    /// Runs the context until `wanted` holds; fails the test after five seconds.
    template <class Predicate>
    bool run_until(Predicate wanted) {
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!wanted()) {
            if (std::chrono::steady_clock::now() > end) {
                ADD_FAILURE() << "waited in vain";
                return false;
            }
            context->restart();
            context->run_one_for(20ms);
        }
        return true;
    }
    /// Runs whatever is ready, and what follows from it within a moment.
    void settle(std::chrono::milliseconds moment = 30ms) {
        context->restart();
        context->run_for(moment);
        context->restart();
        context->poll(); // on a busy machine the moment may pass before anything ran
    }

    std::shared_ptr<p2p::asio::Connection> open(Record& record, p2p::Endpoint endpoint,
                                                std::chrono::milliseconds timeout = 3s,
                                                const p2p::asio::ConnectionBounds& bounds = {}) {
        return p2p::asio::Connection::open(*context, regtest(), endpoint, timeout,
                                           record.handlers(), bounds);
    }
    /// A connection to a raw peer, up on both sides.
    std::shared_ptr<p2p::asio::Connection> open(Record& record, RawPeer& peer,
                                                const p2p::asio::ConnectionBounds& bounds = {}) {
        auto connection = open(record, {"127.0.0.1", peer.port()}, 3s, bounds);
        run_until([&] { return record.connected(); });
        peer.accept();
        return connection;
    }
    p2p::asio::CloseReason closed(const Record& record) {
        run_until([&] { return !record.closed.empty(); });
        settle(); // anything that came after would show
        EXPECT_EQ(record.closed.size(), 1u);
        EXPECT_TRUE(record.events.ends_with('x')) << record.events;
        return record.closed.empty() ? p2p::asio::CloseReason{} : record.closed.front().reason;
    }

    std::unique_ptr<boost::asio::io_context> context = std::make_unique<boost::asio::io_context>(1);
};

} // namespace headlight::tests
