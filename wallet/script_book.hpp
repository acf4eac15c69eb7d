// Every script of the wallet, by script and by place. Derives ahead of use: the scripts that must be
// watched (up to the last used index + the gap limit: "required") and head-room beyond them, so
// that the filter rarely changes.
#pragma once

#include "chain/limits.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/state.hpp"

#include <span>

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
    std::vector<Bytes> elements; ///< chain::filter_elements of it, never empty
};

class ScriptBook {
  public:
    explicit ScriptBook(const chain::Network& network) : network_(&network) {}

    struct Added {
        std::uint32_t id = 0;
        bool is_new = false; ///< false: the same descriptor was there
    };
    /// A new descriptor, derived up to gap + head-room. A known one only takes the larger gap.
    result<Added> add(const Descriptor& descriptor, std::uint32_t gap, Birthday birthday,
                      bool generated);
    /// As a store had it; derives what was derived then.
    result<void> load(const DescriptorState& state);

    /// All places of a script (two descriptors may share one). Empty: not ours.
    std::span<const ScriptRef> find(ByteView script_pubkey) const;
    /// Notes that a place is used, deriving further when the head-room has become less than the gap. Returns
    /// whether anything changed.
    bool mark_used(const ScriptRef& ref);

    /// The derivation log: scripts in the order they were derived, never reordered. A filter made when
    /// size() was S holds exactly the first S (rule: complete).
    std::size_t size() const { return log_.size(); }
    const DerivedScript& at(std::size_t position) const { return log_[position]; }
    /// Whether a script is within its branch's last used index + gap (not ranged: always).
    bool required(std::size_t position) const;

    const std::vector<DescriptorState>& descriptors() const { return states_; }
    const Descriptor& descriptor(std::uint32_t id) const { return descriptors_[id]; }
    /// The lowest receive index (branch 0) above the highest used one, of the first generated (else
    /// first ranged) descriptor.
    std::optional<ScriptRef> next_receive() const;
    const DerivedScript* script(const ScriptRef& ref) const;

    /// Ids of descriptors changed since the last call.
    std::vector<std::uint32_t> take_dirty();

  private:
    const chain::Network* network_;
    std::vector<DerivedScript> log_;
    std::vector<DescriptorState> states_;
    std::vector<Descriptor> descriptors_;
};

} // namespace headlight::wallet
