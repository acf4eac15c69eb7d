// What a wallet must hold after a branch, found the slow and obvious way: by looking at every
// transaction of every block.
#pragma once

#include "regtest/chain_builder.hpp"
#include "wallet/ledger.hpp"

#include <functional>
#include <map>
#include <set>

namespace headlight::regtest {

using IsOurs = std::function<bool(ByteView script_pubkey)>;

struct ExpectedCoin {
    chain::TxOut output;
    std::int32_t height = -1; ///< -1: pending
    bool coinbase = false;

    friend bool operator==(const ExpectedCoin&, const ExpectedCoin&) = default;
};

struct Expected {
    std::set<std::pair<chain::Hash256, std::int32_t>> confirmed; ///< txid, height
    std::set<chain::Hash256> pending;
    std::map<chain::OutPoint, ExpectedCoin> coins; ///< unspent, by pending transactions too
    wallet::Balance balance;
};

/// The wallet of `ours` at `tip`, scanned from `first` on (a birthday); `pending` are transactions
/// that it has seen, parents before children, none of them confirmed or in conflict.
Expected expect(const ChainBuilder& chain, const chain::Hash256& tip, const IsOurs& ours,
                const std::vector<chain::Transaction>& pending = {}, std::int32_t first = 0);

} // namespace headlight::regtest
