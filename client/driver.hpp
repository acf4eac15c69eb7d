// Runs an engine on real sockets, a real clock and real files: executes its actions, tells it what
// happened. One thread, one event at a time. Asio stays in the .cpp.
#pragma once

#include "client/client.hpp"

namespace headlight::client {

struct Drive {
    sync::Engine& engine;
    wallet::store::HeaderFile& headers;
    wallet::store::WalletDb* db = nullptr; ///< null: the wallet is stored nowhere
    const SyncOptions& options;
    const std::function<void(const sync::Notice&)>& on_notice;
    std::function<void(const sync::Ban&)> keep_ban{};
};

/// What action::Persist asks for; the error is for event::Stored.
std::optional<Error> store_durably(const sync::action::Persist& persist,
                                   wallet::store::HeaderFile& headers, wallet::store::WalletDb* db);

/// Returns when the engine is finished; `seconds` is left to the caller.
SyncOutcome drive(const Drive& drive);

} // namespace headlight::client
