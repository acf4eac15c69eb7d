// What the wallet of a world owns on one branch of its chain, counted while the world is made.
#pragma once

#include "regtest/chain_builder.hpp"
#include "regtest/dice.hpp"
#include "wallet/script_book.hpp"

#include <map>
#include <set>

namespace headlight::tests {

/// One thing that is watched: a descriptor, and from which height on it is paid.
struct WatchedItem {
    wallet::Descriptor descriptor;
    std::int32_t since = 1;
};

struct ScriptPlace {
    std::size_t item = 0;
    std::uint32_t branch = 0;
    std::uint32_t index = 0;
};

/// Every script that was paid, and every transaction that was made.
class Keyring {
  public:
    explicit Keyring(std::vector<WatchedItem> items);

    const std::vector<WatchedItem>& items() const { return items_; }
    Bytes script(const ScriptPlace& place);
    const ScriptPlace* find(ByteView script_pubkey) const;
    void note(const chain::Hash256& txid) { made_.insert(txid); }
    /// Whether it is one of the world's; others' coins come from nowhere.
    bool made(const chain::Hash256& txid) const { return made_.contains(txid); }

  private:
    std::vector<WatchedItem> items_;
    wallet::DeriveScript derive_;
    std::map<Bytes, ScriptPlace> places_;
    std::set<chain::Hash256> made_;
};

struct PurseCoin {
    chain::OutPoint outpoint;
    Amount amount = 0;
    std::int32_t height = 0;
    bool coinbase = false;
};

class Purse {
  public:
    explicit Purse(const Keyring& keyring);
    /// After all blocks up to `tip`.
    Purse(const Keyring& keyring, const regtest::ChainBuilder& chain, const chain::Hash256& tip);

    void take(const chain::Transaction& tx, const chain::Hash256& txid, std::int32_t height);
    /// Whether a block on this branch can hold it, and a wallet with such a gap finds it there.
    bool admits(const chain::Transaction& tx, std::uint32_t gap, std::int32_t height) const;

    const std::vector<PurseCoin>& coins() const { return coins_; }
    /// -1: none is used.
    std::int64_t highest(std::size_t item, std::uint32_t branch) const {
        return highest_[item][branch];
    }

  private:
    bool can_spend(const chain::OutPoint& coin) const;

    const Keyring* keyring_;
    std::vector<PurseCoin> coins_;
    std::set<chain::OutPoint> spent_;
    std::vector<std::vector<std::int64_t>> highest_;
};

} // namespace headlight::tests
