// Through a SOCKS5 proxy to a connected peer, within one deadline. The resolver is not touched.
#include "p2p/asio/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace headlight::p2p::asio {
namespace {

constexpr auto as_pair = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace

void Session::dial_through(const Proxy& proxy, const Endpoint& endpoint,
                           std::chrono::milliseconds timeout) {
    spawn(connect_through(shared_from_this(), proxy, endpoint, Clock::now() + timeout));
}

awaitable<void> Session::connect_through(std::shared_ptr<Session> self, Proxy proxy,
                                         Endpoint endpoint, Clock::time_point deadline) {
    error_code error;
    const auto address = boost::asio::ip::make_address(proxy.at.host, error);
    if (!error) error = co_await connect(self, {address, proxy.at.port}, deadline);
    if (self->state_ == State::closed) co_return;
    if (error) {
        self->finish(CloseReason::no_proxy, error.message());
        co_return;
    }
    Socks5 socks(std::move(endpoint), std::move(proxy.credentials));
    self->arm(self->patience_, deadline, &Session::connect_timed_out);
    const auto end = co_await ask_proxy(self, socks);
    disarm(self->patience_);
    if (self->state_ == State::closed) co_return;
    if (end.failure) {
        const bool of_peer = end.failure->of == Socks5Failure::Of::peer;
        self->finish(of_peer ? CloseReason::proxy_failed : CloseReason::proxy_refused,
                     end.failure->cause);
        co_return;
    }
    self->opened();
    if (socks.anonymous() && self->handlers_.remark)
        self->handlers_.remark("the proxy takes no user name: it cannot tell this peer's "
                               "connection from the others'");
    co_await read(self);
}

/// To the last step; what happens to the line is one, too.
awaitable<Socks5::Step> Session::ask_proxy(std::shared_ptr<Session> self, Socks5& socks) {
    auto step = socks.start();
    Bytes answer;
    while (!step.done && !step.failure) {
        // Where that fails, the read tells: also what the proxy said before it went.
        co_await boost::asio::async_write(self->socket_, boost::asio::buffer(step.send), as_pair);
        answer.resize(socks.wanted());
        const auto [unread, count] =
            co_await self->socket_.async_read_some(boost::asio::buffer(answer), as_pair);
        step = unread ? socks.lost(self->words_of_loss(unread))
                      : socks.on(ByteView(answer).first(count));
    }
    co_return step;
}

std::string Session::words_of_loss(const error_code& error) const {
    if (error == boost::asio::error::eof) return "it closed the connection without an answer";
    if (!socket_.is_open()) return "it did not answer in time";
    return error.message();
}

} // namespace headlight::p2p::asio
