// Scripts in the order they were derived, and found again by their bytes. Made for a million: bytes
// lie close together in one store, and the index is one number a script.
#pragma once

#include "chain/bytes.hpp"

#include <compare>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace headlight::wallet {

struct ScriptRef {
    std::uint32_t descriptor = 0; ///< id
    std::uint32_t branch = 0;
    std::uint32_t index = 0;

    friend auto operator<=>(const ScriptRef&, const ScriptRef&) = default;
};

/// Borrowed from the book, for as long as that is there.
struct DerivedScript {
    ScriptRef ref;
    ByteView script_pubkey;
    std::vector<Bytes> elements() const; ///< chain::filter_elements of it, never empty
};

class ScriptLog {
  public:
    /// Its position.
    std::uint32_t append(const ScriptRef& ref, ByteView script_pubkey);

    std::size_t size() const { return entries_.size(); }
    DerivedScript at(std::size_t position) const;
    /// All places of a script, in the order of appending.
    std::span<const ScriptRef> find(ByteView script_pubkey) const;

  private:
    struct Entry {
        const std::uint8_t* data;
        std::uint32_t size;
        ScriptRef ref;

        ByteView script() const { return {data, size}; }
    };
    static constexpr std::size_t chunk_bytes = 16'384;

    const std::uint8_t* keep(ByteView bytes);
    void grow_index();
    /// Where the first place of a script stands in the index, or the free slot for it.
    std::size_t slot_of(ByteView script_pubkey) const;

    std::deque<Entry> entries_; ///< a deque: spans of find() stay valid
    std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
    std::uint8_t* free_ = nullptr; ///< in the last chunk
    std::size_t free_bytes_ = 0;
    std::vector<std::uint32_t> index_; ///< position + 1 of a first place; 0 is free
    std::size_t indexed_ = 0;
    /// Nearly every script has one place only; of the others, all places, by the first's position.
    std::unordered_map<std::uint32_t, std::vector<ScriptRef>> shared_;
};

} // namespace headlight::wallet
