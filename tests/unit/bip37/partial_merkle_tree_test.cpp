// Partial merkle trees: what is built is proven, and nothing else is, mutated however.
#include "bip37/partial_merkle_tree.hpp"

#include "chain/limits.hpp"
#include "tests/unit/bip37/blocks.hpp"
#include "tests/unit/bip37/naive_merkle.hpp"

#include <random>

namespace headlight::bip37 {
namespace {

using chain::Hash256;

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
    Hash256 hash() {
        Hash256 value;
        for (auto& byte : value.bytes)
            byte = static_cast<std::uint8_t>(engine_());
        return value;
    }
    std::vector<Hash256> hashes(std::size_t count) {
        std::vector<Hash256> values(count);
        for (auto& value : values)
            value = hash();
        return values;
    }

  private:
    std::mt19937_64 engine_;
};

std::vector<bool> subset(std::size_t count, std::uint64_t bits) {
    std::vector<bool> chosen(count);
    for (std::size_t i = 0; i < count; ++i)
        chosen[i] = (bits >> (i % 64)) & 1;
    return chosen;
}

/// extract_matches, checked against the slow reader on the way.
result<ExtractedMatches> extract(const PartialMerkleTree& tree) {
    const auto found = extract_matches(tree);
    const auto slow = tests::NaiveMerkleReader(tree).read();
    EXPECT_EQ(found.has_value(), slow.has_value());
    if (found && slow) {
        EXPECT_EQ(*found, *slow);
    }
    if (!found) {
        EXPECT_EQ(found.error().code, errc::bad_proof);
        EXPECT_FALSE(found.error().cause.empty());
    }
    return found;
}

void expect_round_trip(const std::vector<Hash256>& txids, const std::vector<bool>& chosen) {
    const auto total = static_cast<std::uint32_t>(txids.size());
    const auto root = merkle_root(txids);
    const auto found = extract(build_partial_merkle_tree(txids, chosen));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->root, root);
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < total; ++i) {
        if (!chosen[i]) continue;
        ASSERT_LT(next, found->matches.size());
        const auto& match = found->matches[next++];
        EXPECT_EQ(match.position, i);
        EXPECT_EQ(match.txid, txids[i]);
        EXPECT_EQ(root_of_branch(match.txid, i, total, match.branch).value(), root);
    }
    EXPECT_EQ(next, found->matches.size());
}

TEST(PartialMerkleTree, ProvesEverySubsetOfSmallBlocks) {
    Random random(1);
    for (std::size_t count = 1; count <= 9; ++count) {
        const auto txids = random.hashes(count);
        for (std::uint64_t bits = 0; bits < (1u << count); ++bits)
            expect_round_trip(txids, subset(count, bits));
    }
}

TEST(PartialMerkleTree, ProvesRandomSubsetsOfLargerBlocks) {
    Random random(2);
    for (int round = 0; round < 60; ++round) {
        const auto txids = random.hashes(1 + random.below(600));
        std::vector<bool> chosen(txids.size());
        const auto some = random.below(txids.size() + 1);
        for (std::size_t i = 0; i < some; ++i)
            chosen[random.below(txids.size())] = true;
        expect_round_trip(txids, chosen);
    }
}

TEST(PartialMerkleTree, OfNoMatchIsTheRootAlone) { // pitfalls B6
    const auto txids = Random(3).hashes(77);
    const auto tree = build_partial_merkle_tree(txids, std::vector<bool>(77));
    EXPECT_EQ(tree.total_transactions, 77u);
    EXPECT_EQ(tree.hashes, std::vector<Hash256>{merkle_root(txids)});
    EXPECT_EQ(tree.flags, Bytes{0});
    const auto found = extract(tree).value();
    EXPECT_EQ(found.root, merkle_root(txids));
    EXPECT_TRUE(found.matches.empty());
}

TEST(PartialMerkleTree, OfOneTransactionIsItsTxid) {
    const auto txid = Random(4).hash();
    for (const bool matched : {false, true}) {
        const auto tree = build_partial_merkle_tree({txid}, {matched});
        EXPECT_EQ(tree, (PartialMerkleTree{1, {txid}, {static_cast<std::uint8_t>(matched)}}));
        const auto found = extract(tree).value();
        EXPECT_EQ(found.root, txid);
        EXPECT_EQ(found.matches.size(), matched ? 1u : 0u);
        if (matched) {
            EXPECT_EQ(found.matches[0], (ProvenTx{txid, 0, {}}));
        }
    }
}

