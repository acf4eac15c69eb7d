// Deriving the wallet's scripts ahead of use, and finding them again.
#include "wallet/script_book.hpp"

#include "chain/script.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::uint64_t index_end = 0x80000000; ///< BIP-32: hardened indexes begin

std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// How many indexes are required: 0 .. highest_used + gap.
std::uint64_t required_count(const DescriptorState& state, const BranchState& branch) {
    return static_cast<std::uint64_t>(branch.highest_used + 1) + state.gap;
}

Error bad_gap(std::uint32_t gap) {
    return {errc::bad_argument, "the gap limit cannot be " + std::to_string(gap),
            "it must be from 1 to " + std::to_string(limits::max_gap),
            "Use 20 unless the wallet is known to leave larger gaps"};
}

Error damaged(const DescriptorState& state, std::string cause) {
    return {errc::damaged, "descriptor " + std::to_string(state.id) + " of the wallet is damaged",
            std::move(cause), "Restore the wallet from its mnemonic or descriptors"};
}

bool plausible(const DescriptorState& state, const Descriptor& descriptor) {
    if (state.branches.size() != descriptor.branches()) return false;
    if (!descriptor.ranged()) return true;
    if (state.gap == 0 || state.gap > limits::max_gap) return false;
    return std::ranges::all_of(state.branches, [](const BranchState& branch) {
        return branch.highest_used >= -1 && branch.highest_used < branch.derived &&
               branch.derived <= index_end;
    });
}

} // namespace

std::vector<Bytes> DerivedScript::elements() const { return chain::filter_elements(script_pubkey); }

result<ScriptBook::Added> ScriptBook::add(const Descriptor& descriptor, std::uint32_t gap,
                                          Birthday birthday, bool generated) {
    if (descriptor.ranged() && (gap == 0 || gap > limits::max_gap)) return bad_gap(gap);
    if (const auto known = id_of(descriptor)) {
        auto& state = states_[slot(*known)];
        if (gap > state.gap && descriptor.ranged()) {
            state.gap = gap;
            dirty_.insert(*known);
            for (std::uint32_t branch = 0; branch < state.branches.size(); ++branch) {
                extend(*known, branch);
            }
        }
        return Added{*known, false};
    }
    if (!descriptor.ranged()) {
        for (std::uint32_t branch = 0; branch < descriptor.branches(); ++branch) {
            const auto script = descriptor.script_pubkey(branch, 0);
            if (!script) return script.error();
        }
    }
    DescriptorState state;
    state.id = next_id();
    state.descriptor = descriptor.text();
    state.gap = gap;
    state.birthday = birthday;
    state.generated = generated;
    state.branches.resize(descriptor.branches());
    const auto id = state.id;
    append(descriptor, std::move(state));
    for (std::uint32_t branch = 0; branch < descriptor.branches(); ++branch)
        extend(id, branch);
    dirty_.insert(id);
    return Added{id, true};
}

result<void> ScriptBook::load(const DescriptorState& state) {
    auto descriptor = Descriptor::parse(state.descriptor, *network_);
    if (!descriptor) return damaged(state, to_string(descriptor.error()));
    if (state.id < next_id() || id_of(*descriptor) || !plausible(state, *descriptor)) {
        return damaged(state, "its stored state contradicts itself");
    }
    auto empty = state;
    for (auto& branch : empty.branches)
        branch.derived = 0;
    append(std::move(*descriptor), std::move(empty));
    for (std::uint32_t branch = 0; branch < state.branches.size(); ++branch) {
        derive_up_to(state.id, branch, state.branches[branch].derived);
        // A version that looked less far ahead may have written the file.
        if (extend(state.id, branch)) dirty_.insert(state.id);
    }
    return {};
}

// Ids are their own places until a descriptor is removed.
std::size_t ScriptBook::slot(std::uint32_t id) const {
    if (id < states_.size() && states_[id].id == id) return id;
    const auto found = std::ranges::lower_bound(states_, id, {}, &DescriptorState::id);
    return static_cast<std::size_t>(found - states_.begin());
}

void ScriptBook::append(Descriptor descriptor, DescriptorState state) {
    positions_.emplace_back(state.branches.size());
    descriptors_.push_back(std::move(descriptor));
    by_text_.emplace(descriptors_.back().text(), state.id);
    states_.push_back(std::move(state));
}

std::optional<std::uint32_t> ScriptBook::id_of(const Descriptor& descriptor) const {
    const auto found = by_text_.find(descriptor.text());
    if (found == by_text_.end()) return std::nullopt;
    return found->second;
}

std::set<Birthday> ScriptBook::birthdays() const {
    std::set<Birthday> all;
    for (const auto& state : states_)
        all.insert(state.birthday);
    return all;
}

