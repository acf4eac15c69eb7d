#include "regtest/sim_server.hpp"

#include "p2p/framing.hpp"
#include "regtest/node_frames.hpp"
#include "regtest/recorder.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>

namespace headlight::regtest {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

class Server;

/// One client. Lives as long as an operation of its socket or timers holds it.
class Client : public std::enable_shared_from_this<Client> {
  public:
    Client(Server& server, SimSession& session, const SimNode& node, tcp::socket socket,
           std::uint32_t number)
        : number_(number),
          server_(&server),
          session_(&session),
          network_(node.chain().network()),
          frames_(network_, node.config().any_magic),
          socket_(std::move(socket)),
          wake_(socket_.get_executor()),
          pace_(socket_.get_executor()) {}

    void start() {
        error_code ignored;
        socket_.set_option(tcp::no_delay(true), ignored);
        flush();
        read();
    }
    /// Queues what the session says, and sees to its next wish to be woken.
    void flush();
    /// The server is gone, and the node with it.
    void abandon() {
        server_ = nullptr;
        close();
    }

  private:
    void read();
    void take(ByteView bytes);
    void write();
    void arm();
    void close(bool by_client = false);

    std::uint32_t number_;
    Server* server_;
    SimSession* session_; // null once closed
    const chain::Network& network_;
    NodeFrames frames_;
    tcp::socket socket_;
    boost::asio::steady_timer wake_;
    boost::asio::steady_timer pace_;
    std::array<std::uint8_t, 65'536> in_{};
    Bytes out_;
    std::size_t written_ = 0;
    bool writing_ = false;
    bool ends_ = false; // once out_ is written
};

class Server final : public SimServer {
  public:
    Server(boost::asio::io_context& context, SimNode& node, Recorder* recorder)
        : node_(node),
          recorder_(recorder),
          acceptor_(context),
          start_(std::chrono::steady_clock::now()) {}
    ~Server() override {
        for (const auto& client : std::exchange(clients_, {}))
            client->abandon();
    }

    error_code listen(std::uint16_t port) {
        const tcp::endpoint local(boost::asio::ip::address_v4::loopback(), port);
        error_code error;
        acceptor_.open(local.protocol(), error);
        if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor_.bind(local, error);
        if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
        if (!error) accept();
        return error;
    }

    const SimNodeConfig& reads() const { return node_.config(); }
    Recorder* recorder() const { return recorder_; }
    std::uint16_t port() const override {
        error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }
    std::int64_t now_ms() const override {
        const auto passed = std::chrono::steady_clock::now() - start_;
        return std::chrono::duration_cast<milliseconds>(passed).count();
    }
    void flush() override {
        const auto clients = clients_; // one that closes leaves the list
        for (const auto& client : clients)
            client->flush();
    }

    void remove(const std::shared_ptr<Client>& client, SimSession& session) {
        std::erase(clients_, client);
        node_.close(session);
    }

  private:
    void accept() {
        acceptor_.async_accept(
            [this, alive = std::weak_ptr(alive_)](error_code error, tcp::socket socket) {
                if (alive.expired() || error == boost::asio::error::operation_aborted) return;
                if (!error) {
                    auto& session = node_.open(now_ms());
                    const auto number = ++accepted_;
                    if (recorder_) recorder_->opened(number, now_ms());
                    clients_.push_back(
                        std::make_shared<Client>(*this, session, node_, std::move(socket), number));
                    clients_.back()->start();
                }
                accept();
            });
    }