TEST(PartialMerkleTree, OfRealBlocksLeadsToTheirHeaders) {
    const auto blocks = tests::mainnet_blocks();
    if (blocks.empty()) GTEST_SKIP() << "no vector file blocks/mainnet_0_438.dat";
    for (const auto& block : blocks) {
        const auto txids = tests::txids_of(block);
        EXPECT_EQ(merkle_root(txids), block.header.merkle_root);
        expect_round_trip(txids, std::vector<bool>(txids.size(), true));
    }
    for (const auto& block : tests::regtest_blocks()) {
        EXPECT_EQ(merkle_root(tests::txids_of(block)), block.header.merkle_root);
    }
}

/// A mutated tree may be refused, lead elsewhere, or claim other leaves of the walk as matches:
/// those are true leaves all the same. It never proves what is not there.
void expect_sound(const PartialMerkleTree& tree, const std::vector<Hash256>& txids,
                  const Hash256& root) {
    const auto found = extract(tree);
    if (!found || found->root != root) return;
    for (const auto& match : found->matches) {
        ASSERT_LT(match.position, txids.size());
        EXPECT_EQ(match.txid, txids[match.position]);
    }
}

TEST(PartialMerkleTree, ProvesNothingFalseWithAnyFlagFlipped) {
    Random random(5);
    for (std::size_t count = 1; count <= 7; ++count) {
        const auto txids = random.hashes(count);
        const auto root = merkle_root(txids);
        for (std::uint64_t bits = 0; bits < (1u << count); ++bits) {
            auto tree = build_partial_merkle_tree(txids, subset(count, bits));
            for (std::size_t flag = 0; flag < tree.flags.size() * 8; ++flag) {
                tree.flags[flag / 8] ^= static_cast<std::uint8_t>(1u << (flag % 8));
                expect_sound(tree, txids, root);
                tree.flags[flag / 8] ^= static_cast<std::uint8_t>(1u << (flag % 8));
            }
        }
    }
}

TEST(PartialMerkleTree, LeadsElsewhereWithAnyHashChanged) {
    Random random(6);
    for (std::size_t count = 1; count <= 40; ++count) {
        const auto txids = random.hashes(count);
        const auto root = merkle_root(txids);
        auto tree = build_partial_merkle_tree(txids, subset(count, random.below(1u << 30)));
        for (auto& hash : tree.hashes) {
            const auto bit = random.below(256);
            hash.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
            const auto found = extract(tree);
            EXPECT_TRUE(!found || found->root != root);
            hash.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
        }
        for (std::size_t i = 0; i + 1 < tree.hashes.size(); ++i) {
            std::swap(tree.hashes[i], tree.hashes[i + 1]);
            const auto found = extract(tree);
            EXPECT_TRUE(!found || found->root != root);
            std::swap(tree.hashes[i], tree.hashes[i + 1]);
        }
    }
}

void expect_refused(const PartialMerkleTree& tree, std::string_view cause) {
    const auto found = extract(tree);
    ASSERT_FALSE(found) << cause;
    EXPECT_NE(found.error().cause.find(cause), std::string::npos) << found.error().cause;
}

TEST(PartialMerkleTree, IsRefusedWithTooMuchOrTooLittle) { // pitfalls B3
    Random random(7);
    for (std::size_t count = 2; count <= 40; ++count) {
        const auto txids = random.hashes(count);
        const auto tree = build_partial_merkle_tree(txids, subset(count, random.below(1u << 30)));
        auto changed = tree;
        changed.flags.push_back(0);
        expect_refused(changed, "flag bytes are left over");
        changed = tree;
        changed.hashes.pop_back();
        EXPECT_FALSE(extract(changed));
        changed = tree;
        changed.flags.pop_back();
        EXPECT_FALSE(extract(changed));
        changed = tree;
        changed.hashes.push_back(random.hash());
        EXPECT_FALSE(extract(changed));
        changed = tree;
        changed.hashes.clear();
        expect_refused(changed, "the hashes end too early");
    }
}

