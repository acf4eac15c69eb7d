// Removing descriptors from a wallet.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"
#include "wallet/state.hpp"

#include <set>

namespace headlight::wallet {

struct Unwatched {
    WalletChanges changes; ///< the descriptors, and the transactions that concern no other
    std::size_t scripts_left = 0;
};

/// For the store: nothing in memory can forget a script, as filters are made from a log of them.
/// Whoever loads the wallet again has one without these. Labels stay, and so does the scan
/// position: nothing else has to be scanned again. Errors: as Wallet::load.
result<Unwatched> unwatch(const WalletState& state, const std::set<std::uint32_t>& ids,
                          const chain::Network& network);

} // namespace headlight::wallet
