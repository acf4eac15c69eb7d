#include "chain/merkle.hpp"

#include "chain/limits.hpp"

#include <algorithm>
#include <cassert>

namespace headlight::chain {
namespace {

Error block_refused(std::string cause) {
    return {errc::bad_proof, "a block does not hold", std::move(cause)};
}

} // namespace

MerkleTree::MerkleTree(std::vector<Hash256> txids) {
    assert(!txids.empty());
    levels_.push_back(std::move(txids));
    while (levels_.back().size() > 1) {
        const auto& below = levels_.back();
        std::vector<Hash256> level;
        level.reserve((below.size() + 1) / 2);
        for (std::size_t i = 0; i < below.size(); i += 2) {
            const auto right = std::min(i + 1, below.size() - 1);
            mutated_ = mutated_ || (right != i && below[i] == below[right]);
            level.push_back(hash256(below[i], below[right]));
        }
        levels_.push_back(std::move(level));
    }
}

std::vector<Hash256> MerkleTree::branch(std::size_t position) const {
    assert(position < txids().size());
    std::vector<Hash256> siblings;
    siblings.reserve(levels_.size() - 1);
    for (std::size_t height = 0; height + 1 < levels_.size(); ++height, position /= 2) {
        const auto& level = levels_[height];
        siblings.push_back(level[std::min(position ^ 1, level.size() - 1)]);
    }
    return siblings;
}

result<MerkleTree> verify_block(const Hash256& merkle_root,
                                const std::vector<Transaction>& transactions) {
    if (transactions.empty()) return block_refused("it has no transactions");
    if (transactions.size() > limits::max_block_transactions)
        return block_refused("it has more transactions than a block can hold");
    std::vector<Hash256> txids;
    txids.reserve(transactions.size());
    for (const auto& tx : transactions) {
        txids.push_back(hash256(serialize(tx, Witness::strip)));
    }
    MerkleTree tree(std::move(txids));
    if (tree.mutated()) return block_refused("a node has two equal children (CVE-2012-2459)");
    if (tree.root() != merkle_root) {
        return block_refused("its transactions lead to the root " + tree.root().to_string() +
                             " and its header has " + merkle_root.to_string());
    }
    if (!transactions.front().is_coinbase())
        return block_refused("its first transaction is no coinbase (CVE-2017-12842)");
    return tree;
}

} // namespace headlight::chain
