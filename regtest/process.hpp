// A child process that never outlives us, with its output in a file.
#pragma once

#include "chain/result.hpp"

#include <chrono>
#include <filesystem>
#include <vector>

#include <sys/types.h>

namespace headlight::regtest {

class Process {
  public:
    Process() = default;
    /// Starts `command` (program first); stdout and stderr are appended to `log`. The child is
    /// killed by the system when the calling thread ends. Error: io.
    static result<Process> start(const std::vector<std::string>& command,
                                 const std::filesystem::path& log);
    /// Kills what still runs.
    ~Process();
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;

    bool running();
    /// Whether it ended within `limit`.
    bool wait(std::chrono::milliseconds limit);
    void signal(int number) const;
    pid_t pid() const { return pid_; }

  private:
    explicit Process(pid_t pid) : pid_(pid) {}

    pid_t pid_ = -1; // -1: none, or ended and reaped
};

} // namespace headlight::regtest
