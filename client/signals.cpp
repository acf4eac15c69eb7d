#include "client/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace headlight::client {

namespace {

constexpr std::array<int, 2> handled{SIGINT, SIGTERM};

// What a signal handler may touch: lock-free atomics, write() and _exit().
std::atomic<bool> seen{false};
std::atomic<int> write_end{-1};
std::array<struct sigaction, handled.size()> before;

void on_signal(int) {
    if (seen.exchange(true)) _exit(StopSignals::second_exit_code);
    const int kept = errno;
    const char byte = 0;
    [[maybe_unused]] const auto written = write(write_end.load(), &byte, 1);
    errno = kept;
}

} // namespace

StopSignals::StopSignals() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    read_end_ = ends[0];
    write_end = ends[1];
    seen = false;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < handled.size(); ++i)
        sigaction(handled[i], &action, &before[i]);
}

StopSignals::~StopSignals() {
    if (read_end_ < 0) return;
    for (std::size_t i = 0; i < handled.size(); ++i)
        sigaction(handled[i], &before[i], nullptr);
    close(write_end.exchange(-1));
    close(read_end_);
}

} // namespace headlight::client
