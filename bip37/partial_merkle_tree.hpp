// The partial merkle tree of BIP-37, both ways: built from a block and a choice of transactions,
// and verified from bytes that nobody vouches for.
#pragma once

#include "chain/hash.hpp"
#include "chain/result.hpp"

#include <vector>

namespace headlight::bip37 {

struct PartialMerkleTree {
    std::uint32_t total_transactions = 0;
    std::vector<chain::Hash256> hashes; ///< depth first
    Bytes flags;                        ///< a bit a visited node, lowest bit first

    friend bool operator==(const PartialMerkleTree&, const PartialMerkleTree&) = default;
};

/// One matched transaction, with what proves its place to anybody who has the header.
struct ProvenTx {
    chain::Hash256 txid;
    std::uint32_t position = 0;         ///< in the block, from 0
    std::vector<chain::Hash256> branch; ///< siblings from the leaf up

    friend bool operator==(const ProvenTx&, const ProvenTx&) = default;
};

struct ExtractedMatches {
    chain::Hash256 root;
    std::vector<ProvenTx> matches; ///< in block order

    friend bool operator==(const ExtractedMatches&, const ExtractedMatches&) = default;
};

/// The tree that proves those of `txids` whose `matched` is true (same length, at least 1).
PartialMerkleTree build_partial_merkle_tree(const std::vector<chain::Hash256>& txids,
                                            const std::vector<bool>& matched);

/// Walks the tree and gives its root and matches. Refuses (bad_proof, with the rule as cause): no
/// transactions or more than limits::max_block_transactions; more hashes than transactions; fewer
/// flag bits than hashes; hashes or flag bits too few or left over (up to the padding of the last
/// byte; padding bits may be set, as Bitcoin Core reads them); equal left and right hashes
/// (CVE-2012-2459); a walked pair left || right that is itself a well-formed transaction with
/// amounts in range (CVE-2017-12842). Bounded: at most 2 nodes a transaction are visited, 15 levels
/// deep, and nothing is kept but the matches with their branches. That a match is a transaction,
/// not an inner node under a false total, shows only when it arrives: its stripped size must not be
/// 64 bytes.
result<ExtractedMatches> extract_matches(const PartialMerkleTree& tree);

/// The root of a whole block's txids (at least 1), as BIP-37 and Bitcoin Core compute it.
chain::Hash256 merkle_root(const std::vector<chain::Hash256>& txids);

/// The root that a branch leads to: hashes `txid` at `position` up through `branch`. Refuses a
/// position that does not fit `total_transactions`, a branch of the wrong length, equal siblings
/// where the position has a right sibling, and a pair that reads as a transaction, as above.
result<chain::Hash256> root_of_branch(const chain::Hash256& txid, std::uint32_t position,
                                      std::uint32_t total_transactions,
                                      const std::vector<chain::Hash256>& branch);

/// Whether 64 bytes are a well-formed transaction with amounts in range: a pair of inner hashes
/// that passes for a transaction, or a transaction that passes for a pair (CVE-2017-12842).
bool reads_as_transaction(ByteView sixty_four_bytes);

} // namespace headlight::bip37
