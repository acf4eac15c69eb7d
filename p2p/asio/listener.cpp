// Accepting peers on loopback.
#include "p2p/asio/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace headlight::p2p::asio {
namespace {

constexpr auto to_tuple = boost::asio::as_tuple(boost::asio::use_awaitable);
constexpr std::chrono::milliseconds pause_after_failure{100}; // such as: no file descriptor left

using OnAccept = std::function<Connection::Handlers(std::shared_ptr<Connection>)>;

/// Owned by its coroutine, as a session is.
class Acceptor {
  public:
    Acceptor(boost::asio::io_context& context, const chain::Network& network, OnAccept on_accept)
        : context_(context),
          network_(network),
          on_accept_(std::move(on_accept)),
          acceptor_(context),
          pause_(context) {}

    error_code listen(std::uint16_t port) {
        const tcp::endpoint local(boost::asio::ip::address_v4::loopback(), port);
        error_code error;
        acceptor_.open(local.protocol(), error);
        if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor_.bind(local, error);
        if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
        return error;
    }

    std::uint16_t port() const {
        error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }

    void stop() {
        error_code ignored;
        acceptor_.close(ignored);
        pause_.cancel();
    }

    static awaitable<void> run(std::shared_ptr<Acceptor> self) {
        while (self->acceptor_.is_open()) {
            tcp::socket socket(self->context_);
            const auto [error] = co_await self->acceptor_.async_accept(socket, to_tuple);
            if (!self->acceptor_.is_open()) break;
            if (error) {
                self->pause_.expires_after(pause_after_failure);
                co_await self->pause_.async_wait(to_tuple);
            } else {
                self->take(std::move(socket));
            }
        }
    }

  private:
    void take(tcp::socket socket) {
        const auto session = std::make_shared<Session>(context_, network_, ConnectionBounds{});
        session->adopt(std::move(socket));
        session->set_handlers(on_accept_(session->handle()));
        session->serve();
    }

    boost::asio::io_context& context_;
    const chain::Network& network_;
    OnAccept on_accept_;
    tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
};

class ListenerHandle final : public Listener {
  public:
    explicit ListenerHandle(const std::shared_ptr<Acceptor>& acceptor)
        : acceptor_(acceptor), port_(acceptor->port()) {}
    ~ListenerHandle() override {
        if (const auto acceptor = acceptor_.lock()) acceptor->stop();
    }
    std::uint16_t port() const override { return port_; }

  private:
    std::weak_ptr<Acceptor> acceptor_;
    std::uint16_t port_;
};

} // namespace

result<std::unique_ptr<Listener>> Listener::open(boost::asio::io_context& context,
                                                 const chain::Network& network, std::uint16_t port,
                                                 OnAccept on_accept) {
    const auto acceptor = std::make_shared<Acceptor>(context, network, std::move(on_accept));
    if (const auto error = acceptor->listen(port)) {
        const bool taken = error == boost::asio::error::address_in_use;
        return Error{taken ? errc::in_use : errc::io,
                     "cannot listen on 127.0.0.1:" + std::to_string(port), error.message(),
                     taken ? "Choose another port" : ""};
    }
    boost::asio::co_spawn(context, Acceptor::run(acceptor), [](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
    });
    return std::unique_ptr<Listener>(std::make_unique<ListenerHandle>(acceptor));
}

} // namespace headlight::p2p::asio
