// Whole blocks: nothing is told to anybody, nothing can be left out, and what is stored is what
// filtered blocks would have shown.
#include "bip37/messages.hpp"
#include "regtest/faults.hpp"
#include "tests/sim/engine/simulated.hpp"

#include <algorithm>

namespace headlight::tests {
namespace {

using sync::DropReason;

const sync::Config whole{.whole_blocks = true};

class WholeBlocks : public Simulated {
  protected:
    WholeBlocks() { watch_messages(); }

    void watch_messages() {
        world->on_action = [this](const sync::Action& action) {
            const auto* send = std::get_if<sync::action::Send>(&action);
            if (send) said.push_back(send->message);
        };
    }
    void another_world(std::uint64_t seed) {
        new_world(seed);
        said.clear();
        watch_messages();
    }
    SimNode& without_bloom(const chain::Hash256& tip) { return node(tip, {{"no-bloom"}}); }

    template <class Wanted>
    std::vector<Wanted> all_said() const {
        std::vector<Wanted> found;
        for (const auto& message : said)
            if (const auto* wanted = std::get_if<Wanted>(&message)) found.push_back(*wanted);
        return found;
    }
    /// What only a node with NODE_BLOOM takes.
    bool said_nothing_of_bip37() const {
        return all_said<bip37::FilterLoad>().empty() && all_said<bip37::FilterAdd>().empty() &&
               all_said<bip37::FilterClear>().empty() && all_said<p2p::Mempool>().empty();
    }
    std::set<p2p::InvType> types_asked_for() const {
        std::set<p2p::InvType> types;
        for (const auto& getdata : all_said<p2p::GetData>())
            for (const auto& entry : getdata.entries)
                types.insert(entry.type);
        return types;
    }

    /// What the wallet holds pending: all of it was in the branch that ended in `tip`.
    std::vector<chain::Transaction> undone(const chain::Hash256& tip) const {
        std::vector<chain::Transaction> pending;
        const auto wallet = stored();
        for (const auto* block : chain.branch(tip))
            for (std::size_t i = 0; i < block->txids.size(); ++i) {
                const auto* known = wallet->ledger().find(block->txids[i]);
                if (known && !known->confirmation) pending.push_back(block->transactions[i]);
            }
        return pending;
    }

