// Chains in memory, and the slow oracle over them.
#include "bip37/partial_merkle_tree.hpp"
#include "chain/header_tree.hpp"
#include "chain/memory_archive.hpp"
#include "chain/script.hpp"
#include "regtest/oracle.hpp"

#include <gtest/gtest.h>

using namespace headlight;
using namespace headlight::regtest;

namespace {

const Bytes ours = chain::witness_script(0, Bytes(20, 7));
const Bytes theirs = chain::witness_script(0, Bytes(20, 8));

bool is_ours(ByteView script) {
    return std::equal(script.begin(), script.end(), ours.begin(), ours.end());
}

} // namespace

TEST(ChainBuilder, StartsWithTheRealGenesis) {
    ChainBuilder chain;
    EXPECT_EQ(chain.genesis().hash, chain.network().genesis_hash);
    EXPECT_EQ(bip37::merkle_root(chain.genesis().txids), chain.genesis().header.merkle_root);
}

TEST(ChainBuilder, MinesHeadersThatTheHeaderTreeAccepts) {
    ChainBuilder chain;
    chain::MemoryArchive archive;
    chain::HeaderTree tree(chain.network(), archive);
    chain.mine_empty(30);
    const auto side = chain.mine_empty(chain.ancestor(chain.newest().hash, 10).hash, 25).hash;
    for (const auto& tip : {chain.ancestor(side, 10).hash, side})
        for (const auto* block : chain.branch(tip))
            tree.accept(block->header, 1'700'000'000);
    EXPECT_EQ(tree.tip().hash, side);
    EXPECT_EQ(tree.tip().work, chain.find(side)->work);
    EXPECT_EQ(tree.tip_height(), 35);
}

TEST(ChainBuilder, MinesBlocksThatAreFalseInTheChosenWay) {
    ChainBuilder chain;
    chain::MemoryArchive archive;
    chain::HeaderTree tree(chain.network(), archive);
    BlockPlan no_work;
    no_work.enough_work = false;
    EXPECT_EQ(tree.accept(chain.mine(no_work).header, 1'700'000'000).verdict,
              chain::HeaderVerdict::invalid);
    BlockPlan other_bits;
    other_bits.bits = 0x207ffffe;
    EXPECT_EQ(
        tree.accept(chain.mine(chain.genesis().hash, other_bits).header, 1'700'000'000).verdict,
        chain::HeaderVerdict::invalid);
    BlockPlan other_root;
    other_root.merkle_root = chain.genesis().hash;
    EXPECT_EQ(chain.mine(chain.genesis().hash, other_root).header.merkle_root,
              chain.genesis().hash);
}

TEST(ChainBuilder, FindsAncestorsAndForks) {
    ChainBuilder chain;
    const auto left = chain.mine_empty(10).hash;
    const auto base = chain.ancestor(left, 6).hash;
    const auto right = chain.mine_empty(base, 7).hash;
    EXPECT_EQ(chain.fork(left, right).hash, base);
    EXPECT_EQ(chain.fork(right, right).hash, right);
    EXPECT_EQ(chain.branch(right).size(), 14U);
    EXPECT_EQ(chain.branch(right)[6]->hash, base);
}

TEST(Oracle, CountsPaymentsSpendsCoinbasesAndPendingOnesByBranch) {
    ChainBuilder chain;
    const auto paid = chain.pay(ours, 1'000);
    BlockPlan plan;
    plan.transactions = {paid, chain.pay(theirs, 5)};
    plan.coinbase_script = ours;
    const auto first = chain.mine(plan).hash;

    auto state = expect(chain, first, is_ours);
    EXPECT_EQ(state.confirmed.size(), 2U);
    EXPECT_EQ(state.balance, (wallet::Balance{1'000, 0, 5'000'000'000}));

    // Spent without change on one branch, still there on the other.
    plan = {};
    plan.transactions = {ChainBuilder::spend({{txid(paid), 0}}, {{900, theirs}})};
    const auto spent = chain.mine(first, plan).hash;
    const auto kept = chain.mine_empty(first, 100).hash;
    EXPECT_EQ(expect(chain, spent, is_ours).balance, (wallet::Balance{0, 0, 5'000'000'000}));
    EXPECT_EQ(expect(chain, spent, is_ours).confirmed.size(), 3U);
    EXPECT_EQ(expect(chain, chain.ancestor(kept, 100).hash, is_ours).balance.immature,
              5'000'000'000);
    EXPECT_EQ(expect(chain, kept, is_ours).balance, (wallet::Balance{5'000'001'000, 0, 0}));

    const auto pending = ChainBuilder::spend({{txid(paid), 0}}, {{300, ours}, {600, theirs}});
    state = expect(chain, kept, is_ours, {pending});
    EXPECT_EQ(state.balance, (wallet::Balance{5'000'000'000, 300, 0}));
    EXPECT_EQ(state.pending, std::set{txid(pending)});
}
