// The library's public face: open a wallet and the headers beside it, sync them over real sockets.
#pragma once

#include "client/method.hpp"
#include "client/paths.hpp"
#include "sync/engine.hpp"
#include "wallet/store/header_file.hpp"
#include "wallet/store/wallet_db.hpp"

#include <functional>
#include <memory>

namespace headlight::client {

/// A wallet and its file. In read_only mode nothing on disk changes.
struct OpenWallet {
    std::unique_ptr<wallet::store::WalletDb> db;
    std::unique_ptr<wallet::Wallet> wallet;

    /// Stores what changed since the last call.
    result<void> save();
};

/// Errors: those of WalletDb::open and Wallet::load; wrong_network when the file is another
/// network's.
result<OpenWallet> open_wallet(const Paths& paths, wallet::store::WalletDb::Mode mode);
/// Makes an empty wallet file with a random tweak. Errors: wallet_exists, io, disk_full.
result<OpenWallet> create_wallet(const Paths& paths, std::string fingerprint, std::int64_t now);
/// A wallet with a random tweak, in memory only. `now` is in seconds since 1970.
std::unique_ptr<wallet::Wallet> new_wallet(const chain::Network& network, std::string fingerprint,
                                           std::int64_t now);
/// Makes the file of a new wallet with all that is in it, or no file. Errors: as create_wallet.
result<OpenWallet> store_new_wallet(const Paths& paths, std::unique_ptr<wallet::Wallet> wallet);
/// The names of the wallets there are, sorted.
std::vector<std::string> wallet_names(const Paths& paths);

struct SyncOptions {
    /// Seed 0: a random one is taken. `fp_rate`, `split` and `whole_blocks` follow from the next
    /// two, but for a broadcast, which needs no filter.
    sync::Config config;
    std::optional<Method> method{}; ///< absent: bip37, or full where that was chosen last
    FilterChoice filter;            ///< remembered in the wallet, unless whole blocks are asked for
    std::int64_t timeout_ms = 0;    ///< 0: none
    /// SIGINT and SIGTERM end the run in an orderly way; a second one ends the process at once with
    /// exit code 3 (what is stored is whole at any moment).
    bool handle_signals = true;
    /// Without a wallet file, runs with an empty wallet that is stored nowhere (for a broadcast).
    bool wallet_optional = false;
    /// Called before the first event, with what is being synced. It lives until Finished is told.
    std::function<void(const wallet::Wallet&, const chain::HeaderArchive&)> on_open{};
    std::function<void()> every_second{}; ///< so that silence can be shown, too
};

struct SyncOutcome {
    std::optional<Error> error;
    bool kept_part = false;
    bool whole_blocks = false; ///< the blocks came whole
    sync::Statistics statistics;
    double seconds = 0;
};

/// Runs the engine until it is finished. Notices come on this thread, in between network events;
/// the first ones may be warnings about the header file. Errors: those of opening both files,
/// in_use among them; then whatever the engine ends with.
SyncOutcome run_sync(const Paths& paths, SyncOptions options,
                     std::function<void(const sync::Notice&)> on_notice);

} // namespace headlight::client
