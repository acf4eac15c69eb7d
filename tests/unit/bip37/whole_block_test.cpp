// Whole blocks: the root that holds them, what is refused under a right root, and branches held
// against what a partial tree of the same block proves.
#include "bip37/messages.hpp"
#include "chain/limits.hpp"
#include "chain/merkle.hpp"
#include "tests/unit/bip37/blocks.hpp"

namespace headlight::bip37 {
namespace {

using chain::Hash256;
using chain::MerkleTree;
using chain::Transaction;
using chain::verify_block;

/// A transaction like no other, of more than 64 bytes.
Transaction numbered(std::uint32_t number) {
    Transaction tx;
    tx.inputs.push_back({{chain::hash256(Bytes{7}), number}, Bytes(20, 0x51), number, {}});
    tx.outputs.push_back({number, Bytes(22, 0x52)});
    return tx;
}

tests::Block block_of(std::size_t count) {
    tests::Block block;
    for (std::uint32_t i = 0; i < count; ++i)
        block.transactions.push_back(numbered(i));
    block.transactions[0].inputs[0].prevout = {{}, 0xffffffff};
    block.header.merkle_root = merkle_root(tests::txids_of(block));
    return block;
}

void expect_branches_as_bip37_proves_them(const tests::Block& block) {
    const auto tree = verify_block(block.header.merkle_root, block.transactions);
    ASSERT_TRUE(tree) << to_string(tree.error());
    EXPECT_EQ(tree->root(), block.header.merkle_root);
    const auto txids = tests::txids_of(block);
    EXPECT_EQ(tree->txids(), txids);
    const std::vector<bool> all(txids.size(), true);
    const auto proven = verify({block.header, build_partial_merkle_tree(txids, all)});
    ASSERT_TRUE(proven) << to_string(proven.error());
    ASSERT_EQ(proven->matches.size(), txids.size());
    for (std::size_t i = 0; i < txids.size(); ++i)
        EXPECT_EQ(tree->branch(i), proven->matches[i].branch) << i << " of " << txids.size();
}

TEST(WholeBlock, GivesTheBranchesThatBip37Proves) {
    for (std::size_t count = 1; count <= 17; ++count)
        expect_branches_as_bip37_proves_them(block_of(count));
}

TEST(WholeBlock, GivesThemForRealBlocks) {
    const auto mainnet = tests::mainnet_blocks();
    const auto regtest = tests::regtest_blocks();
    if (mainnet.empty() && regtest.empty()) GTEST_SKIP() << "no vector files of blocks";
    for (const auto& block : mainnet)
        expect_branches_as_bip37_proves_them(block);
    for (const auto& block : regtest)
        expect_branches_as_bip37_proves_them(block);
}

void expect_refused(const Hash256& root, const std::vector<Transaction>& transactions,
                    std::string_view cause) {
    const auto tree = verify_block(root, transactions);
    ASSERT_TRUE(tree.has_error());
    EXPECT_EQ(tree.error().code, errc::bad_proof);
    EXPECT_NE(tree.error().cause.find(cause), std::string::npos) << to_string(tree.error());
}

TEST(WholeBlock, IsRefusedWhenOneTransactionIsMissingAddedMovedOrChanged) {
    for (std::size_t count = 2; count <= 17; ++count) {
        const auto block = block_of(count);
        const auto& root = block.header.merkle_root;
        for (std::size_t i = 0; i < count; ++i) {
            auto changed = block.transactions;
            changed[i].outputs[0].amount += 1;
            expect_refused(root, changed, "lead to the root");
            auto missing = block.transactions;
            missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
            expect_refused(root, missing, "lead to the root");
            auto moved = block.transactions;
            std::swap(moved[i], moved[(i + 1) % count]);
            expect_refused(root, moved, "lead to the root");
        }
        auto added = block.transactions;
        added.push_back(numbered(1'000));
        expect_refused(root, added, "lead to the root");
    }
}

TEST(WholeBlock, IsRefusedWithNoTransactionsOrTooMany) {
    expect_refused({}, {}, "no transactions");
    const auto block = block_of(limits::max_block_transactions);
    EXPECT_TRUE(verify_block(block.header.merkle_root, block.transactions));
    const auto larger = block_of(limits::max_block_transactions + 1);
    expect_refused(larger.header.merkle_root, larger.transactions, "more transactions than");
}

TEST(WholeBlock, IsRefusedWithARepeatedSubtreeUnderTheRightRoot) { // CVE-2012-2459
    for (std::size_t count = 1; count <= 17; ++count) {
        if ((count & (count - 1)) == 0) continue; // a full tree has no such form
        const auto block = block_of(count);
        std::size_t width = 1;
        while (count % (width * 2) == 0)
            width *= 2;
        auto repeated = block.transactions;
        for (std::size_t i = count - width; i < count; ++i)
            repeated.push_back(block.transactions[i]);
        expect_refused(block.header.merkle_root, repeated, "CVE-2012-2459");
    }
}

TEST(WholeBlock, OfEqualTransactionsFarApartIsNotTakenForAMutation) {
    const MerkleTree tree({Hash256{{1}}, Hash256{{2}}, Hash256{{2}}, Hash256{{1}}});
    EXPECT_FALSE(tree.mutated());
    EXPECT_TRUE(MerkleTree({Hash256{{1}}, Hash256{{2}}, Hash256{{3}}, Hash256{{3}}}).mutated());
}

/// 64 bytes without its witness, as two hashes have.
Transaction of_sixty_four_bytes(std::uint32_t number) {
    Transaction small;
    small.inputs.push_back({{chain::hash256(Bytes{9}), number}, {}, 0xffffffff, {Bytes(71, 1)}});
    small.outputs.push_back({5'000, Bytes(4, 0x51)});
    return small;
}

TEST(WholeBlock, MayHoldATransactionOfSixtyFourBytes) {
    auto block = block_of(3);
    block.transactions.push_back(of_sixty_four_bytes(1));
    EXPECT_TRUE(verify_block(merkle_root(tests::txids_of(block)), block.transactions));
}

TEST(WholeBlock, IsRefusedWhenInnerNodesPassForItsTransactions) { // CVE-2017-12842
    // The block has four transactions; two more are made of the hashes of theirs.
    const std::vector made{of_sixty_four_bytes(1), of_sixty_four_bytes(2)};
    std::vector<Hash256> txids;
    for (const auto& tx : made) {
        const auto bytes = serialize(tx, chain::Witness::strip);
        ASSERT_EQ(bytes.size(), 64u);
        txids.push_back(*Hash256::from_bytes(ByteView(bytes).first(32)));
        txids.push_back(*Hash256::from_bytes(ByteView(bytes).last(32)));
    }
    const auto root = MerkleTree(txids).root();
    ASSERT_EQ(MerkleTree({chain::txid(made[0]), chain::txid(made[1])}).root(), root);
    expect_refused(root, made, "CVE-2017-12842");
}

} // namespace
} // namespace headlight::bip37
