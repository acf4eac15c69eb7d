// One connection to the node under test: says exactly what a check tells it to, waits with
// deadlines, and keeps a readable log of what was sent.
#pragma once

#include "conform/dial.hpp"
#include "p2p/framing.hpp"

#include <functional>
#include <optional>

namespace headlight::conform {

/// How a wait ended.
enum class WaitEnd { reached, closed, silent };

/// What came during one wait, but for the messages that mean nothing to a check (pings, which are
/// answered, addresses, features).
struct Heard {
    std::vector<p2p::Message> messages;
    WaitEnd end = WaitEnd::reached;

    bool closed() const { return end == WaitEnd::closed; }
    template <class Wanted>
    std::vector<Wanted> all() const {
        std::vector<Wanted> found;
        for (const auto& message : messages)
            if (const auto* wanted = std::get_if<Wanted>(&message)) found.push_back(*wanted);
        return found;
    }
    template <class Wanted>
    const Wanted* first() const {
        for (const auto& message : messages)
            if (const auto* wanted = std::get_if<Wanted>(&message)) return wanted;
        return nullptr;
    }
    /// The messages in words, or "nothing"; and whether the node closed.
    std::string text() const;
};

class Peer {
  public:
    /// Connects; throws as dial() does.
    Peer(const NodeAddress& node, const Deadlines& deadlines);

    void send(const p2p::Message& message);
    /// A message in a good envelope whose payload is whatever is given.
    void send_raw(std::string_view command, ByteView payload);
    /// Bytes as they are; `what` is for the log.
    void send_bytes(ByteView bytes, std::string what);

    /// Everything up to and with the first message that `reached` accepts.
    Heard until(const std::function<bool(const p2p::Message&)>& reached, milliseconds limit);
    /// Sends a ping; everything before its pong. Answers and pongs come in order, so what was asked
    /// for before is answered then or never. Throws Ended (fail) when neither pong nor end comes.
    Heard fence();
    /// Everything that comes within `wait`.
    Heard listen(milliseconds wait);

    /// Messages are left out of the log from here on, or put into it (as at the start).
    void keep_log(bool keep) { logs_ = keep; }
    const std::vector<std::string>& sent() const { return sent_; }
    const Deadlines& deadlines() const { return deadlines_; }
    const chain::Network& network() const { return *node_.network; }
    bool closed() const { return closed_; }

  private:
    void note(std::string what);
    bool write(ByteView bytes);
    std::optional<p2p::Message> next(std::chrono::steady_clock::time_point end);
    bool read_some(std::chrono::steady_clock::time_point end);

    NodeAddress node_;
    Deadlines deadlines_;
    Socket socket_;
    bool closed_ = false;
    bool logs_ = true;
    std::uint64_t pings_ = 0;
    p2p::FrameReader reader_;
    std::vector<std::string> sent_;
};

/// A message's bytes with its envelope, the payload as given.
Bytes envelope(const chain::Network& network, std::string_view command, ByteView payload);

} // namespace headlight::conform
