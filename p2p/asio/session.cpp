// Reading, writing and ending a connection.
#include "p2p/asio/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace headlight::p2p::asio {
namespace {

constexpr auto to_tuple = boost::asio::as_tuple(boost::asio::use_awaitable);

} // namespace

Session::Session(boost::asio::io_context& context, const chain::Network& network,
                 const ConnectionBounds& bounds)
    : context_(context),
      bounds_(bounds),
      resolver_(context),
      socket_(context),
      patience_(context),
      write_patience_(context),
      reader_(network) {}

void Session::spawn(awaitable<void> coroutine) {
    // A coroutine fails only by a handler's exception: that is the program's fault and ends run().
    boost::asio::co_spawn(context_, std::move(coroutine), [](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
    });
}

void Session::arm(Deadline& deadline, Clock::time_point at, void (Session::*expired)()) {
    const auto generation = ++deadline.generation;
    deadline.timer.expires_at(at);
    deadline.timer.async_wait(
        [weak = weak_from_this(), &deadline, generation, expired](const error_code& error) {
            const auto self = weak.lock();
            if (!error && self && deadline.generation == generation) (self.get()->*expired)();
        });
}

void Session::disarm(Deadline& deadline) {
    ++deadline.generation;
    deadline.timer.cancel();
}

void Session::adopt(tcp::socket socket) {
    socket_ = std::move(socket);
    opened();
}

void Session::serve() { spawn(read(shared_from_this())); }

void Session::opened() {
    error_code ignored; // a socket that refuses the option works without
    socket_.set_option(tcp::no_delay(true), ignored);
    inbox_.resize(limits::read_buffer_bytes);
    state_ = State::open;
    if (!queue_.empty()) start_writing();
}

awaitable<void> Session::read(std::shared_ptr<Session> self) {
    co_await boost::asio::post(self->context_, boost::asio::use_awaitable);
    if (self->state_ == State::open && self->handlers_.connected) self->handlers_.connected();
    while (self->state_ != State::closed) {
        const auto [error, count] =
            co_await self->socket_.async_read_some(boost::asio::buffer(self->inbox_), to_tuple);
        if (error) {
            self->read_ended(error);
            break;
        }
        self->traffic_->received += count;
        if (self->state_ == State::open) self->deliver(ByteView(self->inbox_).first(count));
    }
}

void Session::deliver(ByteView bytes) {
    reader_.feed(bytes);
    for (;;) {
        auto next = reader_.next();
        if (!next) {
            auto error = next.error();
            const auto detail = std::string(to_string(error.fault)) + ": " + error.detail;
            return finish(CloseReason::frame_fault, detail, std::move(error));
        }
        if (!*next) break;
        if (handlers_.message) handlers_.message(std::move(**next));
        if (state_ != State::open) return;
    }
    if (handlers_.progress) handlers_.progress(traffic_->received);
}

void Session::read_ended(const error_code& error) {
    end_of_stream_ = true;
    const bool clean = error == boost::asio::error::eof;
    // A peer that only stopped talking may still listen to our last words.
    if (state_ == State::flushing && clean && writing_ && !broken_) return;
    finish(clean ? CloseReason::peer_closed : CloseReason::network_error, error.message());
}

bool Session::send(const Message& message) {
    if (state_ == State::closed || state_ == State::flushing) return false;
    const auto frame = encode_frame(reader_.network(), message);
    if (queue_.size() + unsent_ + frame.size() > bounds_.send_queue_bytes) {
        finish(CloseReason::queue_full,
               "over " + std::to_string(bounds_.send_queue_bytes) + " bytes wait to be sent");
        return false;
    }
    queue_.insert(queue_.end(), frame.begin(), frame.end());
    if (state_ == State::open) start_writing();
    return true;
}

void Session::start_writing() {
    if (writing_) return;
    writing_ = true;
    spawn(write(shared_from_this()));
}

awaitable<void> Session::write(std::shared_ptr<Session> self) {
    // Behind whatever runs now, so that all it sends goes out in one write.
    co_await boost::asio::post(self->context_, boost::asio::use_awaitable);
    while (self->state_ != State::closed && !self->queue_.empty()) {
        self->in_flight_.clear();
        self->in_flight_.swap(self->queue_);
        self->unsent_ = self->in_flight_.size();
        while (self->unsent_ > 0) {
            const auto rest = ByteView(self->in_flight_).last(self->unsent_);
            self->arm(self->write_patience_, Clock::now() + self->bounds_.write_timeout,
                      &Session::write_timed_out);
            const auto [error, count] = co_await self->socket_.async_write_some(
                boost::asio::buffer(rest.data(), rest.size()), to_tuple);
            disarm(self->write_patience_);
            if (self->state_ == State::closed) co_return;
            if (error) {
                // What the peer said before it went is still to be read; the reader ends the
                // session.
                error_code ignored;
                self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
                if (self->end_of_stream_) self->finish(CloseReason::network_error, error.message());
                co_return;
            }
            self->unsent_ -= count;
            self->traffic_->sent += count;
        }
    }
    self->writing_ = false;
    if (self->state_ == State::flushing) self->flushed();
}

void Session::close(bool flush) {
    if (state_ == State::closed || (state_ == State::flushing && flush)) return;
    if (!flush || state_ == State::connecting) return finish(CloseReason::local, "");
    state_ = State::flushing;
    arm(patience_, Clock::now() + bounds_.flush_timeout, &Session::flush_timed_out);
    if (!writing_) flushed();
}

/// All is with the system now. Closing at once could reset the connection and lose it on the way,
/// so the peer's own end is waited for.
void Session::flushed() {
    if (end_of_stream_) return finish(CloseReason::local, "");
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Session::flush_timed_out() { finish(CloseReason::local, "the peer did not take it all"); }

void Session::write_timed_out() {
    finish(CloseReason::write_timeout,
           "the peer took nothing for " + std::to_string(bounds_.write_timeout.count()) + " ms");
}

void Session::finish(CloseReason reason, std::string detail,
                     std::optional<FrameError> frame_error) {
    if (state_ == State::closed) return;
    if (state_ == State::flushing) reason = CloseReason::local;
    state_ = State::closed;
    disarm(patience_);
    disarm(write_patience_);
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
    Closed closed{reason, std::move(detail), std::move(frame_error), traffic_->received,
                  traffic_->sent};
    boost::asio::post(context_, [self = shared_from_this(), closed = std::move(closed)]() mutable {
        const auto handlers = std::move(self->handlers_);
        if (handlers.closed) handlers.closed(std::move(closed));
    });
}

} // namespace headlight::p2p::asio
