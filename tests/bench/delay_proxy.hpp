// A far node on this machine: passes TCP connections on to a port, every byte half a round trip
// late in each direction, as many bytes a second as come.
#pragma once

#include "tests/bench/sockets.hpp"

#include <chrono>
#include <thread>

namespace headlight::bench {

class DelayProxy {
  public:
    DelayProxy(std::uint16_t to, std::chrono::milliseconds round_trip);
    /// Ends when all its connections have ended.
    ~DelayProxy();
    DelayProxy(const DelayProxy&) = delete;
    DelayProxy& operator=(const DelayProxy&) = delete;

    std::uint16_t port() const { return port_; }

  private:
    void serve();

    std::uint16_t to_;
    std::chrono::milliseconds one_way_;
    std::uint16_t port_ = 0;
    Socket listener_;
    std::thread thread_;
};

} // namespace headlight::bench
