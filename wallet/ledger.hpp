// The ledger: which transactions are ours, where they stand, and what follows for coins and
// balances. Derived from the set of transactions alone, so that applying a block twice changes
// nothing.
//
// Where an unconfirmed transaction stands:
//   abandoned   it or a parent was abandoned;
//   conflicted  an input is spent by a confirmed transaction, or came from a coinbase that a
//               reorganisation undid, or a parent is conflicted, or it was replaced: another
//               unconfirmed transaction, seen first later than it (the greater txid decides a tie),
//               spends one of its inputs and could still confirm (BIP-125: a replacement counts
//               once);
//   pending     else.
// Showing a replaced transaction again does not turn this round; a confirmation decides for good.
#pragma once

#include "wallet/script_book.hpp"
#include "wallet/state.hpp"

#include <deque>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace headlight::wallet {

enum class TxStatus { confirmed, pending, conflicted, abandoned };
std::string_view to_string(TxStatus status);

struct Coin {
    chain::OutPoint outpoint;
    chain::TxOut output;
    std::int32_t height = -1; ///< -1 while its transaction is pending
    bool coinbase = false;
    std::optional<chain::Hash256>
        spent_by; ///< a pending transaction; of several, the one that counts
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
    std::int64_t time = 0;     ///< the block's; first seen while pending
    Amount amount = 0;         ///< ours received minus ours spent
    std::optional<Amount> fee; ///< known when every input is ours
    TxStatus status{};
    bool stale = false;                 ///< pending, and no peer has shown it for 14 days
    std::set<chain::Hash256> conflicts; ///< other transactions that spend one of its inputs
};

/// not_found, in the same words wherever a transaction of the wallet is asked for.
Error no_such_transaction(const chain::Hash256& txid);

/// What one call changed, for the filter (coins) and for people (events).
struct LedgerDelta {
    /// seen: new and unconfirmed. unconfirmed: pending again, after having stood otherwise.
    /// dropped: a coinbase that was undone. One event for each transaction and change of where it
    /// stands.
    struct Event {
        chain::Hash256 txid;
        enum class Kind { seen, confirmed, unconfirmed, conflicted, abandoned, dropped } kind{};
        friend bool operator==(const Event&, const Event&) = default;
    };
    std::vector<chain::OutPoint> coins_added;   ///< now to be watched: not spent by a confirmed tx
    std::vector<chain::OutPoint> coins_removed; ///< no longer
    std::vector<Event> events;
    bool ours = false; ///< the transaction belongs to the wallet (record() and confirm() only)

    /// What `other` changed after this; a coin that came and went between the two is in neither
    /// list.
    void append(LedgerDelta other);
};

class Ledger {
  public:
    explicit Ledger(ScriptBook& scripts) : scripts_(&scripts) {}

    /// As a store had it, the scripts being loaded already. Marks nothing dirty.
    void load(std::vector<StoredTx> transactions);
    /// After scripts were added: transactions in here may now hold more of ours.
    LedgerDelta reindex();

    /// Whether it pays one of our scripts or spends one of our coins. Never one that no block can
    /// hold (amounts out of range, an input twice, CVE-2018-17144).
    bool relevant(const chain::Transaction& tx) const;
    /// The same, as if only the scripts of these places were ours.
    using ScriptTest = std::function<bool(const ScriptRef&)>;
    bool relevant(const chain::Transaction& tx, const ScriptTest& counts) const;
    /// A proven transaction. Not ours: delta.ours is false and nothing is kept. Marks scripts as
    /// used. A witness known from before is kept (filtered blocks send none).
    LedgerDelta confirm(const chain::Transaction& tx, const chain::Hash256& txid,
                        const Confirmation& confirmation, std::int64_t now);
    /// An unconfirmed one, shown by a peer at `now`. Seen again: only last_seen moves (and
    /// abandoned ends, its ancestors' too, since no peer holds it without them). Marks scripts as
    /// used. Not ours, and not kept: a coinbase, and what is beyond
    /// limits::max_pending_transactions or max_spends_of_coin.
    LedgerDelta record(const chain::Transaction& tx, const chain::Hash256& txid, std::int64_t now);
    /// Everything confirmed above `height` becomes pending again; coinbases are gone.
    LedgerDelta undo_above(std::int32_t height);
    /// The same for every confirmation of which `keep` says false.
    LedgerDelta undo_unless(const std::function<bool(const Confirmation&)>& keep);
    /// Errors: not_found; bad_argument for a confirmed one. Its descendants are abandoned with it.
    result<LedgerDelta> abandon(const chain::Hash256& txid);

    /// Coins that are not spent by a confirmed transaction, immature ones and those of pending
    /// transactions included: what every filter must hold.
    /// (Coins of conflicted and abandoned transactions come back with these.)
    const std::set<chain::OutPoint>& watched_coins() const { return watched_; }

