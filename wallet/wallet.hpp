// One wallet in memory: its scripts, its ledger, how far it is scanned. No I/O: a store loads the
// state and applies the changes.
#pragma once

#include "chain/header_tree.hpp"
#include "wallet/ledger.hpp"
#include "wallet/script_book.hpp"
#include "wallet/state.hpp"

#include <memory>

namespace headlight::wallet {

class Wallet {
  public:
    /// Errors: damaged, when a stored descriptor no longer parses; wrong_network.
    static result<std::unique_ptr<Wallet>> load(WalletState state, const chain::Network& network,
                                                DeriveScript derive = {});
    /// The rest of what load() takes, for a wallet as create() makes it into which
    /// scripts().load() has put the descriptors, one by one.
    void restore(WalletState rest);
    static std::unique_ptr<Wallet> create(const chain::Network& network, std::uint32_t tweak,
                                          std::int64_t created, std::string fingerprint = {},
                                          DeriveScript derive = {});

    Wallet(const Wallet&) = delete;
    Wallet& operator=(const Wallet&) = delete;

    const chain::Network& network() const { return *network_; }
    ScriptBook& scripts() { return scripts_; }
    const ScriptBook& scripts() const { return scripts_; }
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }
    const std::string& fingerprint() const { return fingerprint_; }

    /// Adds descriptors; new ones are scanned for from their birthday at the next sync, and known
    /// ones whose gap grew beyond what was derived. Call ledger().reindex() afterwards.
    result<ScriptBook::Added> add(const Descriptor& descriptor, std::uint32_t gap,
                                  Birthday birthday, bool generated);

    const ScanPosition& scan() const { return scan_; }
    /// Moves on by one scanned block (or to a birthday), keeping a trail of earlier positions.
    void set_scan(ScanPosition position);
    /// The earliest point asked for (new descriptors, `rescan`); the engine resolves and clears it.
    /// A height and a time cannot be compared before the headers are known, so of each kind the
    /// earliest is kept: clear_rescan() drops the one shown, then the other shows. Resolve until
    /// there is none.
    const std::optional<Birthday>& rescan() const { return rescan_; }
    void request_rescan(Birthday from);
    void clear_rescan();
    /// Makes the wallet agree with the best chain: positions and confirmations that are not on it
    /// are undone down to the last block shared. What changed is in the delta. When no position of
    /// the trail is on the chain, nothing counts as scanned and a rescan from the earliest birthday
    /// is requested. (So call it when headers are in step: a chain cut to genesis undoes every
    /// confirmation.)
    LedgerDelta reconcile(const chain::HeaderTree& tree);
    /// After a reorganisation at `fork`: undoes and moves the scan position back.
    LedgerDelta undo_above(std::int32_t fork, const chain::Hash256& fork_hash);

    const FilterParameters& filter() const { return filter_; }
    void set_filter(FilterParameters parameters);
    /// Of the blocks up to here, those that were to be asked of a second peer have been; -1: none.
    /// Never above the scan position.
    std::int32_t checked_to() const { return checked_to_; }
    void set_checked_to(std::int32_t height);
    const std::map<std::string, std::string>& labels() const { return labels_; }
    void set_label(const std::string& name, const std::string& text); ///< empty text: none

    /// The whole state (what a store would load).
    WalletState state() const;
    WalletState rest() const; ///< without the descriptors, of which there may be a million
    /// What changed since the last call.
    WalletChanges take_changes();

  private:
    /// Which of the plain parts changed since take_changes().
    struct Dirty {
        bool scan = false;
        bool rescan = false;
        bool filter = false;
        bool checked_to = false;
        std::map<std::string, std::string> labels;
    };

    Wallet(const chain::Network& network, DeriveScript derive);

    void thin_trail();
    std::optional<ScanPosition> last_on_chain(const chain::HeaderTree& tree) const;
    void request_rescan_from_birthdays();

    const chain::Network* network_;
    ScriptBook scripts_;
    Ledger ledger_;
    std::string fingerprint_;
    std::int64_t created_ = 0;
    std::map<std::string, std::string> labels_;
    ScanPosition scan_;
    std::vector<ScanPosition> trail_; ///< earlier positions, highest first
    std::optional<Birthday> rescan_;
    std::optional<Birthday> rescan_other_; ///< of the other kind
    FilterParameters filter_;
    std::int32_t checked_to_ = -1;
    Dirty dirty_;
};

} // namespace headlight::wallet
