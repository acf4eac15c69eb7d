// Payload codecs of BIP-37, the one verifier of merkleblocks, and the server's side of them.
#include "bip37/messages.hpp"

#include "bip37/relevance.hpp"

#include <string>
#include <utility>

namespace headlight::bip37 {
namespace {

constexpr std::size_t hash_bytes = 32;

Error too_large(std::string what, std::uint64_t size, std::size_t limit) {
    return Error{errc::too_large, std::move(what) + " is too large",
                 "it is " + std::to_string(size) + ", over the limit of " + std::to_string(limit)};
}

UpdateFlags flags_of(std::uint8_t byte) {
    switch (byte & 3) { // the bits that a server looks at
    case 1:
        return UpdateFlags::all;
    case 2:
        return UpdateFlags::p2pubkey_only;
    default:
        return UpdateFlags::none;
    }
}

} // namespace

Bytes encode(const FilterLoad& message) {
    const auto& filter = message.filter;
    chain::Writer writer(filter.data().size() + 12);
    writer.var_bytes(filter.data()).u32(filter.hash_functions()).u32(filter.tweak());
    writer.u8(static_cast<std::uint8_t>(filter.flags()));
    return writer.take();
}

Bytes encode(const FilterAdd& message) {
    chain::Writer writer(message.element.size() + 3);
    writer.var_bytes(message.element);
    return writer.take();
}

Bytes encode(const MerkleBlock& message) {
    const auto& tree = message.tree;
    chain::Writer writer(chain::BlockHeader::size + 14 + tree.hashes.size() * hash_bytes +
                         tree.flags.size());
    writer.bytes(chain::serialize(message.header)).u32(tree.total_transactions);
    writer.compact_size(tree.hashes.size());
    for (const auto& hash : tree.hashes)
        writer.hash(hash);
    writer.var_bytes(tree.flags);
    return writer.take();
}

result<FilterLoad> decode_filterload(ByteView payload) {
    chain::Reader reader(payload);
    const auto size = reader.compact_size();
    if (size > limits::max_filter_bytes) {
        return too_large("a Bloom filter", size, limits::max_filter_bytes);
    }
    const auto data = reader.bytes(static_cast<std::size_t>(size));
    const auto functions = reader.u32();
    const auto tweak = reader.u32();
    const auto flags = flags_of(reader.u8());
    if (auto end = reader.finish("a filterload"); !end) return end.error();
    if (functions > limits::max_hash_functions) {
        return too_large("a Bloom filter's number of hash functions", functions,
                         limits::max_hash_functions);
    }
    return FilterLoad{{Bytes(data.begin(), data.end()), functions, tweak, flags}};
}

result<FilterAdd> decode_filteradd(ByteView payload) {
    chain::Reader reader(payload);
    const auto size = reader.compact_size();
    if (size > limits::max_filter_add_bytes) {
        return too_large("a filteradd's element", size, limits::max_filter_add_bytes);
    }
    const auto element = reader.bytes(static_cast<std::size_t>(size));
    if (auto end = reader.finish("a filteradd"); !end) return end.error();
    return FilterAdd{Bytes(element.begin(), element.end())};
}

result<MerkleBlock> decode_merkleblock(ByteView payload) {
    chain::Reader reader(payload);
    MerkleBlock block;
    block.header = chain::read_block_header(reader);
    block.tree.total_transactions = reader.u32();
    const auto hashes = reader.count(limits::max_block_transactions, hash_bytes);
    block.tree.hashes.reserve(hashes);
    for (std::size_t i = 0; i < hashes; ++i)
        block.tree.hashes.push_back(reader.hash());
    // A tree over n leaves has at most 2n + 15 nodes, a bit each: a byte a transaction is ample.
    const auto flags = reader.var_bytes(limits::max_block_transactions);
    if (auto end = reader.finish("a merkleblock"); !end) return end.error();
    block.tree.flags.assign(flags.begin(), flags.end());
    return block;
}

result<ExtractedMatches> verify(const MerkleBlock& block) {
    auto found = extract_matches(block.tree);
    if (found && found->root != block.header.merkle_root) {
        return Error{errc::bad_proof, "a merkle proof does not hold",
                     "it leads to the root " + found->root.to_string() + " and its header has " +
                         block.header.merkle_root.to_string()};
    }
    return found;
}

FilteredBlock filter_block(const chain::BlockHeader& header,
                           const std::vector<chain::Transaction>& transactions,
                           BloomFilter& filter) {
    FilteredBlock block;
    block.merkleblock.header = header;
    std::vector<chain::Hash256> txids;
    std::vector<bool> matched;
    txids.reserve(transactions.size());
    matched.reserve(transactions.size());
    for (const auto& tx : transactions) { // in block order: a match updates the filter for the next
        txids.push_back(chain::txid(tx));
        matched.push_back(match_and_update(filter, tx, txids.back()));
        if (matched.back()) block.matched.push_back(txids.size() - 1);
    }
    block.merkleblock.tree = build_partial_merkle_tree(txids, matched);
    return block;
}

} // namespace headlight::bip37
