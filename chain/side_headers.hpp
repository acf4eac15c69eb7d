// The headers of all branches that are not the best chain, in bounded memory.
#pragma once

#include "chain/chained_header.hpp"

#include <set>
#include <unordered_map>
#include <vector>

namespace headlight::chain {

/// Holds at most `limit` headers. When full, the leaf with the least work gives way to a header
/// with more; a parent is never dropped under a child that is kept.
class SideHeaders {
  public:
    explicit SideHeaders(std::size_t limit) : limit_(limit) {}

    std::size_t size() const { return headers_.size(); }
    /// Null when unknown; the pointer lives until the next call that changes anything.
    const ChainedHeader* find(const Hash256& hash) const;

    /// Keeps a header whose parent is kept here or is on the best chain; false when all that could
    /// give way has as much work or more.
    bool insert(const ChainedHeader& header);
    /// Keeps what was the best chain (lowest first). It outweighs all that is here, so lighter
    /// leaves give way; of a branch longer than the limit only the lower part stays.
    void insert_branch(const std::vector<ChainedHeader>& branch);
    /// Takes a known header out.
    ChainedHeader take(const Hash256& hash);

  private:
    void add(const ChainedHeader& header);
    bool is_leaf(const Hash256& hash) const { return !children_.contains(hash); }

    std::size_t limit_;
    std::unordered_map<Hash256, ChainedHeader, Hash256Hasher> headers_;
    /// How many of headers_ have this parent; no entry for none.
    std::unordered_map<Hash256, std::size_t, Hash256Hasher> children_;
    std::set<std::pair<Uint256, Hash256>> leaves_; ///< by cumulative work
};

} // namespace headlight::chain
