// The headlight program.
#include "cli/run.hpp"

#include <chrono>
#include <csignal>
#include <iostream>
#include <unistd.h>

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    std::signal(SIGXFSZ, SIG_IGN); // a limit on file sizes fails a write, which is then explained
    const headlight::cli::Host host{
        .in = std::cin,
        .out = std::cout,
        .err = std::cerr,
        .out_is_terminal = isatty(STDOUT_FILENO) == 1,
        .err_is_terminal = isatty(STDERR_FILENO) == 1,
        .now =
            [] {
                const auto now = std::chrono::system_clock::now().time_since_epoch();
                return std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(now).count()};
            },
    };
    return headlight::cli::run(argc, argv, host);
}
