#include "client/service_notify.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace headlight::client {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::int64_t number_or_zero(std::string_view text) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && value > 0 ? value
                                                                                            : 0;
}

} // namespace

ServiceNotify ServiceNotify::from_environment() {
    const auto pid = variable("WATCHDOG_PID");
    const bool for_us = pid.empty() || pid == std::to_string(getpid());
    return {variable("NOTIFY_SOCKET"), for_us ? number_or_zero(variable("WATCHDOG_USEC")) : 0};
}

ServiceNotify::ServiceNotify(const std::string& address, std::int64_t watchdog_us)
    : address_(address), watchdog_us_(watchdog_us) {
    const bool known = address.starts_with('/') || address.starts_with('@');
    if (!known || address.size() >= sizeof(sockaddr_un::sun_path)) return;
    socket_ = wallet::store::FileDescriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/// Without waiting, and whatever comes of it: nobody syncs the worse for a manager that is gone.
void ServiceNotify::send(const std::string& text) const {
    if (!active()) return;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, address_.data(), address_.size());
    auto size = offsetof(sockaddr_un, sun_path) + address_.size();
    if (address_.front() == '@')
        to.sun_path[0] = '\0'; // an abstract name is as long as it says
    else
        ++size;
    sendto(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
           reinterpret_cast<const sockaddr*>(&to), static_cast<socklen_t>(size));
}

void ServiceNotify::ready() {
    if (std::exchange(ready_, true)) return;
    send("READY=1");
}

void ServiceNotify::status(const std::string& text) {
    if (text == status_) return;
    status_ = text;
    std::ranges::replace(status_, '\n', ' ');
    send("STATUS=" + status_);
}

void ServiceNotify::stopping() { send("STOPPING=1"); }

void ServiceNotify::alive(std::int64_t steady_ms) {
    if (watchdog_us_ == 0) return;
    if (petted_ms_ && (steady_ms - *petted_ms_) * 2'000 < watchdog_us_) return;
    petted_ms_ = steady_ms;
    send("WATCHDOG=1");
}

} // namespace headlight::client
