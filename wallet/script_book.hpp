// Every script of the wallet, by script and by place. Derives ahead of use: the scripts that must
// be watched (up to the last used index + the gap limit: "required") and head-room beyond them, so
// that the filter rarely changes.
#pragma once

#include "chain/limits.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/state.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

namespace headlight::wallet {

struct ScriptRef {
    std::uint32_t descriptor = 0; ///< id
    std::uint32_t branch = 0;
    std::uint32_t index = 0;

    friend auto operator<=>(const ScriptRef&, const ScriptRef&) = default;
};

struct DerivedScript {
    ScriptRef ref;
    Bytes script_pubkey;
    std::vector<Bytes> elements() const; ///< chain::filter_elements of it, never empty
};

/// Where a script comes from. Whoever loads the same descriptors again and again, as simulations
/// do, may remember them; the answer must be Descriptor::script_pubkey()'s.
using DeriveScript =
    std::function<result<Bytes>(const Descriptor&, std::uint32_t branch, std::uint32_t index)>;

class ScriptBook {
  public:
    /// `derive` empty: each script is derived when it is needed.
    explicit ScriptBook(const chain::Network& network, DeriveScript derive = {})
        : network_(&network), derive_(std::move(derive)) {}
    ScriptBook(const ScriptBook&) = delete; // its maps borrow from its log
    ScriptBook& operator=(const ScriptBook&) = delete;

    struct Added {
        std::uint32_t id = 0;
        bool is_new = false; ///< false: the same descriptor was there
    };
    /// A new descriptor, derived up to gap + head-room. A known one only takes the larger gap.
    /// Errors: bad_argument for a gap outside 1..limits::max_gap.
    result<Added> add(const Descriptor& descriptor, std::uint32_t gap, Birthday birthday,
                      bool generated);
    /// As a store had it; derives what was derived then. Call in the order of ids. Error: damaged,
    /// when the state contradicts itself or its descriptor no longer parses.
    result<void> load(const DescriptorState& state);

    /// All places of a script (two descriptors may share one). Empty: not ours.
    std::span<const ScriptRef> find(ByteView script_pubkey) const;
    /// Notes that a place is used, deriving further when the head-room has become less than the gap
    /// (for large gaps: than half of the head-room). It then grows by the whole head-room at once,
    /// so that filters rarely change. Returns whether anything changed.
    bool mark_used(const ScriptRef& ref);
    /// mark_used() for every place of a script.
    bool mark_used(ByteView script_pubkey);

    /// The derivation log: scripts in the order they were derived, never reordered. A filter made
    /// when size() was S holds exactly the first S (rule: complete).
    std::size_t size() const { return log_.size(); }
    const DerivedScript& at(std::size_t position) const { return log_[position]; }
    /// Whether a script is within its branch's last used index + gap (not ranged: always).
    bool required(std::size_t position) const;

    const std::vector<DescriptorState>& descriptors() const { return states_; } ///< by id
    const DescriptorState& state(std::uint32_t id) const { return states_[slot(id)]; }
    const Descriptor& descriptor(std::uint32_t id) const { return descriptors_[slot(id)]; }
    std::optional<std::uint32_t> id_of(const Descriptor& descriptor) const;
    std::set<Birthday> birthdays() const; ///< of all descriptors
    /// The lowest receive index (branch 0) above the highest used one, of the first generated (else
    /// first ranged) descriptor.
    std::optional<ScriptRef> next_receive() const;
    const DerivedScript* script(const ScriptRef& ref) const;
    /// Its place in the derivation log; nothing when it is not derived.
    std::optional<std::size_t> position(const ScriptRef& ref) const;

    /// Ids of descriptors changed since the last call.
    std::vector<std::uint32_t> take_dirty();

  private:
    /// Nearly every script has one place, which then costs no allocation.
    struct Places {
        ScriptRef first;
        std::vector<ScriptRef> all; ///< empty while there is only `first`
    };
    /// Position in the log by index; `none` where BIP-32 gives no key.
    using Positions = std::vector<std::uint32_t>;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    /// Where a descriptor that is there stands in the lists below.
    std::size_t slot(std::uint32_t id) const;
    std::uint32_t next_id() const { return states_.empty() ? 0 : states_.back().id + 1; }
    void append(Descriptor descriptor, DescriptorState state);
    void derive_up_to(std::uint32_t id, std::uint32_t branch, std::uint64_t count);
    bool extend(std::uint32_t id, std::uint32_t branch);
    void place(DerivedScript script);

    result<Bytes> derive(std::uint32_t id, std::uint32_t branch, std::uint32_t index) const;

    const chain::Network* network_;
    DeriveScript derive_;
    std::deque<DerivedScript> log_; ///< a deque: what the maps borrow from it stays where it is
    std::vector<DescriptorState> states_;
    std::deque<Descriptor> descriptors_;
    std::vector<std::vector<Positions>> positions_; ///< by slot, branch, index
    std::unordered_map<std::string_view, Places> by_script_;
    std::unordered_map<std::string_view, std::uint32_t> by_text_;
    std::set<std::uint32_t> dirty_;
};

} // namespace headlight::wallet