TEST(PartialMerkleTree, IsRefusedWithAbsurdCountsAtOnce) { // pitfalls B3
    const auto hash = Random(8).hash();
    expect_refused({0, {}, {}}, "no transactions");
    expect_refused({0, {hash}, {1}}, "no transactions");
    expect_refused({limits::max_block_transactions + 1, {hash}, {0}}, "more transactions than");
    expect_refused({0xffffffff, {hash}, {1}}, "more transactions than");
    expect_refused({1, {hash, hash}, {1}}, "more hashes than transactions");
    expect_refused({1, {hash}, {}}, "fewer flag bits than hashes");
    expect_refused({16, std::vector<Hash256>(9, hash), {0xff}}, "fewer flag bits than hashes");
    expect_refused({4, {hash}, Bytes(1'000'000, 0xff)}, "the hashes end too early");
    EXPECT_TRUE(extract({limits::max_block_transactions, {hash}, {0}}));
}

TEST(PartialMerkleTree, ToleratesSetPaddingBits) { // pitfalls B3: as Bitcoin Core reads them
    Random random(9);
    const auto txids = random.hashes(6);
    auto tree = build_partial_merkle_tree(txids, subset(6, 0b000100));
    const auto honest = extract(tree).value();
    tree.flags.back() |= 0x80; // a walk of 7 nodes
    EXPECT_EQ(extract(tree).value(), honest);
}

TEST(PartialMerkleTree, IsRefusedWithADuplicatedSubtree) { // pitfalls B1, CVE-2012-2459
    Random random(10);
    for (std::size_t count : {3u, 5u, 6u, 7u, 9u, 10u, 11u}) {
        const auto txids = random.hashes(count);
        // doubling what the tree would pair with itself keeps the root
        auto doubled = txids;
        std::size_t repeated = 1;
        while (count % (repeated * 2) == 0)
            repeated *= 2;
        doubled.insert(doubled.end(), txids.end() - static_cast<std::ptrdiff_t>(repeated),
                       txids.end());
        ASSERT_EQ(merkle_root(doubled), merkle_root(txids));
        std::vector<bool> chosen(doubled.size());
        chosen.back() = true;
        expect_refused(build_partial_merkle_tree(doubled, chosen), "CVE-2012-2459");
        std::vector<bool> honest(txids.size());
        honest.back() = true;
        EXPECT_EQ(extract(build_partial_merkle_tree(txids, honest))->root, merkle_root(txids));
    }
}

/// 64 bytes that are a transaction with a scriptSig of `script_sig` bytes.
Bytes small_transaction(std::size_t script_sig, Amount amount) {
    chain::Transaction tx;
    tx.version = 1;
    tx.inputs.push_back({{Random(11).hash(), 3}, Bytes(script_sig, 0x51), 0xffffffff, {}});
    tx.outputs.push_back({amount, Bytes(4 - script_sig, 0x51)});
    return chain::serialize(tx);
}

