// Removing descriptors from a wallet.
#pragma once

#include "wallet/wallet.hpp"

namespace headlight::wallet {

struct Unwatched {
    WalletChanges changes; ///< the descriptors, and the transactions that concern no other
    std::size_t scripts_left = 0;
};

/// For the store: nothing in memory can forget a script, as filters are made from a log of them.
/// Whoever loads the wallet again has one without these. Labels stay, and so does the scan
/// position: nothing else has to be scanned again. `ids`: sorted, each once, all known.
Unwatched unwatch(const Wallet& wallet, std::vector<std::uint32_t> ids);

} // namespace headlight::wallet
