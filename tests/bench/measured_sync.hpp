// One sync of the bench wallet by headlight, measured from inside its own process.
#pragma once

#include "chain/result.hpp"
#include "client/method.hpp"

#include <filesystem>

namespace headlight::bench {

struct MeasuredSync {
    double seconds = 0;   ///< from the first event (it connects) to the end told, all stored
    double run_sync = 0;  ///< seconds of the whole call: opening files and closing besides
    double process = 0;   ///< seconds of the whole process
    double cpu = 0;       ///< seconds, user and system, of the whole process
    long peak_kib = 0;    ///< resident
    Amount confirmed = 0; ///< satoshis
    std::int64_t rescanned_blocks = 0;
    std::int64_t filterloads = 0;
    std::uint64_t bytes_received = 0;
};

/// In a child: syncs the wallet in `datadir` (made when missing) from 127.0.0.1:port and writes
/// what child_sync() reads to stdout. The process's exit code.
int report_sync(std::uint16_t port, const std::filesystem::path& datadir, client::Method method);

/// Runs this program again for report_sync(). Error: io with what the child said.
result<MeasuredSync> child_sync(std::uint16_t port, const std::filesystem::path& datadir,
                                client::Method method);

} // namespace headlight::bench