TEST(PartialMerkleTree, KnowsEveryTransactionOfSixtyFourBytes) { // pitfalls B2, CVE-2017-12842
    for (std::size_t script_sig = 0; script_sig <= 4; ++script_sig) {
        for (const Amount amount : {Amount{0}, Amount{1}, chain::max_money}) {
            EXPECT_TRUE(reads_as_transaction(small_transaction(script_sig, amount)));
        }
        for (const Amount amount : {Amount{-1}, chain::max_money + 1, INT64_MIN, INT64_MAX}) {
            EXPECT_FALSE(reads_as_transaction(small_transaction(script_sig, amount)));
        }
    }
    const auto good = small_transaction(2, 5'000);
    EXPECT_FALSE(reads_as_transaction(ByteView(good).first(63)));
    EXPECT_FALSE(reads_as_transaction({}));
    auto longer = good;
    longer.push_back(0);
    EXPECT_FALSE(reads_as_transaction(longer));
}

TEST(PartialMerkleTree, AgreesWithTheDecoderOnWhatIsATransaction) {
    Random random(12);
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = small_transaction(random.below(5), static_cast<Amount>(random.below(1'000)));
        for (auto changes = random.below(3); changes > 0; --changes)
            bytes[random.below(64)] = static_cast<std::uint8_t>(random.below(256));
        EXPECT_EQ(reads_as_transaction(bytes), tests::NaiveMerkleReader::is_transaction(bytes))
            << to_hex(bytes);
    }
}

TEST(PartialMerkleTree, IsRefusedWhereAWalkedPairIsATransaction) { // pitfalls B2
    Random random(13);
    const auto raw = small_transaction(1, 70'000);
    const auto left = Hash256::from_bytes(ByteView(raw).first(32)).value();
    const auto right = Hash256::from_bytes(ByteView(raw).last(32)).value();
    const std::vector<Hash256> txids{random.hash(), random.hash(), left, right, random.hash()};
    for (std::size_t position = 0; position < 5; ++position) {
        std::vector<bool> chosen(5);
        chosen[position] = true;
        const auto tree = build_partial_merkle_tree(txids, chosen);
        if (position == 2 || position == 3) {
            expect_refused(tree, "CVE-2017-12842");
        } else { // a pair that the walk does not enter is a hash like any other
            EXPECT_EQ(extract(tree)->root, merkle_root(txids));
        }
    }
    const auto fake = root_of_branch(right, 1, 2, {left});
    ASSERT_FALSE(fake);
    EXPECT_NE(fake.error().cause.find("CVE-2017-12842"), std::string::npos);
}

TEST(PartialMerkleTree, RefusesNoHonestPairByChance) { // pitfalls B2
    Random random(14);
    std::size_t refused = 0;
    for (int round = 0; round < 200'000; ++round) {
        Bytes pair(64);
        for (auto& byte : pair)
            byte = static_cast<std::uint8_t>(random.below(256));
        refused += reads_as_transaction(pair);
    }
    EXPECT_EQ(refused, 0u);
}

TEST(MerkleBranch, IsRefusedOutOfItsPlace) {
    Random random(15);
    for (std::size_t count : {1u, 2u, 3u, 6u, 7u, 12u}) {
        const auto total = static_cast<std::uint32_t>(count);
        const auto txids = random.hashes(count);
        const auto found =
            extract(build_partial_merkle_tree(txids, std::vector<bool>(count, true))).value();
        for (const auto& match : found.matches) {
            EXPECT_EQ(root_of_branch(match.txid, match.position, total, match.branch).value(),
                      found.root);
            for (std::uint32_t other = 0; other < total; ++other) {
                if (other == match.position) continue;
                const auto root = root_of_branch(match.txid, other, total, match.branch);
                EXPECT_TRUE(!root || *root != found.root);
            }
            auto longer = match.branch;
            longer.push_back(random.hash());
            EXPECT_FALSE(root_of_branch(match.txid, match.position, total, longer));
            EXPECT_FALSE(root_of_branch(match.txid, total, total, match.branch));
            for (std::size_t i = 0; i < match.branch.size(); ++i) {
                auto changed = match.branch;
                changed[i].bytes[5] ^= 4;
                const auto root = root_of_branch(match.txid, match.position, total, changed);
                EXPECT_TRUE(!root || *root != found.root);
            }
        }
    }
    const auto hash = random.hash();
    EXPECT_FALSE(root_of_branch(hash, 0, 0, {}));
    EXPECT_FALSE(root_of_branch(hash, 0, limits::max_block_transactions + 1, {}));
    EXPECT_FALSE(root_of_branch(hash, 0, 0xffffffff, {}));
}

TEST(MerkleBranch, IsRefusedWithADuplicate) { // pitfalls B1, CVE-2012-2459
    const auto txids = Random(16).hashes(3);
    // the third of three is its own sibling; said to be one of four, it would be a second proof
    const std::vector<Hash256> branch{txids[2], chain::hash256(txids[0], txids[1])};
    EXPECT_EQ(root_of_branch(txids[2], 2, 3, branch).value(), merkle_root(txids));
    for (const std::uint32_t position : {2u, 3u}) {
        const auto root = root_of_branch(txids[2], position, 4, branch);
        ASSERT_FALSE(root);
        EXPECT_NE(root.error().cause.find("CVE-2012-2459"), std::string::npos);
    }
    auto stranger = branch;
    stranger[0] = txids[0];
    EXPECT_FALSE(root_of_branch(txids[2], 2, 3, stranger));
}

} // namespace
} // namespace headlight::bip37
