// How long headlight takes to sync a wallet from a real bitcoind, held against a null client that
// asks the same and throws the answers away; see usage below. Exit code 1: a wrong balance, or no
// sync.
#include "tests/bench/delay_proxy.hpp"
#include "tests/bench/header_speed.hpp"
#include "tests/bench/measured_sync.hpp"
#include "tests/bench/null_client.hpp"
#include "tests/bench/payment_chain.hpp"
#include "tests/support/files.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace {

using namespace headlight;

struct Options {
    std::int32_t blocks = 3'000;
    int rounds = 5;
    int round_trip_ms = 0;
    std::int32_t headers = 0;
    bool restart = false;
    bool whole = false;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const auto middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::filesystem::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const std::filesystem::path base = cache && *cache
                                           ? std::filesystem::path(cache)
                                           : std::filesystem::path(home ? home : ".") / ".cache";
    return base / "headlight" / "bench";
}

bench::MeasuredSync sync(std::uint16_t port, const std::filesystem::path& datadir,
                         const bench::PaymentChain& chain,
                         client::Method method = client::Method::bip37) {
    const auto measured = bench::child_sync(port, datadir, method).value();
    if (measured.confirmed != chain.balance)
        throw std::logic_error("wrong balance: " + std::to_string(measured.confirmed) +
                               " satoshis instead of " + std::to_string(chain.balance));
    return measured;
}

void compare(const Options& options, const bench::PaymentChain& chain, std::uint16_t port) {
    const auto filter = bench::bench_filter();
    std::vector<double> ratios, nulls, ours;
    long peak_kib = 0;
    for (int round = 0; round <= options.rounds; ++round) {
        const auto null = bench::run_null_client(port, filter).value();
        const tests::TemporaryFolder folder(tests::TemporaryFolder::Place::disk);
        const auto own = sync(port, folder.path(), chain);
        peak_kib = std::max(peak_kib, own.peak_kib);
        const auto ratio = own.seconds / null.seconds;
        std::printf("%s null %.3f s (%.1f MB), headlight %.3f s (cpu %.3f s, %lld rescanned, %lld "
                    "filterloads), ratio %.3f\n",
                    round == 0 ? "warm up:" : "        ", null.seconds,
                    static_cast<double>(null.bytes) / 1e6, own.seconds, own.cpu,
                    static_cast<long long>(own.rescanned_blocks),
                    static_cast<long long>(own.filterloads), ratio);
        std::fflush(stdout);
        if (round == 0) continue;
        ratios.push_back(ratio);
        nulls.push_back(null.seconds);
        ours.push_back(own.seconds);
    }
    std::printf("median ratio %.3f (null %.3f s, headlight %.3f s), peak memory %.1f MiB, balance "
                "right\n",
                median(ratios), median(nulls), median(ours), static_cast<double>(peak_kib) / 1024);
}

void time_restarts(const Options& options, const bench::PaymentChain& chain, std::uint16_t port) {
    const tests::TemporaryFolder folder(tests::TemporaryFolder::Place::disk);
    sync(port, folder.path(), chain);
    std::vector<double> runs;
    for (int round = 0; round < options.rounds; ++round) {
        const auto own = sync(port, folder.path(), chain);
        std::printf("at the tip: %.1f ms from connecting, %.1f ms with opening and closing, %.1f "
                    "ms for the process\n",
                    own.seconds * 1e3, own.run_sync * 1e3, own.process * 1e3);
        runs.push_back(own.run_sync);
    }
    std::printf("median restart %.1f ms\n", median(runs) * 1e3);
}

/// What filters save: the same sync by whole blocks.
void compare_methods(const Options& options, const bench::PaymentChain& chain, std::uint16_t port) {
    for (const auto method : {client::Method::bip37, client::Method::full}) {
        std::vector<double> seconds, cpu;
        std::uint64_t bytes = 0;
        long peak_kib = 0;
        for (int round = 0; round < options.rounds; ++round) {
            const tests::TemporaryFolder folder(tests::TemporaryFolder::Place::disk);
            const auto own = sync(port, folder.path(), chain, method);
            seconds.push_back(own.seconds);
            cpu.push_back(own.cpu);
            bytes = own.bytes_received;
            peak_kib = std::max(peak_kib, own.peak_kib);
        }
        std::printf("%s: median %.3f s (cpu %.3f s), %.1f MB received, %.0f blocks a second, peak "
                    "memory %.1f MiB, balance right\n",
                    method == client::Method::full ? "whole blocks" : "filtered blocks",
                    median(seconds), median(cpu), static_cast<double>(bytes) / 1e6,
                    chain.blocks / median(seconds), static_cast<double>(peak_kib) / 1024);
    }
}

void run(const Options& options) {
    if (options.headers > 0) {
        std::printf("%d headers: %.3f s of CPU\n", options.headers,
                    bench::time_headers(options.headers));
        return;
    }
    const auto chain = bench::open_payment_chain(cache_folder(), options.blocks).value();
    std::printf("%d blocks, %lld transactions, %lld of the wallet\n", chain.blocks,
                static_cast<long long>(chain.transactions),
                static_cast<long long>(chain.wallet_transactions));
    std::optional<bench::DelayProxy> proxy;
    auto port = chain.node->p2p_port();
    if (options.round_trip_ms > 0) {
        proxy.emplace(port, std::chrono::milliseconds(options.round_trip_ms));
        port = proxy->port();
    }
    if (options.restart)
        time_restarts(options, chain, port);
    else if (options.whole)
        compare_methods(options, chain, port);
    else
        compare(options, chain, port);
}

} // namespace

int main(int argc, char** argv) {
    // How it runs itself as a child; not for people.
    if (argc == 5 && std::string_view(argv[1]) == "--sync-once")
        return bench::report_sync(static_cast<std::uint16_t>(std::stoi(argv[2])), argv[3],
                                  std::string_view(argv[4]) == "full" ? client::Method::full
                                                                      : client::Method::bip37);

    Options options;
    CLI::App app("Times headlight's sync against a null client's, from a real bitcoind");
    app.add_option("--blocks", options.blocks, "length of the chain (made once, then kept)")
        ->check(CLI::Range(300, 8'000));
    app.add_option("--rounds", options.rounds, "times each is run")->check(CLI::Range(1, 100));
    app.add_option("--rtt", options.round_trip_ms, "milliseconds of a round trip to the node")
        ->check(CLI::Range(0, 10'000));
    app.add_option("--headers", options.headers, "only: CPU time for this many regtest headers");
    app.add_flag("--restart", options.restart, "only: wall time of a sync that finds nothing new");
    app.add_flag("--whole", options.whole, "only: filtered blocks against whole ones");
    CLI11_PARSE(app, argc, argv);
    try {
        run(options);
    } catch (const std::exception& error) {
        std::cerr << "sync_ratio: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
