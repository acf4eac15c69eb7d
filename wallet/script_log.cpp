#include "wallet/script_log.hpp"

#include "chain/script.hpp"

#include <algorithm>
#include <string_view>

namespace headlight::wallet {

namespace {

std::size_t hash_of(ByteView script) {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(script.data()), script.size()});
}

} // namespace

std::vector<Bytes> DerivedScript::elements() const { return chain::filter_elements(script_pubkey); }

std::uint32_t ScriptLog::append(const ScriptRef& ref, ByteView script_pubkey) {
    const auto position = static_cast<std::uint32_t>(entries_.size());
    grow_index();
    auto& first = index_[slot_of(script_pubkey)];
    if (first == 0) {
        first = position + 1;
        ++indexed_;
        const auto size = static_cast<std::uint32_t>(script_pubkey.size());
        entries_.push_back({keep(script_pubkey), size, ref});
        return position;
    }
    const auto known = entries_[first - 1];
    auto& places = shared_[first - 1];
    if (places.empty()) places.push_back(known.ref);
    places.push_back(ref);
    entries_.push_back({known.data, known.size, ref});
    return position;
}

DerivedScript ScriptLog::at(std::size_t position) const {
    const auto& entry = entries_[position];
    return {entry.ref, entry.script()};
}

std::span<const ScriptRef> ScriptLog::find(ByteView script_pubkey) const {
    if (index_.empty()) return {};
    const auto first = index_[slot_of(script_pubkey)];
    if (first == 0) return {};
    const auto shared = shared_.find(first - 1);
    if (shared != shared_.end()) return shared->second;
    return {&entries_[first - 1].ref, 1};
}

const std::uint8_t* ScriptLog::keep(ByteView bytes) {
    if (bytes.size() > free_bytes_) {
        free_bytes_ = std::max(chunk_bytes, bytes.size());
        chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(free_bytes_));
        free_ = chunks_.back().get();
    }
    auto* const kept = free_;
    free_ = std::ranges::copy(bytes, free_).out;
    free_bytes_ -= bytes.size();
    return kept;
}

void ScriptLog::grow_index() {
    if (4 * (indexed_ + 1) <= 3 * index_.size()) return;
    const auto before = std::move(index_);
    index_.assign(std::max<std::size_t>(64, 2 * before.size()), 0);
    for (const auto first : before) {
        if (first != 0) index_[slot_of(entries_[first - 1].script())] = first;
    }
}

std::size_t ScriptLog::slot_of(ByteView script_pubkey) const {
    const auto mask = index_.size() - 1; // the size is a power of two
    auto slot = hash_of(script_pubkey) & mask;
    while (index_[slot] != 0 &&
           !std::ranges::equal(entries_[index_[slot] - 1].script(), script_pubkey))
        slot = (slot + 1) & mask;
    return slot;
}

} // namespace headlight::wallet
