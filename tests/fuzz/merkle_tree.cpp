// A block and a choice of its transactions: the tree that is built proves exactly these; one that
// was changed in any way proves nothing else under the same root and count.
#include "chain/limits.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/unit/bip37/naive_merkle.hpp"

using namespace headlight;
using tests::require;

namespace {

constexpr std::uint32_t most_transactions = 70;

chain::Hash256 numbered(std::uint32_t number) {
    static const auto all = [] {
        std::vector<chain::Hash256> hashes;
        for (std::uint32_t i = 0; i < most_transactions; ++i)
            hashes.push_back(chain::hash256(chain::Writer().u32(i).data()));
        return hashes;
    }();
    return all.at(number);
}

struct Block {
    std::vector<chain::Hash256> txids;
    std::vector<bool> chosen;
};

Block read_block(tests::Input& input) {
    Block block;
    const auto count = 1 + input.choose(most_transactions);
    for (std::uint32_t i = 0; i < count; ++i)
        block.txids.push_back(numbered(i));
    block.chosen.assign(count, false);
    for (auto left = input.choose(16); left > 0; --left)
        block.chosen[input.choose(count)] = true;
    if (input.choose(16) == 0) block.chosen.assign(count, true);
    return block;
}

void check_honest(const Block& block, const bip37::PartialMerkleTree& tree) {
    const auto found = bip37::extract_matches(tree);
    require(found.has_value() && found->root == bip37::merkle_root(block.txids));
    require(tests::NaiveMerkleReader(tree).read() == *found);
    auto next = found->matches.begin();
    for (std::uint32_t i = 0; i < block.txids.size(); ++i) {
        if (!block.chosen[i]) continue;
        require(next != found->matches.end() && next->position == i);
        require(next->txid == block.txids[i]);
        require(bip37::root_of_branch(next->txid, i, tree.total_transactions, next->branch) ==
                found->root);
        ++next;
    }
    require(next == found->matches.end());
}

void change(tests::Input& input, bip37::PartialMerkleTree& tree) {
    const auto any = [&](std::size_t count) {
        return input.choose(static_cast<std::uint32_t>(std::max<std::size_t>(count, 1)));
    };
    switch (input.choose(8)) {
    case 0:
        tree.total_transactions = input.choose(2 * most_transactions);
        break;
    case 1:
        tree.hashes.insert(tree.hashes.begin() + any(tree.hashes.size() + 1),
                           numbered(input.choose(most_transactions)));
        break;
    case 2:
        if (!tree.hashes.empty()) tree.hashes.erase(tree.hashes.begin() + any(tree.hashes.size()));
        break;
    case 3:
        tree.hashes.push_back(tree.hashes.empty() ? numbered(0)
                                                  : tree.hashes[any(tree.hashes.size())]);
        break;
    case 4:
        tree.flags.push_back(input.byte());
        break;
    case 5:
        if (!tree.flags.empty()) tree.flags.pop_back();
        break;
    case 6:
        if (!tree.hashes.empty())
            tree.hashes[any(tree.hashes.size())] = tree.hashes[any(tree.hashes.size())];
        break;
    default:
        if (!tree.flags.empty()) tree.flags[any(tree.flags.size())] ^= input.byte();
    }
}

void check_changed(const Block& block, const bip37::PartialMerkleTree& tree) {
    const auto found = bip37::extract_matches(tree);
    const auto slow = tests::NaiveMerkleReader(tree).read();
    require(found.has_value() == slow.has_value());
    if (!found) return;
    require(*found == *slow);
    if (tree.total_transactions != block.txids.size()) return; // CVE-2017-12842: inner nodes
    if (found->root != bip37::merkle_root(block.txids)) return;
    for (const auto& match : found->matches)
        require(match.txid == block.txids.at(match.position));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Input input(data, size);
    const auto block = read_block(input);
    auto tree = bip37::build_partial_merkle_tree(block.txids, block.chosen);
    require(tree.total_transactions == block.txids.size());
    check_honest(block, tree);
    for (int changes = 0; changes < 12 && !input.empty(); ++changes) {
        change(input, tree);
        check_changed(block, tree);
    }
    return 0;
}