    SimNode& node_;
    Recorder* recorder_;
    tcp::acceptor acceptor_;
    std::uint32_t accepted_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::vector<std::shared_ptr<Client>> clients_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // for what the context still holds
};

void Client::read() {
    socket_.async_read_some(boost::asio::buffer(in_),
                            [self = shared_from_this()](error_code error, std::size_t count) {
                                if (error) return self->close(true);
                                self->take(ByteView(self->in_).first(count));
                                if (self->session_) self->read();
                            });
}

void Client::take(ByteView bytes) {
    if (!session_) return;
    using Reading = SimNodeConfig::Reading;
    const auto reading = server_->reads().reading;
    frames_.feed(bytes);
    while (const auto frame = frames_.next()) {
        if (auto* recorder = server_->recorder())
            recorder->came(number_, server_->now_ms(), *frame);
        session_->on(*frame, server_->now_ms());
        if (reading == Reading::first_frame_of_segment) frames_.drop();
    }
    if (reading == Reading::whole_frames_only && frames_.in_a_frame()) session_->close();
    server_->flush(); // what one client says may be news for all
}

void Client::flush() {
    if (!session_) return;
    for (auto& outgoing : session_->take()) {
        if (auto* recorder = server_->recorder())
            recorder->went(number_, server_->now_ms(), outgoing);
        Bytes bytes;
        if (const auto* message = std::get_if<p2p::Message>(&outgoing)) {
            bytes = encode_frame(network_, *message);
        } else if (auto* raw = std::get_if<RawBytes>(&outgoing)) {
            bytes = std::move(raw->bytes);
        } else {
            ends_ = true;
        }
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }
    if (!writing_) write();
    if (session_) arm();
}

void Client::write() {
    if (written_ == out_.size()) {
        out_.clear();
        written_ = 0;
        writing_ = false;
        if (ends_) close();
        return;
    }
    writing_ = true;
    // A slow link sends a tenth of its second's bytes ten times a second, but at least one byte.
    const auto rate = session_ ? session_->bytes_per_second() : 0;
    const auto piece =
        rate > 0 ? static_cast<std::size_t>(std::max<std::int64_t>(rate / 10, 1)) : out_.size();
    Bytes bytes(out_.begin() + static_cast<std::ptrdiff_t>(written_),
                out_.begin() +
                    static_cast<std::ptrdiff_t>(std::min(written_ + piece, out_.size())));
    written_ += bytes.size();
    const auto kept = std::make_shared<Bytes>(std::move(bytes));
    const milliseconds pause(rate > 0 ? std::max<std::int64_t>(1'000 / rate, 100) : 0);
    boost::asio::async_write(
        socket_, boost::asio::buffer(*kept),
        [self = shared_from_this(), kept, pause](error_code error, std::size_t) {
            if (error) return self->close();
            if (pause.count() == 0) return self->write();
            self->pace_.expires_after(pause);
            self->pace_.async_wait([self](error_code stopped) {
                if (!stopped) self->write();
            });
        });
}

void Client::arm() {
    const auto wake_ms = session_->next_wake_ms();
    if (!wake_ms) return;
    const auto left = std::max<std::int64_t>(*wake_ms - server_->now_ms(), 1);
    wake_.expires_after(milliseconds(left)); // voids an earlier wait
    wake_.async_wait([self = shared_from_this()](error_code stopped) {
        if (stopped || !self->session_) return;
        self->session_->tick(self->server_->now_ms());
        self->flush();
    });
}

void Client::close(bool by_client) {
    if (!session_) return;
    if (auto* recorder = server_ ? server_->recorder() : nullptr)
        recorder->closed(number_, server_->now_ms(), by_client);
    auto& session = *std::exchange(session_, nullptr);
    error_code ignored;
    socket_.close(ignored);
    wake_.cancel();
    pace_.cancel();
    if (server_) server_->remove(shared_from_this(), session);
}

} // namespace

result<std::unique_ptr<SimServer>> SimServer::open(boost::asio::io_context& context, SimNode& node,
                                                   std::uint16_t port, Recorder* recorder) {
    auto server = std::make_unique<Server>(context, node, recorder);
    if (const auto error = server->listen(port)) {
        const bool taken = error == boost::asio::error::address_in_use;
        return Error{taken ? errc::in_use : errc::io,
                     "cannot listen on 127.0.0.1:" + std::to_string(port), error.message()};
    }
    return std::unique_ptr<SimServer>(std::move(server));
}

} // namespace headlight::regtest
