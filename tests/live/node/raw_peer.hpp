// A peer that says exactly what a test tells it to, over one blocking socket.
#pragma once

#include "p2p/framing.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace headlight::tests {

class RawPeer {
  public:
    /// Connects to 127.0.0.1. Throws std::runtime_error when nobody listens.
    explicit RawPeer(std::uint16_t port);
    ~RawPeer();
    RawPeer(const RawPeer&) = delete;
    RawPeer& operator=(const RawPeer&) = delete;

    void send(const p2p::Message& message);
    void send_raw(ByteView bytes);
    /// The next message; nothing when the peer closed or said nothing for `wait`.
    std::optional<p2p::Message> next(std::chrono::milliseconds wait = std::chrono::seconds(10));
    bool closed() const { return closed_; }

    /// Sends a ping with `nonce` and gives everything that comes before its pong. Whether the peer
    /// closed instead is closed()'s to say.
    std::vector<p2p::Message> until_pong(std::uint64_t nonce);

  private:
    int handle_ = -1;
    bool closed_ = false;
    p2p::FrameReader reader_;
};

} // namespace headlight::tests
