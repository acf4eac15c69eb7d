// Deriving the wallet's scripts ahead of use, and finding them again.
#include "wallet/script_book.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::uint64_t index_end = 0x80000000; ///< BIP-32: hardened indexes begin

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

/// Whether a descriptor that is one script stands where all of those do: derived, used or not.
bool is_single(const DescriptorState& state) {
    if (state.branches.size() != 1 || state.branches[0].derived != 1) return false;
    return state.branches[0].highest_used == -1 || state.branches[0].highest_used == 0;
}

} // namespace

// Coming in

result<ScriptBook::Added> ScriptBook::add(const Descriptor& descriptor, std::uint32_t gap,
                                          Birthday birthday, bool generated) {
    const bool ranged = descriptor.ranged();
    if (ranged && (gap == 0 || gap > limits::max_gap)) return bad_gap(gap);
    if (const auto known = id_of(descriptor)) {
        return Added{*known, false, ranged && widen(full(slot(*known)), gap)};
    }
    for (std::uint32_t branch = 0; !ranged && branch < descriptor.branches(); ++branch) {
        const auto script = descriptor.script_pubkey(branch, 0);
        if (!script) return script.error();
    }
    const auto id = next_id();
    append(descriptor, {id, descriptor.text(), gap, birthday, generated,
                        std::vector<BranchState>(descriptor.branches(), {-1, 1})});
    dirty_.push_back(id);
    return Added{.id = id, .is_new = true};
}

bool ScriptBook::widen(Full& full, std::uint32_t gap) {
    if (gap <= full.state.gap) return false;
    full.state.gap = gap;
    dirty_.push_back(full.state.id);
    for (std::uint32_t branch = 0; branch < full.state.branches.size(); ++branch)
        extend(full, branch);
    return true;
}

result<void> ScriptBook::load(const DescriptorState& state) {
    const auto contradiction = [&] {
        return damaged(state, "its stored state contradicts itself");
    };
    if (state.id < next_id()) return contradiction();
    // What there may be a million of is not parsed.
    if (const auto script = script_of_addr(state.descriptor, *network_);
        script && is_single(state)) {
        if (id_of(SingleForm::addr, *script, state.descriptor)) return contradiction();
        append_single(SingleForm::addr, *script, state);
        return {};
    }
    auto descriptor = Descriptor::parse(state.descriptor, *network_);
    if (!descriptor) return damaged(state, to_string(descriptor.error()));
    if (id_of(*descriptor) || !plausible(state, *descriptor)) return contradiction();
    append(*descriptor, state);
    return {};
}

/// As single, where all of the state follows from the script and the terms.
void ScriptBook::append(const Descriptor& descriptor, const DescriptorState& state) {
    const auto form = single_form(descriptor.text());
    if (form != SingleForm::none && is_single(state)) {
        const auto script = descriptor.script_pubkey(0, 0);
        if (script && single_text(form, *script, *network_) == descriptor.text())
            return append_single(form, *script, state);
    }
    auto& made = append_full(descriptor, state);
    for (std::uint32_t branch = 0; branch < state.branches.size(); ++branch) {
        derive_up_to(made, branch, state.branches[branch].derived);
        // A version that looked less far ahead may have written the file.
        if (extend(made, branch)) dirty_.push_back(state.id);
    }
}

void ScriptBook::append_single(SingleForm form, ByteView script, const DescriptorState& state) {
    const auto terms = keep({state.gap, state.birthday, state.generated});
    const auto place = log_.append({state.id, 0, 0}, script);
    slots_.push_back({state.id, place, terms, form, state.branches[0].highest_used == 0});
}

std::uint32_t ScriptBook::keep(const Terms& terms) {
    const auto next = static_cast<std::uint32_t>(terms_.size());
    const auto [found, is_new] = terms_places_.try_emplace(terms, next);
    if (is_new) terms_.push_back(terms);
    return found->second;
}

/// With nothing derived yet.
ScriptBook::Full& ScriptBook::append_full(Descriptor descriptor, DescriptorState state) {
    for (auto& branch : state.branches)
        branch.derived = 0;
    slots_.push_back({state.id, static_cast<std::uint32_t>(full_.size()), 0, {}, false});
    full_by_text_.emplace(descriptor.text(), state.id);
    std::vector<Positions> positions(state.branches.size());
    full_.push_back({std::move(descriptor), std::move(state), std::move(positions)});
    return full_.back();
}

// Deriving

bool ScriptBook::extend(Full& full, std::uint32_t branch) {
    const auto& state = full.state;
    const auto before = state.branches[branch].derived;
    if (!full.descriptor.ranged()) {
        derive_up_to(full, branch, 1);
    } else {
        const auto required = required_count(state, state.branches[branch]);
        const auto low_water = std::min(state.gap, limits::script_headroom / 2);
        if (before < required + low_water) {
            derive_up_to(full, branch, required + limits::script_headroom);
        }
    }
    return state.branches[branch].derived != before;
}

void ScriptBook::derive_up_to(Full& full, std::uint32_t branch, std::uint64_t count) {
    auto& derived = full.state.branches[branch].derived;
    auto& positions = full.positions[branch];
    const auto end = static_cast<std::uint32_t>(std::min(count, index_end));
    if (derived >= end) return;
    positions.reserve(end);
    for (; derived < end; ++derived) {
        const auto script = derive(full, branch, derived);
        // BIP-32: an invalid index is skipped, as every wallet does
        positions.push_back(script ? log_.append({full.state.id, branch, derived}, *script) : none);
    }
}

