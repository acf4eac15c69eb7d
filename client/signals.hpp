// SIGINT and SIGTERM: the first one is told through a pipe, so that the run can end in an orderly
// way; the second one ends the process at once, whatever the run is busy with.
#pragma once

namespace headlight::client {

/// Handles both signals while it lives; one at a time in a process.
class StopSignals {
  public:
    static constexpr int second_exit_code = 3;

    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Becomes readable with the first signal; -1 when the system gave no pipe.
    int descriptor() const { return read_end_; }

  private:
    int read_end_ = -1;
};

} // namespace headlight::client
