#include "client/driver.hpp"

#include "client/signals.hpp"
#include "p2p/asio/connection.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <map>
#include <random>

namespace headlight::client {

namespace {

using boost::system::error_code;
using p2p::asio::CloseReason;
using p2p::asio::Connection;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

sync::Loss loss_of(const p2p::asio::Closed& closed) {
    switch (closed.reason) {
    case CloseReason::resolve_failed:
        return sync::Loss::unresolved;
    case CloseReason::connect_failed:
        return sync::Loss::refused;
    case CloseReason::network_error:
        return sync::Loss::network;
    case CloseReason::write_timeout:
    case CloseReason::queue_full:
        return sync::Loss::write_stuck;
    case CloseReason::frame_fault:
        return closed.frame_error && closed.frame_error->fault == p2p::FrameFault::wrong_magic
                   ? sync::Loss::wrong_magic
                   : sync::Loss::bad_frame;
    case CloseReason::no_proxy:
        return sync::Loss::no_proxy;
    case CloseReason::proxy_refused:
        return sync::Loss::proxy_refused;
    case CloseReason::proxy_failed:
        return sync::Loss::proxy_failed;
    case CloseReason::local:
    case CloseReason::peer_closed:
        break;
    }
    return sync::Loss::closed;
}

std::string detail_of(const p2p::asio::Closed& closed) {
    return closed.frame_error ? closed.frame_error->detail : closed.detail;
}

std::int64_t steady_ms() {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

sync::Now now() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return {.steady_ms = steady_ms(),
            .unix_seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count()};
}

/// 128 bits, in hex.
std::string random_word() {
    std::random_device device;
    chain::Writer writer;
    for (int i = 0; i < 4; ++i)
        writer.u32(device());
    return to_hex(writer.data());
}

class Driver {
  public:
    explicit Driver(const Drive& drive)
        : drive_(drive),
          timer_(context_),
          timeout_(context_),
          second_(context_),
          signal_(context_) {}

    SyncOutcome run(int signal_descriptor) {
        if (signal_descriptor >= 0) watch_signals(signal_descriptor);
        if (drive_.options.timeout_ms > 0) start_timeout();
        if (drive_.options.every_second) next_second();
        feed(sync::event::Started{});
        while (!finished_ && context_.run_one() > 0) {
        }
        shut_down();
        return outcome();
    }

  private:
    // An event that comes while the engine handles another one waits; the answer to Persist goes
    // before all others.
    void feed(sync::Event event) {
        events_.push_back(std::move(event));
        if (handling_) return;
        handling_ = true;
        while (!finished_ && (!stored_.empty() || !events_.empty())) {
            auto& queue = stored_.empty() ? events_ : stored_;
            const sync::Event next = std::move(queue.front());
            queue.pop_front();
            for (auto& action : drive_.engine.on(next, now()))
                std::visit([this](auto& one) { execute(one); }, action);
        }
        handling_ = false;
    }

    void execute(const sync::action::Connect& connect) {
        const auto peer = connect.peer;
        Connection::Handlers handlers{
            .connected = [this, peer] { feed(sync::event::Connected{peer}); },
            .message =
                [this, peer](p2p::Message message) {
                    // First the bytes that it came with, since it may end the run.
                    if (const auto connection = find(peer))
                        tell_bytes(peer, connection->bytes_received());
                    feed(sync::event::Received{peer, std::move(message)});
                },
            .progress = [this, peer](std::uint64_t received) { tell_bytes(peer, received); },
            .closed =
                [this, peer](const p2p::asio::Closed& closed) {
                    connections_.erase(peer);
                    told_bytes_.erase(peer);
                    feed(sync::event::Disconnected{peer, loss_of(closed), detail_of(closed)});
                },
            .remark =
                [this, peer, where = p2p::to_string(connect.endpoint)](std::string_view text) {
                    tell(sync::notice::PeerLog{peer, where, std::string(text)});
                },
        };
        connections_[peer] =
            Connection::open(context_, chain::network(connect.network), connect.endpoint,
                             milliseconds(drive_.options.config.connect_timeout_ms()),
                             std::move(handlers), {}, proxy_for(connect.endpoint));
    }

    /// A peer keeps its user name for the run, so that its connections may share a circuit, and
    /// shares it with no other peer and no other run.
    std::optional<p2p::asio::Proxy> proxy_for(const p2p::Endpoint& peer) {
        const auto& proxy = drive_.options.config.proxy;
        if (!proxy) return std::nullopt;
        const auto [known, fresh] = identities_.try_emplace(peer);
        if (fresh) known->second = {.user = random_word(), .password = random_word()};
        return p2p::asio::Proxy{.at = *proxy, .credentials = known->second};
    }

    void tell(const sync::Notice& notice) const {
        if (drive_.on_notice && !finished_) drive_.on_notice(notice);
    }

    void execute(const sync::action::Send& send) {
        // A full queue closes the connection, which is told like any other loss.
        if (auto connection = find(send.peer)) connection->send(send.message);
    }

    void execute(const sync::action::Disconnect& disconnect) {
        if (auto connection = find(disconnect.peer))
            connection->close(disconnect.reason == sync::DropReason::done);
    }