result<Bytes> ScriptBook::derive(const Full& full, std::uint32_t branch,
                                 std::uint32_t index) const {
    if (derive_) return derive_(full.descriptor, branch, index);
    return full.descriptor.script_pubkey(branch, index);
}

bool ScriptBook::mark_used(const ScriptRef& ref) {
    const auto at = slot(ref.descriptor);
    auto& single = slots_[at];
    if (single.form != SingleForm::none) {
        if (single.used) return false;
        single.used = true;
    } else {
        auto& of = full(at);
        auto& branch = of.state.branches[ref.branch];
        if (branch.highest_used >= ref.index) return false;
        branch.highest_used = ref.index;
        extend(of, ref.branch);
    }
    dirty_.push_back(ref.descriptor);
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

// Looking

// Ids are their own slots until a descriptor is removed, and never lie further back than ids are
// missing.
std::size_t ScriptBook::slot(std::uint32_t id) const {
    if (id < slots_.size() && slots_[id].id == id) return id;
    if (id >= next_id()) return slots_.size();
    const auto missing = next_id() - slots_.size();
    const auto at = [&](std::size_t place) {
        return slots_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    const auto first = at(id - std::min<std::size_t>(missing, id));
    const auto last = at(std::min<std::size_t>(id + std::size_t{1}, slots_.size()));
    const auto found = std::ranges::lower_bound(first, last, id, {}, &Slot::id);
    if (found == last || found->id != id) return slots_.size();
    return static_cast<std::size_t>(found - slots_.begin());
}

DescriptorState ScriptBook::state_in(std::size_t slot, bool with_text) const {
    const auto& single = slots_[slot];
    if (single.form == SingleForm::none) return full(slot).state;
    const auto& terms = terms_[single.terms];
    DescriptorState state{
        single.id, {}, terms.gap, terms.birthday, terms.generated, {{single.used ? 0 : -1, 1}}};
    if (with_text)
        state.descriptor = single_text(single.form, log_.at(single.place).script_pubkey, *network_);
    return state;
}

Descriptor ScriptBook::descriptor(std::uint32_t id) const {
    const auto at = slot(id);
    if (slots_[at].form == SingleForm::none) return full(at).descriptor;
    return Descriptor::parse(state_in(at, true).descriptor, *network_).value();
}

std::optional<std::uint32_t> ScriptBook::id_of(const Descriptor& descriptor) const {
    const auto form = single_form(descriptor.text());
    const auto script = form == SingleForm::none ? Bytes() : descriptor.script_pubkey(0, 0).value();
    return id_of(form, script, descriptor.text());
}

std::optional<std::uint32_t> ScriptBook::id_of(SingleForm form, ByteView script,
                                               const std::string& text) const {
    const auto known = full_by_text_.find(text);
    if (known != full_by_text_.end()) return known->second;
    if (form == SingleForm::none) return std::nullopt;
    for (const auto& ref : find(script)) {
        if (slots_[slot(ref.descriptor)].form == form) return ref.descriptor;
    }
    return std::nullopt;
}

std::set<Birthday> ScriptBook::birthdays() const {
    std::set<Birthday> all;
    for (const auto& terms : terms_)
        all.insert(terms.birthday);
    for (const auto& full : full_)
        all.insert(full.state.birthday);
    return all;
}

std::size_t ScriptBook::scripts_of(std::uint32_t id) const {
    const auto at = slot(id);
    if (at == slots_.size()) return 0;
    if (slots_[at].form != SingleForm::none) return 1;
    std::size_t count = 0;
    for (const auto& positions : full(at).positions)
        count += positions.size() - static_cast<std::size_t>(std::ranges::count(positions, none));
    return count;
}

bool ScriptBook::required(std::size_t position) const {
    const auto ref = log_.at(position).ref;
    const auto at = slot(ref.descriptor);
    if (slots_[at].form != SingleForm::none || !full(at).descriptor.ranged()) return true;
    const auto& state = full(at).state;
    return ref.index < required_count(state, state.branches[ref.branch]);
}

std::optional<ScriptRef> ScriptBook::next_receive() const {
    const auto ranged = [](const Full& full) { return full.descriptor.ranged(); };
    auto chosen = std::ranges::find_if(
        full_, [&](const Full& full) { return full.state.generated && ranged(full); });
    if (chosen == full_.end()) chosen = std::ranges::find_if(full_, ranged);
    if (chosen == full_.end()) return std::nullopt;
    const auto& positions = chosen->positions[0];
    for (auto index = static_cast<std::size_t>(chosen->state.branches[0].highest_used + 1);
         index < positions.size(); ++index) {
        if (positions[index] != none) return log_.at(positions[index]).ref;
    }
    return std::nullopt;
}

std::optional<std::size_t> ScriptBook::position(const ScriptRef& ref) const {
    const auto at = slot(ref.descriptor);
    if (at == slots_.size()) return std::nullopt;
    if (slots_[at].form != SingleForm::none) {
        if (ref.branch != 0 || ref.index != 0) return std::nullopt;
        return slots_[at].place;
    }
    const auto& branches = full(at).positions;
    if (ref.branch >= branches.size() || ref.index >= branches[ref.branch].size()) {
        return std::nullopt;
    }
    const auto position = branches[ref.branch][ref.index];
    if (position == none) return std::nullopt;
    return position;
}

std::optional<DerivedScript> ScriptBook::script(const ScriptRef& ref) const {
    const auto place = position(ref);
    if (!place) return std::nullopt;
    return at(*place);
}

std::vector<std::uint32_t> ScriptBook::take_dirty() {
    auto ids = std::exchange(dirty_, {});
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

} // namespace headlight::wallet
