// Every script of the wallet, by script and by place. Derives ahead of use: the scripts that must
// be watched (up to the last used index + the gap limit: "required") and head-room beyond them, so
// that the filter rarely changes.
//
// A wallet may watch a million addresses, so of a descriptor that is one script only that script is
// kept, with a few numbers; what it is asked for, its text too, is made when it is asked.
#pragma once

#include "chain/limits.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/script_log.hpp"
#include "wallet/single_script.hpp"
#include "wallet/state.hpp"

#include <functional>
#include <limits>
#include <ranges>
#include <set>

namespace headlight::wallet {

/// Where a script comes from. Whoever loads the same descriptors again and again, as simulations
/// do, may remember them; the answer must be Descriptor::script_pubkey()'s.
using DeriveScript =
    std::function<result<Bytes>(const Descriptor&, std::uint32_t branch, std::uint32_t index)>;

class ScriptBook {
    // Before its users: its type is deduced.
    auto by_slot(bool with_text) const {
        return std::views::iota(std::size_t{0}, slots_.size()) |
               std::views::transform(
                   [this, with_text](std::size_t at) { return state_in(at, with_text); });
    }

  public:
    /// `derive` empty: each script is derived when it is needed.
    explicit ScriptBook(const chain::Network& network, DeriveScript derive = {})
        : network_(&network), derive_(std::move(derive)) {}
    ScriptBook(const ScriptBook&) = delete; // its views borrow from it
    ScriptBook& operator=(const ScriptBook&) = delete;

    struct Added {
        std::uint32_t id = 0;
        bool is_new = false; ///< false: the same descriptor was there
        bool wider = false;  ///< and its gap was smaller
    };
    /// A new descriptor, derived up to gap + head-room. A known one only takes the larger gap.
    /// Errors: bad_argument for a gap outside 1..limits::max_gap.
    result<Added> add(const Descriptor& descriptor, std::uint32_t gap, Birthday birthday,
                      bool generated);
    /// As a store had it; derives what was derived then. Call in the order of ids. Error: damaged,
    /// when the state contradicts itself or its descriptor no longer parses.
    result<void> load(const DescriptorState& state);

    /// All places of a script (two descriptors may share one). Empty: not ours.
    std::span<const ScriptRef> find(ByteView script_pubkey) const {
        return log_.find(script_pubkey);
    }
    /// Notes that a place is used, deriving further when the head-room has become less than the gap
    /// (for large gaps: than half of the head-room). It then grows by the whole head-room at once,
    /// so that filters rarely change. Returns whether anything changed.
    bool mark_used(const ScriptRef& ref);
    /// mark_used() for every place of a script.
    bool mark_used(ByteView script_pubkey);

    /// The derivation log: scripts in the order they were derived, never reordered. A filter made
    /// when size() was S holds exactly the first S (rule: complete).
    std::size_t size() const { return log_.size(); }
    DerivedScript at(std::size_t position) const { return log_.at(position); }
    /// Whether a script is within its branch's last used index + gap (not ranged: always).
    bool required(std::size_t position) const;

    /// By id; each is made when it is looked at.
    auto descriptors() const { return by_slot(true); }
    /// The same without their texts, which are what takes time.
    auto textless_descriptors() const { return by_slot(false); }
    DescriptorState state(std::uint32_t id) const { return state_in(slot(id), true); }
    Descriptor descriptor(std::uint32_t id) const;
    std::optional<std::uint32_t> id_of(const Descriptor& descriptor) const;
    bool is_generated(std::uint32_t id) const { return state_in(slot(id), false).generated; }
    std::set<Birthday> birthdays() const;           ///< of all descriptors
    std::size_t scripts_of(std::uint32_t id) const; ///< how many are derived
    /// The lowest receive index (branch 0) above the highest used one, of the first generated (else
    /// first ranged) descriptor.
    std::optional<ScriptRef> next_receive() const;
    std::optional<DerivedScript> script(const ScriptRef& ref) const;
    /// Its place in the derivation log; nothing when it is not derived.
    std::optional<std::size_t> position(const ScriptRef& ref) const;

    /// Ids of descriptors changed since the last call.
    std::vector<std::uint32_t> take_dirty();

  private:
    /// Position in the log by index; `none` where BIP-32 gives no key.
    using Positions = std::vector<std::uint32_t>;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    /// What a million descriptors have in common, kept once.
    struct Terms {
        std::uint32_t gap = 0;
        Birthday birthday;
        bool generated = false;
        friend auto operator<=>(const Terms&, const Terms&) = default;
    };
    struct Slot {
        std::uint32_t id = 0;
        std::uint32_t place = 0; ///< in the log; with SingleForm::none in `full_`
        std::uint32_t terms = 0;
        SingleForm form = SingleForm::none;
        bool used = false; ///< and `terms`: not with SingleForm::none
    };
    struct Full {
        Descriptor descriptor;
        DescriptorState state;
        std::vector<Positions> positions; ///< by branch, index
    };

    DescriptorState state_in(std::size_t slot, bool with_text) const;
    /// Where a descriptor stands in the order of ids; slots_.size() when it is not there.
    std::size_t slot(std::uint32_t id) const;
    Full& full(std::size_t slot) { return full_[slots_[slot].place]; }
    const Full& full(std::size_t slot) const { return full_[slots_[slot].place]; }
    std::uint32_t next_id() const { return slots_.empty() ? 0 : slots_.back().id + 1; }

    std::uint32_t keep(const Terms& terms);
    std::optional<std::uint32_t> id_of(SingleForm form, ByteView script,
                                       const std::string& text) const;
    void append(const Descriptor& descriptor, const DescriptorState& state);
    void append_single(SingleForm form, ByteView script, const DescriptorState& state);
    Full& append_full(Descriptor descriptor, DescriptorState state);
    bool widen(Full& full, std::uint32_t gap);
    void derive_up_to(Full& full, std::uint32_t branch, std::uint64_t count);
    bool extend(Full& full, std::uint32_t branch);
    result<Bytes> derive(const Full& full, std::uint32_t branch, std::uint32_t index) const;

    const chain::Network* network_;
    DeriveScript derive_;
    ScriptLog log_;
    std::deque<Slot> slots_;                                      ///< by id
    std::deque<Full> full_;                                       ///< by id
    std::unordered_map<std::string, std::uint32_t> full_by_text_; ///< ids
    std::vector<Terms> terms_;
    std::map<Terms, std::uint32_t> terms_places_;
    std::vector<std::uint32_t> dirty_; ///< perhaps one more than once
};

} // namespace headlight::wallet