    const StoredTx* find(const chain::Hash256& txid) const;
    TxStatus status(const chain::Hash256& txid) const; ///< of one that find() knows
    std::vector<const StoredTx*> pending() const;      ///< by first_seen, then txid
    /// At a best height of `tip`, which decides maturity as Bitcoin Core's wallet counts it.
    Balance balance(std::int32_t tip) const;
    std::vector<Coin>
    coins() const; ///< unspent by confirmed ones; by height (pending last), outpoint
    std::vector<HistoryEntry> history(std::int64_t now) const; ///< oldest first, pending last
    std::size_t size() const { return transactions_.size(); }
    std::vector<StoredTx> all() const; ///< by txid: what load() takes

    /// Transactions changed, and those gone, since the last call.
    std::vector<StoredTx> take_dirty();
    std::vector<chain::Hash256> take_erased();

  private:
    struct Entry {
        StoredTx stored;
        std::vector<std::uint32_t> ours; ///< outputs that pay us, ascending
        TxStatus status = TxStatus::pending;
        bool dead = false; ///< cannot confirm as things stand (a replaced one still could)
    };
    struct Standing {
        TxStatus status{};
        std::optional<chain::Hash256> block;
        friend bool operator==(const Standing&, const Standing&) = default;
    };
    /// What one call touches: settled and turned into a delta at its end.
    struct Change {
        std::map<chain::Hash256, std::optional<Standing>> before;
        std::vector<chain::Hash256> touched; ///< in the order of touching
        std::set<chain::OutPoint> coins;     ///< whose being watched may have changed
        std::deque<chain::Hash256> queue;    ///< to be judged again
        std::set<chain::Hash256> queued;
    };
    using Transactions = std::map<chain::Hash256, Entry>;
    using TxVisitor = std::function<void(const chain::Hash256&, Entry&)>;

    bool admits(const chain::Transaction& tx) const;
    std::int64_t after_rivals(const chain::Transaction& tx, std::int64_t now) const;
    bool is_ours(const chain::OutPoint& outpoint) const;
    const chain::TxOut& output(const chain::OutPoint& outpoint) const;
    bool spent_by_confirmed(const chain::OutPoint& outpoint) const;
    const StoredTx* pending_spender(const chain::OutPoint& outpoint) const;
    bool to_be_watched(const chain::OutPoint& outpoint) const;
    void for_spenders(const chain::OutPoint& outpoint, const TxVisitor& visit);
    void for_children(const chain::Hash256& txid, const TxVisitor& visit);
    void for_rivals(const Entry& entry, const TxVisitor& visit);

    Entry& insert(StoredTx stored, bool mark_used, Change& change);
    void index_outputs(Entry& entry, bool mark_used, Change& change);
    void adopt_new_scripts(Change& change);
    void adopt(std::size_t script_position, Change& change);
    void set_confirmation(Entry& entry, std::optional<Confirmation> confirmation, Change& change);
    void restore_children_of_coinbase(const chain::Hash256& txid, Change& change);
    void erase_coinbase(const chain::Hash256& txid, Change& change);
    void end_abandonment(Entry& entry, Change& change);
    LedgerDelta undo(const std::vector<chain::Hash256>& txids);

    void touch(const Entry& entry, Change& change);
    void enqueue(const chain::Hash256& txid, Change& change);
    void enqueue_neighbours(const Entry& entry, Change& change);
    void affect_coins(const Entry& entry, Change& change);
    std::pair<TxStatus, bool> judge(const Entry& entry);
    void settle(Change& change);
    void tell_coins(const Change& change, LedgerDelta& delta);
    void tell_events(const Change& change, LedgerDelta& delta) const;
    LedgerDelta finish(Change& change);

    HistoryEntry history_entry(const Entry& entry, std::int64_t now) const;

    ScriptBook* scripts_;
    std::size_t scripts_known_ = 0; ///< of the book's log: what the outputs were held against
    Transactions transactions_;
    std::set<std::pair<chain::OutPoint, chain::Hash256>>
        spends_; ///< every input, and its transaction
    std::unordered_multimap<std::size_t, chain::OutPoint>
        foreign_; ///< others' outputs, by script hash
    std::set<std::tuple<std::int32_t, std::uint32_t, chain::Hash256>>
        confirmed_; ///< height, position
    std::set<chain::Hash256> unconfirmed_;
    std::set<chain::OutPoint> watched_;
    std::set<chain::Hash256> dirty_;
    std::set<chain::Hash256> erased_;
};

/// Confirmations that a coinbase needs, as Bitcoin Core's wallet counts them.
inline constexpr std::int32_t coinbase_confirmations = 101;

} // namespace headlight::wallet
