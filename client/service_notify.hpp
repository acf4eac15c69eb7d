// What a service tells its manager: sd_notify(3)'s protocol, datagrams to a Unix socket.
#pragma once

#include "wallet/store/file_system.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headlight::client {

class ServiceNotify {
  public:
    /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Without them every call does nothing.
    static ServiceNotify from_environment();
    /// `address`: a path, or '@' and a name of Linux's abstract ones. `watchdog_us` 0: none.
    ServiceNotify(const std::string& address, std::int64_t watchdog_us);

    bool active() const { return socket_.is_open(); }
    void ready();                         ///< once; later calls do nothing
    void status(const std::string& text); ///< told when it changed
    void stopping();
    /// At least once a second, by the loop that is to be alive: pets the watchdog at half its time.
    void alive(std::int64_t steady_ms);

  private:
    void send(const std::string& text) const;

    wallet::store::FileDescriptor socket_;
    std::string address_;
    std::int64_t watchdog_us_ = 0;
    std::optional<std::int64_t> petted_ms_;
    bool ready_ = false;
    std::string status_;
};

} // namespace headlight::client
