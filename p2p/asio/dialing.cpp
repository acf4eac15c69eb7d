// From a name to a connected socket, within one deadline.
#include "p2p/asio/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace headlight::p2p::asio {
namespace {

constexpr auto to_tuple = boost::asio::as_tuple(boost::asio::use_awaitable);

std::string text_of(const tcp::endpoint& address) {
    return to_string(Endpoint{address.address().to_string(), address.port()});
}

} // namespace

void Session::dial(const Endpoint& endpoint, std::chrono::milliseconds timeout) {
    spawn(connect_and_read(shared_from_this(), endpoint, Clock::now() + timeout));
}

awaitable<void> Session::connect_and_read(std::shared_ptr<Session> self, Endpoint endpoint,
                                          Clock::time_point deadline) {
    const auto addresses = co_await resolve(self, endpoint, deadline);
    if (self->state_ == State::closed) co_return;
    if (addresses.list.empty()) {
        self->finish(CloseReason::resolve_failed, endpoint.host + ": " + addresses.error.message());
        co_return;
    }
    std::string failures;
    for (std::size_t i = 0; i < addresses.list.size(); ++i) {
        const auto now = Clock::now();
        const auto shares = static_cast<int>(addresses.list.size() - i);
        const auto error =
            co_await connect(self, addresses.list[i], now + (deadline - now) / shares);
        if (self->state_ == State::closed) co_return;
        if (!error) {
            self->opened();
            co_await read(self);
            co_return;
        }
        if (!failures.empty()) failures += "; ";
        failures += text_of(addresses.list[i]) + ": " + error.message();
    }
    self->finish(CloseReason::connect_failed, failures);
}

/// The system's resolver cannot be interrupted: past the deadline it is left to end by itself.
awaitable<Session::Addresses> Session::resolve(std::shared_ptr<Session> self, Endpoint endpoint,
                                               Clock::time_point deadline) {
    const auto found = std::make_shared<Addresses>();
    const auto literal = boost::asio::ip::make_address(endpoint.host, found->error);
    if (!found->error) {
        found->list.emplace_back(literal, endpoint.port);
        co_return *found;
    }
    found->error = boost::asio::error::timed_out;
    self->patience_.timer.expires_at(deadline);
    self->resolver_.async_resolve(
        endpoint.host, std::to_string(endpoint.port), tcp::resolver::numeric_service,
        [found, weak = self->weak_from_this()](const error_code& error,
                                               const tcp::resolver::results_type& results) {
            found->error = error;
            for (const auto& entry : results)
                found->list.push_back(entry.endpoint());
            if (const auto alive = weak.lock()) alive->patience_.timer.cancel();
        });
    co_await self->patience_.timer.async_wait(to_tuple);
    co_return *found;
}

awaitable<error_code> Session::connect(std::shared_ptr<Session> self, tcp::endpoint address,
                                       Clock::time_point deadline) {
    error_code refused;
    self->socket_.close(refused);
    self->socket_.open(address.protocol(), refused);
    if (refused) co_return refused; // such as IPv6 where there is none
    self->arm(self->patience_, deadline, &Session::connect_timed_out);
    const auto [error] = co_await self->socket_.async_connect(address, to_tuple);
    disarm(self->patience_);
    if (!error && self->state_ != State::closed && !self->socket_.is_open()) {
        co_return boost::asio::error::timed_out; // both at once
    }
    if (error == boost::asio::error::operation_aborted) co_return boost::asio::error::timed_out;
    co_return error;
}

void Session::connect_timed_out() {
    error_code ignored;
    socket_.close(ignored);
}

} // namespace headlight::p2p::asio
