// Command lines of the shell, run in the background: a few at once, the others wait for their turn.
#pragma once

#include "chain/result.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::client {

/// In single quotes, as the shell takes it for one word whatever is in it.
std::string shell_quoted(std::string_view text);

struct ShellCommand {
    std::uint64_t id = 0;
    std::string line;
    std::vector<std::string> environment{}; ///< NAME=VALUE, beside our own
};

struct EndedCommand {
    std::uint64_t id = 0;
    std::optional<Error> error{}; ///< it did not start, failed, or took too long
    bool ended_by_us = false;     ///< in finish(): it may have done nothing yet
};

/// What a command prints goes to stderr, and it reads nothing. It has a process group of its own,
/// so that a Ctrl-C meant for us does not reach it, and none of our files and sockets.
class CommandRunner {
  public:
    CommandRunner();
    ~CommandRunner(); ///< as finish() without patience
    CommandRunner(const CommandRunner&) = delete;
    CommandRunner& operator=(const CommandRunner&) = delete;

    void run(ShellCommand command);
    /// Since the last call.
    std::vector<EndedCommand> take_ended();
    /// Starts nothing more, and ends what still runs after `patience`. What never ran is in no
    /// take_ended().
    void finish(std::chrono::milliseconds patience);

  private:
    class Workers;
    std::unique_ptr<Workers> workers_;
};

} // namespace headlight::client
