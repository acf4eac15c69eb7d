#include "client/run_method.hpp"

#include "client/ban_file.hpp"
#include "client/driver.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

namespace headlight::client {

namespace {

std::uint64_t random_seed() {
    std::random_device device;
    const auto seed = (std::uint64_t{device()} << 32) | device();
    return seed == 0 ? 1 : seed;
}

std::int64_t wall_seconds() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(wall).count();
}

void warn(const OnNotice& on_notice, Error error) {
    if (on_notice) on_notice(sync::notice::Warning{std::move(error)});
}

/// What cannot be read or stored of the bans is no reason not to sync.
void read_bans(const BanFile& file, std::int64_t now, sync::Config& config,
               const OnNotice& on_notice) {
    auto read = file.read(now);
    if (!read) return warn(on_notice, read.error());
    config.bans.insert(config.bans.end(), read->bans.begin(), read->bans.end());
    if (!read->notice.empty()) warn(on_notice, {errc::damaged, read->notice});
}

/// One engine on what is open, from its first event to its last.
SyncOutcome run_engine(const Paths& paths, const SyncOptions& options, Stores& stores,
                       const OnNotice& on_notice) {
    const BanFile bans(paths.bans());
    auto config = options.config;
    read_bans(bans, wall_seconds(), config, on_notice);
    if (config.seed == 0) config.seed = random_seed();
    sync::Engine engine(*paths.network, *stores.headers.file, *stores.wallet.wallet, config);
    auto outcome = drive({.engine = engine,
                          .headers = *stores.headers.file,
                          .db = stores.wallet.db.get(),
                          .options = options,
                          .on_notice = on_notice,
                          .keep_ban = [&](const sync::Ban& ban) {
                              // A service bans long after it began.
                              if (const auto kept = bans.keep(ban, wall_seconds()); !kept)
                                  warn(on_notice, kept.error());
                          }});
    outcome.whole_blocks = config.whole_blocks;
    return outcome;
}

Error fetches_whole_blocks(const Error& why) {
    return {why.code, "whole blocks are fetched and matched here: " + why.message, why.cause};
}

bool nobody_filters(const std::optional<Error>& error) {
    return error && error->code == errc::no_bloom;
}

/// Filtered blocks; whole ones if no peer serves those.
SyncOutcome run_either(const Paths& paths, SyncOptions& options, Stores& stores,
                       const OnNotice& on_notice) {
    const auto begun = std::chrono::steady_clock::now();
    options.config.no_bloom_is_final = true; // else a run that follows would wait for the node
    auto outcome = run_engine(paths, options, stores, [&](const sync::Notice& notice) {
        const auto* end = std::get_if<sync::notice::Finished>(&notice);
        const bool goes_on = end && nobody_filters(end->error);
        if (on_notice && !goes_on) on_notice(notice);
    });
    if (!nobody_filters(outcome.error)) return outcome;
    warn(on_notice, fetches_whole_blocks(*outcome.error));
    if (options.timeout_ms > 0) {
        const auto taken = std::chrono::steady_clock::now() - begun;
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(taken).count();
        options.timeout_ms = std::max<std::int64_t>(options.timeout_ms - ms, 1);
    }
    options.config.whole_blocks = true;
    return run_engine(paths, options, stores, on_notice);
}

/// Each group needs somebody: a run without can only fail, and what it was to do is not kept.
result<void> check_split(const SyncOptions& options, const wallet::Wallet& wallet) {
    const auto split = options.filter.split.value_or(wallet.filter().split);
    std::set<std::string> peers;
    for (const auto& peer : options.config.peers)
        peers.insert(p2p::to_string(peer));
    if (split == 1 || peers.size() >= split) return {};
    return Error{errc::bad_argument,
                 "the scripts are split over " + std::to_string(split) + " groups of peers",
                 "each needs a peer, and " + std::to_string(peers.size()) +
                     (peers.size() == 1 ? " is named" : " are named"),
                 "Name more with --peer, or use --split 1, which shows all to each"};
}

/// Notes what is chosen for the filter, and decides whether there is to be one.
result<void> choose_method(SyncOptions& options, OpenWallet& wallet, const OnNotice& on_notice) {
    const auto usual = wallet.wallet->filter().whole_blocks ? Method::full : Method::bip37;
    const auto method = options.method.value_or(usual);
    options.method = method;
    options.config.whole_blocks = method == Method::full;
    options.filter.whole_blocks = options.config.whole_blocks;
    if (!options.config.whole_blocks) {
        if (const auto enough = check_split(options, *wallet.wallet); !enough)
            return enough.error();
    }
    remember(*wallet.wallet, options.filter);
    if (wallet.db) {
        if (const auto saved = wallet.save(); !saved) return saved.error();
    }
    if (options.config.whole_blocks) return {};
    const auto& parameters = wallet.wallet->filter();
    options.config.fp_rate = parameters.fp_rate;
    options.config.split = parameters.split;
    const auto too_many = too_many_for_filters(*wallet.wallet);
    if (!too_many) return {};
    if (method == Method::bip37) return *too_many;
    warn(on_notice, fetches_whole_blocks(*too_many));
    options.config.whole_blocks = true;
    return {};
}

} // namespace

SyncOutcome run_method(const Paths& paths, SyncOptions options, Stores& stores,
                       const OnNotice& on_notice) {
    if (!options.config.broadcast) {
        const auto chosen = choose_method(options, stores.wallet, on_notice);
        if (!chosen) return {.error = chosen.error(), .statistics = {}};
    }
    if (options.method == Method::either && !options.config.whole_blocks)
        return run_either(paths, options, stores, on_notice);
    return run_engine(paths, options, stores, on_notice);
}

} // namespace headlight::client
