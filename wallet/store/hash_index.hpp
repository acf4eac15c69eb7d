// From a block hash to its height in four bytes a slot: the hashes themselves stay in the file.
// What was reorganised away stays in its slot and simply no longer compares equal.
#pragma once

#include "chain/hash.hpp"

#include <functional>
#include <vector>

namespace headlight::wallet::store {

class HashIndex {
  public:
    using HashAt = std::function<chain::Hash256(std::int32_t height)>; ///< heights 0 .. tip

    /// Starts anew with the heights below `count`, leaving behind what was reorganised away.
    void build(std::int32_t count, const HashAt& hash_at);
    void insert(const chain::Hash256& hash, std::int32_t height, const HashAt& hash_at);
    std::optional<std::int32_t> find(const chain::Hash256& hash, std::int32_t tip,
                                     const HashAt& hash_at) const;

  private:
    void put(const chain::Hash256& hash, std::uint32_t value);

    std::vector<std::uint32_t> slots_; ///< height + 1; 0 is free; the size is a power of two
    std::size_t used_ = 0;
};

} // namespace headlight::wallet::store
