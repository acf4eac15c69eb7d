#include "tests/bench/measured_sync.hpp"

#include "tests/bench/bench_wallet.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include <sys/resource.h>

namespace headlight::bench {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Not rusage's figure: that one remembers the process that forked us.
long peak_kib() {
    std::ifstream status("/proc/self/status");
    std::string word;
    long value = 0;
    while (status >> word) {
        if (word == "VmHWM:") status >> value;
    }
    return value;
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

client::Paths paths_in(const fs::path& datadir) {
    return {.datadir = datadir, .network = &chain::network(chain::NetworkId::regtest)};
}

} // namespace

int report_sync(std::uint16_t port, const fs::path& datadir, client::Method method) {
    const auto paths = paths_in(datadir);
    if (!fs::exists(paths.wallet_file()))
        client::store_new_wallet(paths, new_bench_wallet()).value();

    client::SyncOptions options;
    options.config.peers = {{"127.0.0.1", port}};
    options.method = method;
    Clock::time_point connecting;
    double seconds = 0;
    options.on_open = [&](const auto&, const auto&) { connecting = Clock::now(); };
    const auto outcome = client::run_sync(paths, options, [&](const sync::Notice& notice) {
        if (std::holds_alternative<sync::notice::Finished>(notice))
            seconds = seconds_since(connecting);
    });
    if (outcome.error) {
        std::cout << "failed " << to_string(*outcome.error) << '\n';
        return 1;
    }
    const auto& statistics = outcome.statistics;
    const auto peak = peak_kib();
    const auto cpu = cpu_seconds();
    const auto opened =
        client::open_wallet(paths, wallet::store::WalletDb::Mode::read_only).value();
    std::cout << "synced " << seconds << ' ' << outcome.seconds << ' ' << cpu << ' ' << peak << ' '
              << opened.wallet->ledger().balance(statistics.tip).confirmed << ' '
              << statistics.rescanned_blocks << ' ' << statistics.filterloads << ' '
              << statistics.bytes_received << '\n';
    return 0;
}

result<MeasuredSync> child_sync(std::uint16_t port, const fs::path& datadir,
                                client::Method method) {
    const auto program = fs::read_symlink("/proc/self/exe").string();
    const auto command = "'" + program + "' --sync-once " + std::to_string(port) + " '" +
                         datadir.string() + "' " +
                         (method == client::Method::full ? "full" : "bip37");
    const auto start = Clock::now();
    std::FILE* child = popen(command.c_str(), "re");
    if (!child) return Error{errc::io, "the child cannot be started"};
    std::string said;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, child))
        said += buffer;
    pclose(child);
    MeasuredSync measured;
    measured.process = seconds_since(start);
    std::istringstream words(said);
    std::string how;
    if (words >> how >> measured.seconds >> measured.run_sync >> measured.cpu >>
            measured.peak_kib >> measured.confirmed >> measured.rescanned_blocks >>
            measured.filterloads >> measured.bytes_received &&
        how == "synced")
        return measured;
    return Error{errc::io, "headlight did not sync", said};
}

} // namespace headlight::bench
