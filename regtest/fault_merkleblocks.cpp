// Faults in merkleblocks that a client can prove, and what it must tolerate beside them.
#include "bip37/messages.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

/// A row that changes the merkleblock of answers with a match, and leaves the others alone.
template <auto change>
void in_matching_block(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    if (answer.size() < 2) return;
    for (auto& outgoing : answer)
        if (auto* message = as<bip37::MerkleBlock>(outgoing);
            message && !message->tree.hashes.empty()) // another fault may have emptied it
            change(block, *message);
}

void wrong_root(const SimBlock&, bip37::MerkleBlock& message) {
    message.tree.hashes.front().bytes[0] ^= 1;
}
void extra_hash(const SimBlock&, bip37::MerkleBlock& message) {
    message.tree.hashes.push_back(message.tree.hashes.back());
}
void missing_hash(const SimBlock&, bip37::MerkleBlock& message) { message.tree.hashes.pop_back(); }
void extra_flags(const SimBlock&, bip37::MerkleBlock& message) { message.tree.flags.push_back(0); }
void no_transactions(const SimBlock&, bip37::MerkleBlock& message) {
    message.tree.total_transactions = 0;
}
void absurd_count(const SimBlock&, bip37::MerkleBlock& message) {
    message.tree.total_transactions = 0xffffffff;
}
void padding_bits(const SimBlock&, bip37::MerkleBlock& message) {
    message.tree.flags.back() |= 0x80;
}
void altered_header(const SimBlock&, bip37::MerkleBlock& message) {
    message.header.time += 1;
    grind(message.header);
}

/// CVE-2017-12842: half the transactions, so that the nodes above the leaves stand for them. Their
/// preimages are 64 bytes that parse as no transaction here, so that none follows.
void inner_node_as_leaf(const SimBlock& block, bip37::MerkleBlock& message) {
    std::vector<chain::Hash256> inner;
    for (std::size_t i = 0; i < block.txids.size(); i += 2) {
        const auto& right = block.txids[std::min(i + 1, block.txids.size() - 1)];
        inner.push_back(chain::hash256(block.txids[i], right));
    }
    std::vector<bool> matched(inner.size());
    matched.back() = true;
    message.tree = bip37::build_partial_merkle_tree(inner, matched);
}

/// Its parent's proof in place of each matching block's.
void another_block(SimSession& session, FaultState&, const SimBlock& block, Answer& answer) {
    if (answer.size() < 2) return;
    const auto* parent = session.node().block(block.header.previous);
    answer.clear();
    answer.emplace_back(p2p::Message(bip37::MerkleBlock{
        parent->header,
        bip37::build_partial_merkle_tree(parent->txids, std::vector<bool>(parent->txids.size()))}));
}

/// CVE-2012-2459: the odd last transactions once more, and marked as matches. A count that is a
/// power of two has no such form, and is left alone.
void duplicated_subtree(const SimBlock& block, bip37::MerkleBlock& message) {
    const auto repeated = repeated_subtree(block.txids.size());
    if (repeated == 0) return;
    auto txids = block.txids;
    txids.insert(txids.end(), block.txids.end() - repeated, block.txids.end());
    std::vector<bool> matched(txids.size(), true);
    message.tree = bip37::build_partial_merkle_tree(txids, matched);
}

} // namespace

std::vector<Fault> merkleblock_faults() {
    return {
        {.name = "wrong-root",
         .does = "a merkleblock proves another root",
         .answer = in_matching_block<wrong_root>},
        {.name = "extra-hash",
         .does = "a merkleblock has an unused hash",
         .answer = in_matching_block<extra_hash>},
        {.name = "missing-hash",
         .does = "a merkleblock lacks a hash",
         .answer = in_matching_block<missing_hash>},
        {.name = "extra-flags",
         .does = "a merkleblock has an unused flag byte",
         .answer = in_matching_block<extra_flags>},
        {.name = "no-transactions",
         .does = "a merkleblock of 0 transactions",
         .answer = in_matching_block<no_transactions>},
        {.name = "absurd-count",
         .does = "a merkleblock of 4,294,967,295 transactions",
         .answer = in_matching_block<absurd_count>},
        {.name = "padding-bits",
         .does = "padding bits of the flags are set",
         .answer = in_matching_block<padding_bits>},
        {.name = "altered-header",
         .does = "a merkleblock's header is not the stored one",
         .answer = in_matching_block<altered_header>},
        {.name = "inner-node-as-leaf",
         .does = "inner nodes pass for transactions (CVE-2017-12842)",
         .answer = in_matching_block<inner_node_as_leaf>},
        {.name = "another-block",
         .does = "proves its parent in place of a block with a match",
         .answer = another_block},
        {.name = "duplicated-subtree",
         .does = "CVE-2012-2459, where the count allows it",
         .answer = in_matching_block<duplicated_subtree>},
    };
}

} // namespace headlight::regtest
