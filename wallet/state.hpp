// A wallet as plain values: what a store loads and what it is told to change. No behaviour here.
#pragma once

#include "chain/transaction.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight::wallet {

/// From where on a script may have a history: a height, or a time that becomes one once the headers
/// are known (block times drift, so it is backed off then).
struct Birthday {
    enum class Kind { height, time };
    Kind kind = Kind::height;
    std::int64_t value = 0; ///< a height, or seconds since 1970 UTC

    friend auto operator<=>(const Birthday&, const Birthday&) = default;
};

/// Everything up to and with this block is scanned (or lies before the birthday). -1: nothing.
struct ScanPosition {
    std::int32_t height = -1;
    chain::Hash256 hash{};

    friend bool operator==(const ScanPosition&, const ScanPosition&) = default;
};

/// One chain of scripts of a descriptor.
struct BranchState {
    std::int64_t highest_used = -1; ///< index; -1 when none is
    std::uint32_t derived = 0;      ///< how many indexes are derived (and belong into every filter)

    friend bool operator==(const BranchState&, const BranchState&) = default;
};

struct DescriptorState {
    /// In the order of adding: others keep theirs when one is removed.
    std::uint32_t id = 0;
    std::string descriptor; ///< canonical text with checksum
    std::uint32_t gap = 20;
    Birthday birthday;
    bool generated = false; ///< made by `create`: `address` hands out its indexes
    std::vector<BranchState> branches;

    friend bool operator==(const DescriptorState&, const DescriptorState&) = default;
};

/// Where a transaction is confirmed, and the proof of it.
struct Confirmation {
    std::int32_t height = 0;
    chain::Hash256 block;
    std::int64_t time = 0;      ///< the block's
    std::uint32_t position = 0; ///< in the block
    std::uint32_t total_transactions = 0;
    std::vector<chain::Hash256> branch; ///< merkle siblings, leaf upwards

    friend bool operator==(const Confirmation&, const Confirmation&) = default;
};

struct StoredTx {
    chain::Transaction tx;
    chain::Hash256 txid;
    std::optional<Confirmation> confirmation; ///< none: pending, conflicted or abandoned
    bool abandoned = false;
    std::int64_t first_seen = 0; ///< seconds since 1970
    std::int64_t last_seen = 0;  ///< when a peer last showed it
    /// Coinbases that it spends and that a reorganisation undid: it is in conflict until they are
    /// back.
    std::vector<chain::Hash256> lost_parents{};

    friend bool operator==(const StoredTx&, const StoredTx&) = default;
};

/// The parts of the filter that must not change by themselves (rule: private).
struct FilterParameters {
    std::uint32_t tweak = 0;
    std::uint32_t size_class = 0; ///< elements each filter is sized for; 0: not chosen yet
    std::uint32_t shards = 1;     ///< filters that the elements of one peer are spread over
    double fp_rate = 0;           ///< as chosen last; 0: never
    std::uint32_t split = 1;      ///< groups of peers that each get a part, as chosen last
    bool whole_blocks = false;    ///< no filter at all, as chosen last
    /// What further tweaks and the parts of scripts follow from; told to nobody. All zero: none
    /// yet.
    std::array<std::uint8_t, 16> secret{};
    /// With a split: which group a peer ("host:port") belongs to, for good.
    std::map<std::string, std::uint32_t> groups{};

    /// How many filters all elements are spread over.
    std::uint32_t parts() const { return split * shards; }

    friend bool operator==(const FilterParameters&, const FilterParameters&) = default;
};

struct WalletState {
    std::string network;     ///< chain::Network::name
    std::string fingerprint; ///< of the master key, 8 hex digits; empty when watch-only
    std::int64_t created = 0;
    std::vector<DescriptorState> descriptors; ///< by id
    std::vector<StoredTx> transactions;
    std::map<std::string, std::string> labels; ///< by address or txid
    ScanPosition scan;
    std::vector<ScanPosition>
        scan_trail;                 ///< earlier positions, highest first: dense, then doubling
    std::optional<Birthday> rescan; ///< the next sync starts no later than here
    /// Nor than here: a request of the other kind. A height and a time cannot be compared before
    /// the headers are known, so both stay until then.
    std::optional<Birthday> rescan_other{};
    FilterParameters filter;
    /// Of the blocks up to here, those that were to be asked of a second peer have been; -1: none.
    std::int32_t checked_to = -1;

    friend bool operator==(const WalletState&, const WalletState&) = default;
};

/// What changed since the last time: applied whole or not at all. Absent fields stay as they are.
struct WalletChanges {
    std::vector<DescriptorState> descriptors;  ///< upserted by id
    std::vector<std::uint32_t> removed;        ///< ids of descriptors that are gone
    std::vector<StoredTx> transactions;        ///< upserted by txid
    std::vector<chain::Hash256> erased;        ///< transactions that are gone
    std::map<std::string, std::string> labels; ///< upserted; an empty text removes one
    std::optional<ScanPosition> scan;
    std::optional<std::vector<ScanPosition>> scan_trail;
    std::optional<std::optional<Birthday>> rescan;
    std::optional<std::optional<Birthday>> rescan_other;
    std::optional<FilterParameters> filter;
    std::optional<std::int32_t> checked_to;

    bool empty() const { return *this == WalletChanges{}; }
    friend bool operator==(const WalletChanges&, const WalletChanges&) = default;
};

/// Descriptors one by one, so that a million need not be held at once as they are here.
using TakeDescriptor = std::function<bool(const DescriptorState&)>;
/// Gives those that are to be stored beside a state or changes, until `take` says no.
using DescriptorSource = std::function<void(const TakeDescriptor& take)>;

} // namespace headlight::wallet
