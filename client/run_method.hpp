// A sync on files that are open: the filter that was chosen, or whole blocks.
#pragma once

#include "client/client.hpp"

namespace headlight::client {

struct Stores {
    OpenWallet wallet; ///< without a db when it is stored nowhere
    wallet::store::HeaderFile::Opened headers;
};

using OnNotice = std::function<void(const sync::Notice&)>;

/// Runs one engine, or a second one for whole blocks after the first has found nobody who filters.
/// `seconds` is left to the caller.
SyncOutcome run_method(const Paths& paths, SyncOptions options, Stores& stores,
                       const OnNotice& on_notice);

} // namespace headlight::client