bool ScriptBook::extend(std::uint32_t id, std::uint32_t branch) {
    const auto& state = states_[slot(id)];
    const auto before = state.branches[branch].derived;
    if (!descriptor(id).ranged()) {
        derive_up_to(id, branch, 1);
    } else {
        const auto required = required_count(state, state.branches[branch]);
        const auto low_water = std::min(state.gap, limits::script_headroom / 2);
        if (before < required + low_water) {
            derive_up_to(id, branch, required + limits::script_headroom);
        }
    }
    return state.branches[branch].derived != before;
}

void ScriptBook::derive_up_to(std::uint32_t id, std::uint32_t branch, std::uint64_t count) {
    const auto at = slot(id);
    auto& derived = states_[at].branches[branch].derived;
    const auto end = static_cast<std::uint32_t>(std::min(count, index_end));
    if (derived >= end) return;
    positions_[at][branch].reserve(end);
    for (; derived < end; ++derived) {
        auto script = derive(id, branch, derived);
        if (!script) { // BIP-32: an invalid index is skipped, as every wallet does
            positions_[at][branch].push_back(none);
            continue;
        }
        positions_[at][branch].push_back(static_cast<std::uint32_t>(log_.size()));
        place({{id, branch, derived}, std::move(*script)});
    }
}

result<Bytes> ScriptBook::derive(std::uint32_t id, std::uint32_t branch,
                                 std::uint32_t index) const {
    const auto& from = descriptor(id);
    return derive_ ? derive_(from, branch, index) : from.script_pubkey(branch, index);
}

void ScriptBook::place(DerivedScript script) {
    log_.push_back(std::move(script));
    const auto& stored = log_.back();
    const auto [found, is_new] =
        by_script_.try_emplace(as_text(stored.script_pubkey), Places{stored.ref, {}});
    if (is_new) return;
    auto& places = found->second;
    if (places.all.empty()) places.all.push_back(places.first);
    places.all.push_back(stored.ref);
}

std::span<const ScriptRef> ScriptBook::find(ByteView script_pubkey) const {
    const auto found = by_script_.find(as_text(script_pubkey));
    if (found == by_script_.end()) return {};
    const auto& places = found->second;
    if (places.all.empty()) return {&places.first, 1};
    return places.all;
}

bool ScriptBook::mark_used(const ScriptRef& ref) {
    auto& branch = states_[slot(ref.descriptor)].branches[ref.branch];
    if (branch.highest_used >= ref.index) return false;
    branch.highest_used = ref.index;
    extend(ref.descriptor, ref.branch);
    dirty_.insert(ref.descriptor);
    return true;
}

bool ScriptBook::mark_used(ByteView script_pubkey) {
    // A copy: deriving further may add a place of this very script.
    const auto found = find(script_pubkey);
    bool changed = false;
    for (const auto& ref : std::vector<ScriptRef>(found.begin(), found.end())) {
        changed |= mark_used(ref);
    }
    return changed;
}

bool ScriptBook::required(std::size_t position) const {
    const auto& ref = log_[position].ref;
    if (!descriptor(ref.descriptor).ranged()) return true;
    const auto& state = states_[slot(ref.descriptor)];
    return ref.index < required_count(state, state.branches[ref.branch]);
}

std::optional<ScriptRef> ScriptBook::next_receive() const {
    const auto ranged = [&](const DescriptorState& state) { return descriptor(state.id).ranged(); };
    auto chosen = std::ranges::find_if(
        states_, [&](const DescriptorState& state) { return state.generated && ranged(state); });
    if (chosen == states_.end()) chosen = std::ranges::find_if(states_, ranged);
    if (chosen == states_.end()) return std::nullopt;
    const auto& positions = positions_[slot(chosen->id)][0];
    for (auto index = static_cast<std::size_t>(chosen->branches[0].highest_used + 1);
         index < positions.size(); ++index) {
        if (positions[index] != none) return log_[positions[index]].ref;
    }
    return std::nullopt;
}

std::optional<std::size_t> ScriptBook::position(const ScriptRef& ref) const {
    const auto at = slot(ref.descriptor);
    if (at == states_.size() || states_[at].id != ref.descriptor) return std::nullopt;
    const auto& branches = positions_[at];
    if (ref.branch >= branches.size() || ref.index >= branches[ref.branch].size()) {
        return std::nullopt;
    }
    const auto position = branches[ref.branch][ref.index];
    if (position == none) return std::nullopt;
    return position;
}

const DerivedScript* ScriptBook::script(const ScriptRef& ref) const {
    const auto place = position(ref);
    return place ? &log_[*place] : nullptr;
}

std::vector<std::uint32_t> ScriptBook::take_dirty() {
    std::vector<std::uint32_t> ids(dirty_.begin(), dirty_.end());
    dirty_.clear();
    return ids;
}

} // namespace headlight::wallet
