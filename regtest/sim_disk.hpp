// What survives a simulated client: the headers and the wallet that its persist actions made
// durable.
#pragma once

#include "chain/memory_archive.hpp"
#include "sync/events.hpp"
#include "wallet/state.hpp"

namespace headlight::regtest {

struct SimDisk {
    chain::MemoryArchive headers;
    wallet::WalletState wallet;
    std::vector<sync::Ban> bans;

    void keep(const sync::Ban& ban);
    /// Headers first, then the wallet, as the client does it.
    void apply(const sync::action::Persist& persist);
};

} // namespace headlight::regtest
