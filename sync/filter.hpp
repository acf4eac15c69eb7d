// What has to be in a peer's filter, what is in it, and when a new one is due.
//
// Scripts are numbered by the book's derivation log, coins by a log kept here; a filter made when
// the logs were S and C long holds exactly the first S scripts and the coins that were watched
// among the first C. So "does this filter hold everything required" only has to look at what came
// later.
#pragma once

#include "sync/context.hpp"
#include "sync/filter_policy.hpp"

#include <map>
#include <memory>

namespace headlight::sync {

/// One filterload on one connection, and what the server has added to it by itself since. Numbers
/// of answers ("ordinals") rise along the connection.
struct LoadedFilter {
    std::uint32_t part = 0;    ///< of the scripts and coins: what follows concerns this part only
    std::size_t scripts = 0;   ///< length of the derivation log when it was made
    std::size_t coins = 0;     ///< length of the coin log when it was made
    bip37::BloomFilter sent;   ///< as it was loaded
    bip37::BloomFilter mirror; ///< the server's filter, as far as we can know it
    double fresh_rate = 0;     ///< false-positive rate when it was made
    bool in_effect = false;    ///< an answer or pong behind it has come
    /// Our coins that BLOOM_UPDATE_ALL added, with the ordinal of the answer that did it.
    std::map<chain::OutPoint, std::uint64_t> added;

    // Coins of the log before this are held by every answer from `checked_ordinal` on.
    std::size_t coins_checked = 0;
    std::uint64_t checked_ordinal = 0;
};

class FilterKeeper {
  public:
    explicit FilterKeeper(Context& context);

    /// A clean filter of everything derived and every coin watched now, of one part, for the peer
    /// of this address. Chooses (and changes only when it must) the wallet's size class.
    std::shared_ptr<LoadedFilter> make(std::uint32_t part = 0, std::string_view peer = {});

    /// A proven or announced transaction that the server matched under `filter`: mirrors what the
    /// server added. Returns whether our mirror matches it at all.
    bool learn(LoadedFilter& filter, const chain::Transaction& tx, const chain::Hash256& txid,
               std::uint64_t ordinal);

    /// Whether all of its part that is required now was known to the connection when it gave
    /// answer `ordinal`.
    bool covers(LoadedFilter& filter, std::uint64_t ordinal);

    /// Whether a server that gave answer `ordinal` under `filter` cannot but have matched this
    /// transaction, by a script or a coin of ours that was loaded, or that its own earlier answers
    /// added. (What relay has added unseen does not count: blame needs proof.)
    bool had_to_match(const LoadedFilter& filter, std::uint64_t ordinal,
                      const chain::Transaction& tx) const;

    /// Whether auto-updates have spoilt it so far that a clean one is worth its bytes.
    bool worn(const LoadedFilter& filter) const;

  private:
    void take_ledger_changes();
    bool holds_coin(const LoadedFilter& filter, std::size_t position, std::uint64_t ordinal) const;
    void choose_size();
    void log_coin(const chain::OutPoint& coin);
    /// One of our scripts that the filter was loaded with.
    bool holds_script(const LoadedFilter& filter, ByteView script_pubkey) const;

    struct Coin {
        chain::OutPoint outpoint;
        std::uint32_t part = 0;
    };

    Context& context_;
    const Parts parts_;
    std::vector<Coin> coin_log_;
    std::map<chain::OutPoint, std::size_t> coin_position_; ///< watched coins only
    bool warned_too_large_ = false;
};

} // namespace headlight::sync
