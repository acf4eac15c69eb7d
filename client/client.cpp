#include "client/client.hpp"

#include "client/run_method.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <random>

namespace headlight::client {

namespace {

namespace fs = std::filesystem;
using wallet::store::HeaderFile;
using wallet::store::WalletDb;

std::uint32_t random_u32() { return std::random_device{}(); }

/// What a filter's tweaks follow from: as much chance as the system gives.
std::array<std::uint8_t, 16> random_secret() {
    std::array<std::uint8_t, 16> secret{};
    for (std::size_t i = 0; i < secret.size(); i += 4) {
        const auto word = std::bit_cast<std::array<std::uint8_t, 4>>(random_u32());
        std::ranges::copy(word, secret.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return secret;
}

/// One that an older version stored has none; the next save keeps it.
void draw_missing_secret(wallet::Wallet& wallet) {
    auto filter = wallet.filter();
    if (filter.secret != wallet::FilterParameters{}.secret) return;
    filter.secret = random_secret();
    wallet.set_filter(std::move(filter));
}

// Folders of ours are their owner's alone: file names in there tell which wallets exist.
result<void> make_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder, error)) return {};
    fs::create_directories(folder, error);
    if (!error) fs::permissions(folder, fs::perms::owner_all, error);
    if (!error) return {};
    return Error{errc::io, "the folder " + folder.string() + " cannot be made", error.message(),
                 "Choose another folder with --datadir, or make it writable"};
}

Error missing(const Paths& paths) {
    return {errc::wallet_missing,
            "there is no wallet '" + paths.wallet + "' on " + std::string(paths.network->name),
            "no file " + paths.wallet_file().string(),
            "Make one with `headlight create` or `headlight watch`, or name another with --wallet"};
}

Error other_network(const Paths& paths, const std::string& network) {
    return {errc::wrong_network, "the wallet '" + paths.wallet + "' belongs to another network",
            paths.wallet_file().string() + " is " + network + "'s, not " +
                std::string(paths.network->name) + "'s",
            "Use --network " + network};
}

result<OpenWallet> open_to_sync(const Paths& paths, const SyncOptions& options, std::int64_t now) {
    auto opened = open_wallet(paths, WalletDb::Mode::read_write);
    const bool missing_is_fine = options.wallet_optional && opened.has_error() &&
                                 opened.error().code == errc::wallet_missing;
    if (opened) draw_missing_secret(*opened->wallet);
    if (!missing_is_fine) return opened;
    return OpenWallet{.db = nullptr, .wallet = new_wallet(*paths.network, {}, now)};
}

result<Stores> open_stores(const Paths& paths, const SyncOptions& options, std::int64_t now) {
    auto opened = open_to_sync(paths, options, now);
    if (!opened) return opened.error();
    if (const auto made = make_folder(paths.headers().parent_path()); !made) return made.error();
    auto headers = HeaderFile::open(paths.headers(), *paths.network, HeaderFile::Mode::read_write);
    if (!headers) return headers.error();
    return Stores{std::move(*opened), std::move(*headers)};
}

std::int64_t unix_now() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(wall).count();
}

SyncOutcome run(const Paths& paths, SyncOptions& options, const OnNotice& on_notice) {
    auto stores = open_stores(paths, options, unix_now());
    if (!stores) return {.error = stores.error(), .statistics = {}};
    if (options.on_open) options.on_open(*stores->wallet.wallet, *stores->headers.file);
    if (on_notice && !stores->headers.notice.empty())
        on_notice(sync::notice::Warning{{errc::damaged, stores->headers.notice}});
    return run_method(paths, std::move(options), *stores, on_notice);
}

} // namespace

result<void> OpenWallet::save() {
    // Of new descriptors there may be a million.
    const auto ids = wallet->scripts().take_dirty();
    const auto changes = wallet->take_changes();
    if (ids.empty()) return db->apply(changes);
    return db->apply(changes, [&](const wallet::TakeDescriptor& take) {
        for (const auto id : ids)
            if (!take(wallet->scripts().state(id))) return;
    });
}

result<OpenWallet> open_wallet(const Paths& paths, WalletDb::Mode mode) {
    std::error_code error;
    if (!fs::exists(paths.wallet_file(), error)) return missing(paths);
    auto db = WalletDb::open(paths.wallet_file(), mode);
    if (!db) return db.error();
    auto wallet = wallet::Wallet::create(*paths.network, 0, 0);
    auto state = (*db)->load([&](const wallet::WalletState& so_far,
                                 const wallet::DescriptorState& descriptor) -> result<void> {
        if (so_far.network != paths.network->name) return other_network(paths, so_far.network);
        return wallet->scripts().load(descriptor);
    });
    if (!state) return state.error();
    if (state->network != paths.network->name) return other_network(paths, state->network);
    wallet->restore(std::move(*state));
    return OpenWallet{std::move(*db), std::move(wallet)};
}

std::unique_ptr<wallet::Wallet> new_wallet(const chain::Network& network, std::string fingerprint,
                                           std::int64_t now) {
    auto wallet = wallet::Wallet::create(network, random_u32(), now, std::move(fingerprint));
    draw_missing_secret(*wallet);
    return wallet;
}

result<OpenWallet> store_new_wallet(const Paths& paths, std::unique_ptr<wallet::Wallet> wallet) {
    if (const auto made = make_folder(paths.wallets()); !made) return made.error();
    const auto descriptors = [&](const wallet::TakeDescriptor& take) {
        for (const auto& state : wallet->scripts().descriptors())
            if (!take(state)) return;
    };
    auto db = WalletDb::create(paths.wallet_file(), wallet->rest(),
                               wallet::store::real_file_system(), descriptors);
    if (!db) return db.error();
    wallet->scripts().take_dirty(); // all of it is in the file now
    wallet->take_changes();
    return OpenWallet{std::move(*db), std::move(wallet)};
}

result<OpenWallet> create_wallet(const Paths& paths, std::string fingerprint, std::int64_t now) {
    return store_new_wallet(paths, new_wallet(*paths.network, std::move(fingerprint), now));
}

std::vector<std::string> wallet_names(const Paths& paths) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(paths.wallets(), error)) {
        const auto stem = entry.path().stem().string();
        if (entry.path().extension() == ".sqlite" && check_wallet_name(stem)) names.push_back(stem);
    }
    std::ranges::sort(names);
    return names;
}

SyncOutcome run_sync(const Paths& paths, SyncOptions options,
                     std::function<void(const sync::Notice&)> on_notice) {
    const auto start = std::chrono::steady_clock::now();
    auto outcome = run(paths, options, on_notice);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    outcome.seconds = taken.count();
    return outcome;
}

} // namespace headlight::client
