// The merkle tree of a whole block: its root, the branch of each transaction, and whether the
// transactions that somebody sent are the ones that a header commits to.
#pragma once

#include "chain/transaction.hpp"

#include <vector>

namespace headlight::chain {

/// All levels of a block's tree, each pair hashed once, so that many branches cost nothing more.
class MerkleTree {
  public:
    /// The txids in block order, at least 1.
    explicit MerkleTree(std::vector<Hash256> txids);

    const Hash256& root() const { return levels_.back().front(); }
    const std::vector<Hash256>& txids() const { return levels_.front(); }
    /// Whether two nodes with one parent are equal: other transactions have this root, too
    /// (CVE-2012-2459).
    bool mutated() const { return mutated_; }
    /// The siblings of the txid at `position`, from the leaf up; a last node alone is its own.
    std::vector<Hash256> branch(std::size_t position) const;

    /// The leaves first, the root last.
    const std::vector<std::vector<Hash256>>& levels() const { return levels_; }

  private:
    std::vector<std::vector<Hash256>> levels_;
    bool mutated_ = false;
};

/// Whether these are all transactions of the block whose header has this root, in their order;
/// gives their tree. Refuses (bad_proof, with the rule as cause): no transactions or more than
/// limits::max_block_transactions; equal children (CVE-2012-2459); another root; a first
/// transaction that is no coinbase: then a level of inner nodes may pass for transactions of 64
/// bytes each (CVE-2017-12842), and no pair of hashes reads as a coinbase. Honest blocks may hold
/// transactions of that size. Witnesses are not covered.
result<MerkleTree> verify_block(const Hash256& merkle_root,
                                const std::vector<Transaction>& transactions);

} // namespace headlight::chain
