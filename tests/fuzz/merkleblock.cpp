// Any bytes as a merkleblock: the decoder keeps every byte, the walk agrees with the slow reader,
// and every branch leads to the root.
#include "bip37/messages.hpp"
#include "tests/unit/bip37/naive_merkle.hpp"

#include <algorithm>
#include <cstdlib>

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView payload(data, size);
    const auto block = bip37::decode_merkleblock(payload);
    if (!block) return 0;
    const auto encoded = bip37::encode(*block);
    if (!std::equal(encoded.begin(), encoded.end(), payload.begin(), payload.end())) std::abort();

    const auto found = bip37::extract_matches(block->tree);
    const auto slow = tests::NaiveMerkleReader(block->tree).read();
    if (found.has_value() != slow.has_value()) std::abort();
    const auto verified = bip37::verify(*block);
    if (!found && verified) std::abort();
    if (!found) return 0;
    if (*found != *slow) std::abort();
    if (verified.has_value() != (found->root == block->header.merkle_root)) std::abort();
    for (const auto& match : found->matches) {
        const auto root = bip37::root_of_branch(match.txid, match.position,
                                                block->tree.total_transactions, match.branch);
        if (!root || *root != found->root) std::abort();
    }
    return 0;
}
