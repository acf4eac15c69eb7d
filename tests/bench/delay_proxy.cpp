#include "tests/bench/delay_proxy.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace headlight::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// Bytes on their way from one socket to another.
class Lane {
  public:
    Lane(int from, int to, Clock::duration delay) : from_(from), to_(to), delay_(delay) {}

    void run() {
        std::thread writer([this] { deliver(); });
        Bytes buffer(65'536);
        for (;;) {
            const auto got = read(from_, buffer.data(), buffer.size());
            const auto size = got > 0 ? static_cast<std::size_t>(got) : 0;
            put({Clock::now() + delay_, Bytes(buffer.data(), buffer.data() + size)});
            if (size == 0) break;
        }
        writer.join();
    }

  private:
    struct Piece {
        Clock::time_point due;
        Bytes bytes; ///< empty: the end
    };

    void put(Piece piece) {
        const std::lock_guard lock(mutex_);
        pieces_.push_back(std::move(piece));
        changed_.notify_one();
    }

    Piece take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !pieces_.empty(); });
        auto piece = std::move(pieces_.front());
        pieces_.pop_front();
        return piece;
    }

    void deliver() {
        for (;;) {
            const auto piece = take();
            std::this_thread::sleep_until(piece.due);
            if (piece.bytes.empty() || !write_all(to_, piece.bytes)) break;
        }
        // Whichever way the connection ends, both sides learn it, and both readers end.
        shutdown(to_, SHUT_RDWR);
        shutdown(from_, SHUT_RD);
    }

    const int from_;
    const int to_;
    const Clock::duration delay_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece> pieces_;
};

void carry(const Socket& near, std::uint16_t to, Clock::duration delay) {
    const Socket far = connect_to(to);
    if (!far.valid()) return;
    Lane up(near.handle(), far.handle(), delay);
    Lane down(far.handle(), near.handle(), delay);
    std::thread upward([&up] { up.run(); });
    down.run();
    upward.join();
}

} // namespace

DelayProxy::DelayProxy(std::uint16_t to, std::chrono::milliseconds round_trip)
    : to_(to), one_way_(round_trip / 2), listener_(listen_on_loopback(port_)) {
    thread_ = std::thread([this] { serve(); });
}

DelayProxy::~DelayProxy() {
    shutdown(listener_.handle(), SHUT_RDWR);
    thread_.join();
}

// Each connection by itself: the next one must not wait until the last bytes of the one before it,
// its end among them, have gone their slow way.
void DelayProxy::serve() {
    std::vector<std::thread> connections;
    for (;;) {
        Socket near = accept_from(listener_);
        if (!near.valid()) break;
        connections.emplace_back(
            [to = to_, delay = one_way_, near = std::move(near)] { carry(near, to, delay); });
    }
    for (auto& connection : connections)
        connection.join();
}

} // namespace headlight::bench
