// Blocking loopback sockets, as plain as they get.
#pragma once

#include "chain/bytes.hpp"

#include <cstdint>
#include <utility>

namespace headlight::bench {

class Socket {
  public:
    explicit Socket(int handle = -1) : handle_(handle) {}
    ~Socket();
    Socket(Socket&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
    Socket& operator=(Socket&&) = delete;

    int handle() const { return handle_; }
    bool valid() const { return handle_ >= 0; }

  private:
    int handle_;
};

/// Invalid when nobody listens.
Socket connect_to(std::uint16_t port);
/// Listens on a free port, which it tells.
Socket listen_on_loopback(std::uint16_t& port);
Socket accept_from(const Socket& listener);
/// False when the other side is gone.
bool write_all(int handle, ByteView bytes);

} // namespace headlight::bench
