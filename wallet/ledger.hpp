// The ledger: which transactions are ours, where they stand, and what follows for coins and balances.
// Derived from the set of transactions alone, so that applying a block twice changes nothing.
#pragma once

#include "wallet/script_book.hpp"
#include "wallet/state.hpp"

#include <set>

namespace headlight::wallet {

enum class TxStatus { confirmed, pending, conflicted, abandoned };
std::string_view to_string(TxStatus status);

struct Coin {
    chain::OutPoint outpoint;
    chain::TxOut output;
    std::int32_t height = -1; ///< -1 while its transaction is pending
    bool coinbase = false;
    std::optional<chain::Hash256> spent_by; ///< a pending transaction (the first seen, when several)
};

struct Balance {
    Amount confirmed = 0;   ///< mature confirmed coins that no pending transaction spends
    Amount unconfirmed = 0; ///< coins of pending transactions, unspent
    Amount immature = 0;    ///< coinbase below 101 confirmations
    Amount total() const { return confirmed + unconfirmed + immature; }
    friend bool operator==(const Balance&, const Balance&) = default;
};

struct HistoryEntry {
    chain::Hash256 txid;
    std::optional<std::int32_t> height;
    std::optional<chain::Hash256> block;
    std::int64_t time = 0; ///< the block's; first seen while pending
    Amount amount = 0;     ///< ours received minus ours spent
    std::optional<Amount> fee; ///< known when every input is ours
    TxStatus status{};
    bool stale = false; ///< pending, and no peer has shown it for 14 days
    std::set<chain::Hash256> conflicts; ///< other transactions that spend one of its inputs
};

/// What one call changed, for the filter (coins) and for people (events).
struct LedgerDelta {
    struct Event {
        chain::Hash256 txid;
        enum class Kind { seen, confirmed, unconfirmed, conflicted, abandoned, dropped } kind{};
        friend bool operator==(const Event&, const Event&) = default;
    };
    std::vector<chain::OutPoint> coins_added;   ///< now to be watched: not spent by a confirmed tx
    std::vector<chain::OutPoint> coins_removed; ///< no longer
    std::vector<Event> events;
    bool ours = false; ///< the transaction belongs to the wallet (record() and confirm() only)

    void append(LedgerDelta other);
};

class Ledger {
  public:
    explicit Ledger(ScriptBook& scripts) : scripts_(&scripts) {}

    /// As a store had it. Marks nothing dirty.
    void load(std::vector<StoredTx> transactions);
    /// After scripts were added: transactions in here may now hold more of ours.
    LedgerDelta reindex();

    /// Whether it pays one of our scripts or spends one of our coins.
    bool relevant(const chain::Transaction& tx) const;
    /// A proven transaction. Not ours: delta.ours is false and nothing is kept. Marks scripts as used.
    /// A witness known from before is kept (filtered blocks send none).
    LedgerDelta confirm(const chain::Transaction& tx, const chain::Hash256& txid,
                        const Confirmation& confirmation, std::int64_t now);
    /// An unconfirmed one, shown by a peer at `now`. Seen again: only last_seen moves (and abandoned ends).
    LedgerDelta record(const chain::Transaction& tx, const chain::Hash256& txid, std::int64_t now);
    /// Everything confirmed above `height` becomes pending again; coinbases are gone.
    LedgerDelta undo_above(std::int32_t height);
    /// Errors: not_found; bad_argument for a confirmed one. Its descendants are abandoned with it.
    result<LedgerDelta> abandon(const chain::Hash256& txid);

    /// Coins that are not spent by a confirmed transaction, immature ones and those of pending
    /// transactions included: what every filter must hold.
    const std::set<chain::OutPoint>& watched_coins() const { return watched_; }

    const StoredTx* find(const chain::Hash256& txid) const;
    TxStatus status(const chain::Hash256& txid) const;
    std::vector<const StoredTx*> pending() const; ///< by first_seen, then txid
    /// At a best height of `tip`, which decides maturity as Bitcoin Core's wallet counts it.
    Balance balance(std::int32_t tip) const;
    std::vector<Coin> coins() const; ///< unspent by confirmed ones; by height (pending last), outpoint
    std::vector<HistoryEntry> history(std::int64_t now) const; ///< oldest first, pending last
    std::size_t size() const { return transactions_.size(); }

    /// Transactions changed, and those gone, since the last call.
    std::vector<StoredTx> take_dirty();
    std::vector<chain::Hash256> take_erased();

  private:
    ScriptBook* scripts_;
    std::map<chain::Hash256, StoredTx> transactions_;
    std::set<chain::OutPoint> watched_;
};

/// Confirmations that a coinbase needs, as Bitcoin Core's wallet counts them.
inline constexpr std::int32_t coinbase_confirmations = 101;

} // namespace headlight::wallet