    void execute(const sync::action::KeepBan& action) {
        if (drive_.keep_ban) drive_.keep_ban(action.ban);
    }

    void execute(const sync::action::Persist& persist) {
        stored_.push_back(
            sync::event::Stored{persist.id, store_durably(persist, drive_.headers, drive_.db)});
    }

    void execute(const sync::action::WakeAt& wake) {
        // Deadlines mostly move on: the timer is armed anew only for an earlier one, and looks
        // again when it fires.
        wake_ms_ = wake.steady_ms;
        if (!armed_ms_ || *wake_ms_ < *armed_ms_) arm(*wake_ms_);
    }

    void execute(const sync::action::Notify& notify) {
        if (const auto* finished = std::get_if<sync::notice::Finished>(&notify.notice)) {
            finished_ = true;
            finish_ = *finished;
        }
        if (drive_.on_notice) drive_.on_notice(notify.notice);
    }

    std::shared_ptr<Connection> find(sync::PeerId peer) const {
        const auto found = connections_.find(peer);
        return found == connections_.end() ? nullptr : found->second;
    }

    void tell_bytes(sync::PeerId peer, std::uint64_t received) {
        if (std::exchange(told_bytes_[peer], received) == received) return;
        const auto connection = find(peer);
        feed(sync::event::Bytes{peer, received, connection ? connection->bytes_sent() : 0});
    }

    void arm(std::int64_t at_ms) {
        armed_ms_ = at_ms;
        timer_.expires_at(steady_clock::time_point(milliseconds(at_ms)));
        timer_.async_wait([this](error_code error) {
            if (!error) wake();
        });
    }

    void wake() {
        armed_ms_.reset();
        if (!wake_ms_) return;
        if (*wake_ms_ > steady_ms()) return arm(*wake_ms_);
        wake_ms_.reset();
        feed(sync::event::Tick{});
    }

    void watch_signals(int descriptor) {
        signal_.assign(descriptor);
        signal_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](error_code error) {
                               if (!error) feed(sync::event::Stop{errc::stopped});
                           });
    }

    void start_timeout() {
        timeout_.expires_after(milliseconds(drive_.options.timeout_ms));
        timeout_.async_wait([this](error_code error) {
            if (!error) feed(sync::event::Stop{errc::timeout});
        });
    }

    void next_second() {
        second_.expires_after(std::chrono::seconds(1));
        second_.async_wait([this](error_code error) {
            if (error) return;
            drive_.options.every_second();
            next_second();
        });
    }

    // Connections close politely, but nobody waits for a peer or a name server now.
    void shut_down() {
        finished_ = true;
        timer_.cancel();
        timeout_.cancel();
        second_.cancel();
        const auto open = connections_; // closing changes the map
        for (const auto& [peer, connection] : open)
            connection->close(true);
        const auto deadline = steady_clock::now() + milliseconds(limits::shut_down_milliseconds);
        while (!connections_.empty() && context_.run_one_until(deadline) > 0) {
        }
        if (signal_.is_open()) signal_.release(); // its owner closes it
    }

    SyncOutcome outcome() const {
        SyncOutcome outcome;
        outcome.statistics = drive_.engine.statistics();
        if (finish_) {
            outcome.error = finish_->error;
            outcome.kept_part = finish_->kept_part;
        } else {
            outcome.error = Error{errc::stalled, "the sync came to a standstill",
                                  "nothing is left to wait for", "Run it again"};
            outcome.kept_part = true;
        }
        return outcome;
    }

    const Drive& drive_;
    boost::asio::io_context context_{1};
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer timeout_;
    boost::asio::steady_timer second_;
    boost::asio::posix::stream_descriptor signal_;
    std::map<sync::PeerId, std::shared_ptr<Connection>> connections_;
    std::map<p2p::Endpoint, p2p::Socks5Credentials> identities_;
    std::deque<sync::Event> events_;
    std::deque<sync::Event> stored_;
    std::map<sync::PeerId, std::uint64_t> told_bytes_; ///< of this connection, so far
    bool handling_ = false;
    bool finished_ = false;
    std::optional<std::int64_t> wake_ms_;  ///< when the engine wants its Tick
    std::optional<std::int64_t> armed_ms_; ///< when the timer fires
    std::optional<sync::notice::Finished> finish_;
};

} // namespace

// Headers first: a wallet whose scan stands above the header file can roll back, one whose
// confirmations have no header cannot be checked (rule: durable).
std::optional<Error> store_durably(const sync::action::Persist& persist,
                                   wallet::store::HeaderFile& headers,
                                   wallet::store::WalletDb* db) {
    if (!persist.headers.empty()) {
        if (const auto done = headers.apply(persist.headers); !done) return done.error();
    }
    if (db && !persist.changes.empty()) {
        if (const auto done = db->apply(persist.changes); !done) return done.error();
    }
    return std::nullopt;
}

SyncOutcome drive(const Drive& drive) {
    // Outlives the driver: a second signal works while a name server is still waited for.
    std::optional<StopSignals> signals;
    if (drive.options.handle_signals) signals.emplace();
    return Driver(drive).run(signals ? signals->descriptor() : -1);
}

} // namespace headlight::client
