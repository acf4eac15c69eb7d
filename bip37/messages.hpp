// The four messages that BIP-37 adds for filters and filtered blocks, and their payloads.
#pragma once

#include "bip37/bloom_filter.hpp"
#include "bip37/partial_merkle_tree.hpp"
#include "chain/block_header.hpp"

namespace headlight::bip37 {

struct FilterLoad {
    BloomFilter filter;
    friend bool operator==(const FilterLoad&, const FilterLoad&) = default;
};

struct FilterAdd {
    Bytes element; ///< at most limits::max_filter_add_bytes
    friend bool operator==(const FilterAdd&, const FilterAdd&) = default;
};

struct FilterClear {
    friend bool operator==(const FilterClear&, const FilterClear&) = default;
};

struct MerkleBlock {
    chain::BlockHeader header;
    PartialMerkleTree tree;
    friend bool operator==(const MerkleBlock&, const MerkleBlock&) = default;
};

Bytes encode(const FilterLoad& message);
Bytes encode(const FilterAdd& message);
Bytes encode(const MerkleBlock& message);

/// Errors: malformed; too_large over 36,000 bytes or 50 functions. Of the flag byte only the low
/// two bits count, as on a server; 3, which BIP-37 does not name, reads as none.
result<FilterLoad> decode_filterload(ByteView payload);
result<FilterAdd> decode_filteradd(ByteView payload);
/// Bounds counts before anything is allocated; whether the proof holds is verify()'s to say.
result<MerkleBlock> decode_merkleblock(ByteView payload);

/// The one verifier: the tree holds and its root is the header's. Says nothing of the header
/// itself, whose work and place are the header tree's to judge.
result<ExtractedMatches> verify(const MerkleBlock& block);

/// What a server sends for a block under `filter` (which it updates): the merkleblock, and the
/// positions of the matched transactions. A block has at least one transaction.
struct FilteredBlock {
    MerkleBlock merkleblock;
    std::vector<std::size_t> matched;
};
FilteredBlock filter_block(const chain::BlockHeader& header,
                           const std::vector<chain::Transaction>& transactions,
                           BloomFilter& filter);

} // namespace headlight::bip37