    /// 150 blocks with payments, spends with and without change, and steps of the gap.
    chain::Hash256 busy_chain() {
        auto tip = chain.genesis().hash;
        for (std::uint32_t i = 0; i < 30; ++i) {
            const auto received = pay(i * 8, 100'000 + i);
            const auto stranger = chain.pay({to_stranger(5), to_stranger(6)});
            tip = chain.mine(tip, {.transactions = {stranger, received}}).hash;
            tip = chain.mine_empty(tip, 3).hash;
            const auto to = i % 3 == 0 ? chain::TxOut{99'000 - i, script(i, 1)} : to_stranger(9);
            const auto spend = ChainBuilder::spend({coin(received)}, {to});
            tip = chain.mine(tip, {.transactions = {spend}}).hash;
        }
        return tip;
    }

    std::vector<p2p::Message> said;
};

TEST_F(WholeBlocks, ShowTheRightBalanceAndTellNothing) {
    const auto tip = busy_chain();
    without_bloom(tip);
    sync(whole);
    expect_right(tip);
    EXPECT_GT(balance().confirmed, 0);
    EXPECT_TRUE(said_nothing_of_bip37());
    EXPECT_EQ(types_asked_for(), std::set{p2p::InvType::block});
    EXPECT_TRUE(all_said<p2p::Inv>().empty());
    EXPECT_TRUE(all_said<p2p::Tx>().empty());
    EXPECT_EQ(statistics().filterloads, 0);
    EXPECT_EQ(statistics().false_positives, 0);
    EXPECT_EQ(stored()->filter(), wallet::FilterParameters{.tweak = 0x1234}) << "none was made";
}

TEST_F(WholeBlocks, AskEachNodeTheSameWhateverIsWatched) {
    const auto tip = busy_chain();
    const auto asked = [&](std::uint64_t seed, std::uint8_t account_seed) {
        make_wallet({account(wallet::AccountKind::wpkh, account_seed)});
        another_world(seed);
        without_bloom(tip);
        sync(whole);
        std::vector<chain::Hash256> hashes;
        for (const auto& getdata : all_said<p2p::GetData>())
            for (const auto& entry : getdata.entries)
                hashes.push_back(entry.hash);
        return hashes;
    };
    const auto ours = asked(3, 1);
    EXPECT_EQ(asked(3, 2), ours) << "a wallet that the chain never paid";
}

TEST_F(WholeBlocks, StoreWhatFilteredBlocksProve) {
    const auto tip = busy_chain();
    node(tip);
    sync();
    auto filtered = stored()->state();
    another_world(2);
    node(tip);
    sync(whole);
    auto matched_here = stored()->state();
    ASSERT_EQ(matched_here.transactions.size(), filtered.transactions.size());
    for (auto* state : {&filtered, &matched_here}) {
        std::ranges::sort(state->transactions, {}, &wallet::StoredTx::txid);
        for (auto& tx : state->transactions)
            tx.first_seen = tx.last_seen = 0;
    }
    EXPECT_EQ(matched_here.transactions, filtered.transactions) << "branches included";
    EXPECT_EQ(matched_here.descriptors, filtered.descriptors);
    EXPECT_EQ(matched_here.scan, filtered.scan);
}

TEST_F(WholeBlocks, GoOnWhereFilteredOnesEndedAndTheOtherWayRound) {
    const auto tip = busy_chain();
    const auto& middle = chain.ancestor(tip, 70);
    auto& served = node(middle.hash);
    sync();
    served.set_tip(chain.ancestor(tip, 110).hash, world->now_ms());
    sync(whole);
    EXPECT_EQ(statistics().scanned_blocks, 70 + 40) << "with those that one peer alone showed";
    served.set_tip(tip, world->now_ms());
    sync();
    EXPECT_EQ(statistics().scanned_blocks, chain.find(tip)->height - 110);
    expect_right(tip);
}

// A payment to index 39 is ours only once index 19 is used: by the same block, before or behind it.
TEST_F(WholeBlocks, FindWhatBecomesOursWithinTheSameBlock) {
    for (const bool rising : {true, false}) {
        const auto beyond = limits::script_headroom + 20;
        std::vector<chain::Transaction> steps;
        for (std::uint32_t index = 19; index < beyond + 100; index += 20)
            steps.push_back(pay(index, 1'000 + index));
        const auto last = coin(steps.back());
        if (!rising) std::reverse(steps.begin(), steps.end());
        steps.push_back(ChainBuilder::spend({last}, {to_stranger(700)}));
        another_world(rising ? 4 : 5);
        const auto& block = chain.mine(chain.genesis().hash, {.transactions = steps});
        without_bloom(chain.mine_empty(block.hash, 3).hash);
        sync(whole);
        expect_right();
        EXPECT_EQ(stored()->ledger().size(), steps.size()) << (rising ? "rising" : "falling");
    }
}

TEST_F(WholeBlocks, FollowAReorganisationDuringTheScan) {
    const auto tip = busy_chain();
    const auto& fork = chain.ancestor(tip, 60);
    auto other = chain.mine(fork.hash, {.transactions = {pay(2, 777), pay(300, 888)}}).hash;
    other = chain.mine_empty(other, 120).hash;
    for (const std::int64_t after_ms : {20, 60, 120, 250, 400}) {
        another_world(static_cast<std::uint64_t>(after_ms));
        auto& served = without_bloom(tip);
        world->set_delay(5, 15);
        world->at(after_ms, [&] { served.set_tip(other, world->now_ms()); });
        sync(whole);
        world->run_for(after_ms);
        sync(whole);
        expect_right(other, undone(tip));
    }
}

TEST_F(WholeBlocks, MayHoldAnHonestTransactionOf64Bytes) {
    chain::Transaction small;
    small.inputs.push_back(
        {.prevout = {chain::hash256(Bytes{1}), 0}, .script_sig = {}, .witness = {}});
    small.outputs.push_back({5'000, Bytes(4, 0x51)});
    ASSERT_EQ(serialize(small).size(), 64U);
    const auto& block = chain.mine(chain.genesis().hash, {.transactions = {pay(0), small, pay(1)}});
    without_bloom(block.hash);
    sync(whole);
    expect_right(block.hash);
    EXPECT_EQ(balance().confirmed, 200'000);
}

TEST_F(WholeBlocks, NeedTheBlocksThatAreAskedForAndNoMore) {
    const auto tip = busy_chain();
    auto& pruned = node(tip, {{"pruned"}});
    auto& full = without_bloom(tip);
    sync(whole);
    expect_right(tip);
    EXPECT_FALSE(dropped(full, DropReason::useless));
    EXPECT_FALSE(dropped(pruned, DropReason::useless)) << "150 blocks are what it has";
}

TEST_F(WholeBlocks, ComeFromAnotherPeerWhenOneStops) {
    const auto tip = busy_chain();
    for (const char* fault : {"stalls-after", "closes-after", "skips-blocks", "over-upload-limit",
                              "block-alters-transaction"}) {
        SCOPED_TRACE(fault);
        another_world(9);
        auto& first = node(tip, {{fault}});
        auto& second = without_bloom(tip);
        sync(whole);
        expect_right(tip);
        EXPECT_EQ(dropped(first, DropReason::bad_block),
                  std::string_view(fault) == "block-alters-transaction");
        EXPECT_FALSE(dropped(second, DropReason::bad_block));
    }
}

TEST_F(WholeBlocks, AreWaitedForWhileTheyTrickle) {
    std::vector<chain::Transaction> large;
    for (int i = 0; i < 6; ++i)
        large.push_back(chain.pay({{1, Bytes(9'000, 0x6a)}}));
    large.push_back(pay(3));
    const auto& block = chain.mine(chain.genesis().hash, {.transactions = large});
    auto& slow = without_bloom(block.hash);
    world->set_line(slow, {.bytes_per_second = 2'000}); // half a minute for it
    sync(whole);
    expect_right(block.hash);
    EXPECT_GT(world->now_ms(), limits::stall_timeout_ms + 10'000);
}

// ------------------------------------------------------------------------------------- pending

TEST_F(WholeBlocks, TakePendingPaymentsThatAreAnnounced) {
    const auto tip = busy_chain();
    auto& served = without_bloom(tip);
    const auto paid = pay(4, 4'321);
    const auto stranger = chain.pay({to_stranger(8)});
    auto config = whole;
    config.follow = true;
    world->start(config);
    world->run_for(20'000);
    served.add_to_mempool(stranger, world->now_ms());
    served.add_to_mempool(paid, world->now_ms());
    world->run_for(20'000);
    world->stop(errc::stopped);
    ASSERT_TRUE(world->run());
    expect_right(tip, {paid});
    EXPECT_EQ(stored()->ledger().find(chain::txid(stranger)), nullptr);
    EXPECT_TRUE(said_nothing_of_bip37());
    for (const auto& version : all_said<p2p::Version>())
        EXPECT_TRUE(version.relay) << "else nothing is announced";
}

TEST_F(WholeBlocks, AskForTheMempoolOnlyWhereThatIsServed) {
    const auto tip = busy_chain();
    const auto paid = pay(4, 4'321);
    auto& served = node(tip, {}, true);
    served.add_to_mempool(paid, 0);
    sync(whole);
    expect_right(tip, {paid});
    EXPECT_FALSE(all_said<p2p::Mempool>().empty());
    EXPECT_TRUE(all_said<bip37::FilterLoad>().empty());
}

// ----------------------------------------------------------------------- every fault there is

/// The faults of faults_test.cpp again, in this mode: what concerns filters does not show, the
/// rest costs what it costs there.
class WholeBlocksAndFaults : public WholeBlocks,
                             public testing::WithParamInterface<std::string_view> {};

TEST_P(WholeBlocksAndFaults, CreditNothingFalseAlone) {
    const auto tip = busy_chain();
    node(tip, {{std::string(GetParam())}});
    world->start(whole);
    ASSERT_TRUE(world->run()) << "it does not end\n" << story();
    for (const auto& entry : stored()->ledger().history(0)) {
        if (entry.status != wallet::TxStatus::confirmed) continue;
        const auto& block = chain.ancestor(tip, *entry.height);
        EXPECT_NE(std::ranges::find(block.txids, entry.txid), block.txids.end());
    }
    EXPECT_TRUE(all_said<bip37::FilterLoad>().empty());
    // A run that ends well has all of it: nothing can be left out.
    if (!world->outcome()->error && GetParam() != "old-tip") expect_right(tip);
}

TEST_P(WholeBlocksAndFaults, AreRightBesideAnHonestPeer) {
    if (GetParam() == "endless-headers")
        GTEST_SKIP() << "its chain has the most work, so it is the best one by Bitcoin's own rule";
    const auto tip = busy_chain();
    for (const bool faulty_first : {true, false}) {
        another_world(faulty_first ? 11 : 12);
        const std::vector<regtest::FaultChoice> faults{{std::string(GetParam())}};
        if (faulty_first) node(tip, faults);
        auto& honest = without_bloom(tip);
        if (!faulty_first) node(tip, faults);
        sync(whole);
        expect_right(tip);
        for (const auto drop : world->drops(honest))
            EXPECT_FALSE(sync::is_ban(drop)) << to_string(drop) << "\n" << story();
    }
}

std::vector<std::string_view> every_fault() {
    std::vector<std::string_view> names;
    for (const auto& fault : regtest::all_faults())
        names.push_back(fault.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Each, WholeBlocksAndFaults, testing::ValuesIn(every_fault()),
                         [](const auto& each) {
                             std::string name(each.param);
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST_F(WholeBlocks, AreCheckedByThemselves) {
    const auto tip = busy_chain();
    node(tip);
    sync(whole);
    EXPECT_EQ(stored()->checked_to(), stored()->scan().height);
    node(tip);
    sync();
    EXPECT_EQ(statistics().scanned_blocks, 0) << "two peers have nothing to look at again";
}

TEST_F(WholeBlocks, CheckWhatFilteredOnesLeftUnchecked) {
    const auto tip = busy_chain();
    auto& liar = node(tip, {{"matches-nothing"}});
    sync();
    EXPECT_EQ(stored()->ledger().size(), 0u) << "it was lied to";
    world->set_reachable(liar, false);
    node(tip);
    sync({.whole_blocks = true, .cross_check = std::nullopt});
    EXPECT_LT(stored()->checked_to(), stored()->scan().height) << "nobody asked for that";
    sync(whole);
    expect_right(tip);
    EXPECT_EQ(stored()->checked_to(), stored()->scan().height);
    EXPECT_EQ(statistics().omissions, 1) << "which tells that the earlier run was lied to";
}

} // namespace
} // namespace headlight::tests
