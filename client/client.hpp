// The library's public face: open a wallet and the headers beside it, sync them over real sockets.
#pragma once

#include "client/paths.hpp"
#include "sync/engine.hpp"
#include "wallet/store/header_file.hpp"
#include "wallet/store/wallet_db.hpp"

#include <functional>

namespace headlight::client {

/// A wallet and its file. In read_only mode nothing on disk changes.
struct OpenWallet {
    std::unique_ptr<wallet::store::WalletDb> db;
    std::unique_ptr<wallet::Wallet> wallet;

    /// Stores what changed since the last call.
    result<void> save();
};

/// Errors: those of WalletDb::open and Wallet::load; wrong_network when the file is another network's.
result<OpenWallet> open_wallet(const Paths& paths, wallet::store::WalletDb::Mode mode);
/// Makes an empty wallet file with a random tweak. Errors: wallet_exists, io, disk_full.
result<OpenWallet> create_wallet(const Paths& paths, std::string fingerprint, std::int64_t now);
/// The names of the wallets there are, sorted.
std::vector<std::string> wallet_names(const Paths& paths);

struct SyncOptions {
    sync::Config config;         ///< seed 0: a random one is taken
    std::int64_t timeout_ms = 0; ///< 0: none
    bool handle_signals = true;  ///< SIGINT and SIGTERM end the run in an orderly way
};

struct SyncOutcome {
    std::optional<Error> error;
    bool kept_part = false;
    sync::Statistics statistics;
    double seconds = 0;
};

/// Runs the engine until it is finished. Notices come on this thread, in between network events.
SyncOutcome run_sync(const Paths& paths, SyncOptions options,
                     std::function<void(const sync::Notice&)> on_notice);

} // namespace headlight::client
