// The honest simulated node says what Bitcoin Core says (tests/live/node holds it against a real
// one).
#include "bip37/messages.hpp"
#include "chain/limits.hpp"
#include "chain/script.hpp"
#include "tests/unit/regtest/dialogue.hpp"

#include <gtest/gtest.h>

using namespace headlight;
using namespace headlight::regtest;
using namespace headlight::tests;
using p2p::InvType;

namespace {

const Bytes program(20, 7);
const Bytes ours = chain::witness_script(0, program);

struct Scene : testing::Test {
    ChainBuilder chain;
    SimNode node{chain};

    const SimBlock& mine_paying(std::int64_t now_ms = 0) {
        BlockPlan plan;
        plan.transactions = {chain.pay(Bytes{0x51}, 1), chain.pay(ours, 1'000)};
        return node.mine(now_ms, plan);
    }
};

using SimNodeTest = Scene;

p2p::GetData filtered(const chain::Hash256& hash) { return {{{InvType::filtered_block, hash}}}; }

} // namespace

TEST_F(SimNodeTest, ShakesHandsAsBitcoinCoreDoes) {
    node.mine(0);
    Dialogue client(node);
    EXPECT_TRUE(client.say(p2p::Ping{1}).empty()) << "nothing is answered before the version";
    const auto answer = client.shake_hands();
    ASSERT_GE(answer.size(), 4U);
    const auto& version = std::get<p2p::Version>(answer[0]);
    EXPECT_EQ(version.start_height, 1);
    EXPECT_TRUE(version.services & p2p::services::bloom);
    EXPECT_EQ(all_of<p2p::Verack>(answer).size(), 1U);
    EXPECT_EQ(all_of<p2p::Ping>(answer).size(), 1U);
    EXPECT_EQ(all_of<p2p::FeeFilter>(answer).size(), 1U);
    EXPECT_EQ(client.say(p2p::Ping{5}), std::vector<p2p::Message>{p2p::Pong{5}});
    EXPECT_TRUE(client.say(p2p::Ping{}).empty());
    client.say(p2p::SendAddrV2{});
    EXPECT_TRUE(client.session.closed());
}

TEST_F(SimNodeTest, ServesHeadersFromTheLastHashItShares) {
    chain.mine_empty(2'500);
    node.set_tip(chain.newest().hash, 0);
    Dialogue client(node);
    client.shake_hands();
    auto headers =
        all_of<p2p::Headers>(client.say(p2p::GetHeaders{70016, {chain.genesis().hash}, {}}));
    ASSERT_EQ(headers.at(0).headers.size(), limits::max_headers_per_message);
    EXPECT_EQ(headers[0].headers[0], node.active()[1]->header);

    const auto stop = node.active()[2'300]->hash;
    const auto from = node.active()[2'200]->hash;
    headers = all_of<p2p::Headers>(
        client.say(p2p::GetHeaders{70016, {{}, from, chain.genesis().hash}, stop}));
    ASSERT_EQ(headers.at(0).headers.size(), 100U);
    EXPECT_EQ(hash_of(headers[0].headers.back()), stop);

    headers = all_of<p2p::Headers>(client.say(p2p::GetHeaders{70016, {node.tip().hash}, {}}));
    EXPECT_TRUE(headers.at(0).headers.empty()) << "at the tip the answer is an empty message";

    headers = all_of<p2p::Headers>(client.say(p2p::GetHeaders{70016, {}, stop}));
    EXPECT_EQ(hash_of(headers.at(0).headers.at(0)), stop);
    EXPECT_TRUE(client.say(p2p::GetHeaders{70016, {}, {}}).empty());

    client.say(p2p::GetHeaders{70016, std::vector<chain::Hash256>(102), {}});
    EXPECT_TRUE(client.session.closed());
}

TEST_F(SimNodeTest, MeetsFilteredRequestsWithSilenceWithoutAFilter) {
    const auto& block = mine_paying();
    Dialogue client(node);
    client.shake_hands();
    EXPECT_TRUE(client.say(filtered(block.hash)).empty());
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_FALSE(client.say(filtered(block.hash)).empty());
    EXPECT_TRUE(client.say(filtered(chain::Hash256{})).empty()) << "an unknown block";
    client.say(bip37::FilterClear{});
    EXPECT_TRUE(client.say(filtered(block.hash)).empty());
}

TEST_F(SimNodeTest, ServesAFilteredBlockWithItsMatchesStrippedOfWitness) {
    const auto& block = mine_paying();
    Dialogue client(node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    const auto answer = client.say(filtered(block.hash));
    ASSERT_EQ(answer.size(), 2U);
    const auto matches = bip37::verify(std::get<bip37::MerkleBlock>(answer[0])).value();
    ASSERT_EQ(matches.matches.size(), 1U);
    EXPECT_EQ(matches.matches[0].txid, block.txids[2]);
    const auto& tx = std::get<p2p::Tx>(answer[1]).transaction;
    EXPECT_EQ(txid(tx), block.txids[2]);
    EXPECT_FALSE(tx.has_witness());
    EXPECT_TRUE(block.transactions[2].has_witness());
    const auto again = client.say(p2p::GetData{{{InvType::witness_filtered_block, block.hash}}});
    EXPECT_TRUE(std::get<p2p::Tx>(again.at(1)).transaction.has_witness());
}

TEST_F(SimNodeTest, AddsOutpointsToTheFilterByItself) {
    const auto& paying = mine_paying();
    BlockPlan plan;
    plan.transactions = {ChainBuilder::spend({{paying.txids[2], 0}}, {{900, Bytes{0x51}}})};
    const auto& spending = node.mine(0, plan);
    Dialogue client(node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_EQ(client.say(filtered(spending.hash)).size(), 1U) << "the coin is not known yet";
    client.say(filtered(paying.hash));
    EXPECT_EQ(client.say(filtered(spending.hash)).size(), 2U);
    client.say(bip37::FilterLoad{filter_of({program}, bip37::UpdateFlags::none)});
    client.say(filtered(paying.hash));
    EXPECT_EQ(client.say(filtered(spending.hash)).size(), 1U);
}

TEST_F(SimNodeTest, ServesSideBranchesButNotInvalidatedBlocks) {
    const auto& stale = mine_paying();
    const auto& other = chain.mine_empty(chain.genesis().hash, 2);
    node.set_tip(other.hash, 0);
    Dialogue client(node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_EQ(client.say(filtered(stale.hash)).size(), 2U);
    const auto dead = node.tip().hash;
    node.invalidate(node.active()[1]->hash, 0);
    EXPECT_EQ(node.tip().height, 0);
    EXPECT_TRUE(client.say(filtered(dead)).empty());
    EXPECT_EQ(client.say(filtered(stale.hash)).size(), 2U);
}

TEST_F(SimNodeTest, SaysNotFoundBehindTheBlockThatFollows) {
    const auto& block = mine_paying();
    Dialogue client(node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    const p2p::InvEntry unknown{InvType::tx, {}}, wanted{InvType::filtered_block, block.hash};
    const auto answer = client.say(p2p::GetData{{unknown, wanted, wanted}});
    ASSERT_EQ(answer.size(), 5U);
    EXPECT_TRUE(std::holds_alternative<bip37::MerkleBlock>(answer[0]));
    EXPECT_EQ(std::get<p2p::NotFound>(answer[2]).entries, std::vector{unknown});
    EXPECT_TRUE(std::holds_alternative<bip37::MerkleBlock>(answer[3]));
}

TEST_F(SimNodeTest, ClosesAtFiltersOverTheLimits) {
    const auto closes = [&](const p2p::Message& message, bool filter_first = false) {
        Dialogue client(node);
        client.shake_hands();
        if (filter_first) client.say(bip37::FilterLoad{filter_of({program})});
        client.say(message);
        return client.session.closed();
    };
    EXPECT_TRUE(closes(bip37::FilterLoad{{36'001, 1, 0, bip37::UpdateFlags::all}}));
    EXPECT_TRUE(closes(bip37::FilterLoad{{8, 51, 0, bip37::UpdateFlags::all}}));
    EXPECT_FALSE(closes(bip37::FilterLoad{{36'000, 50, 0, bip37::UpdateFlags::all}}));
    EXPECT_TRUE(closes(bip37::FilterAdd{Bytes(10)}));
    EXPECT_FALSE(closes(bip37::FilterAdd{Bytes(520)}, true));
    EXPECT_TRUE(closes(bip37::FilterAdd{Bytes(521)}, true));
}

TEST_F(SimNodeTest, RelaysNothingBeforeTheFilterAndMatchesAfterIt) {
    Dialogue client(node);
    client.shake_hands();
    node.add_to_mempool(chain.pay(ours, 1), 0);
    EXPECT_TRUE(client.wait(5'000).empty());
    client.say(bip37::FilterLoad{filter_of({program})});
    const auto paying = chain.pay(ours, 2);
    node.add_to_mempool(chain.pay(Bytes{0x51}, 2), client.now_ms);
    node.add_to_mempool(paying, client.now_ms);
    EXPECT_TRUE(client.heard().empty()) << "relay waits for the trickle";
    const p2p::GetData wanted{{{InvType::tx, txid(paying)}}};
    EXPECT_EQ(all_of<p2p::NotFound>(client.say(wanted)).size(), 1U) << "not shown before it";
    const auto told = all_of<p2p::Inv>(client.wait(5'000));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].entries, wanted.entries);
    EXPECT_FALSE(std::get<p2p::Tx>(client.say(wanted).at(0)).transaction.has_witness());
    const auto whole = client.say(p2p::GetData{{{InvType::witness_tx, txid(paying)}}});
    EXPECT_EQ(std::get<p2p::Tx>(whole.at(0)).transaction, paying);
}

TEST_F(SimNodeTest, AnswersMempoolAtTheTrickleAndWithNothingWhenNothingMatches) {
    const auto paying = chain.pay(ours, 2);
    node.add_to_mempool(paying, 0);
    Dialogue client(node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_TRUE(client.say(p2p::Mempool{}).empty());
    ASSERT_EQ(client.session.next_wake_ms(), 5'000);
    EXPECT_EQ(all_of<p2p::Inv>(client.wait(5'000)).at(0).entries.at(0).hash, txid(paying));

    client.say(bip37::FilterLoad{filter_of({Bytes(20, 9)})});
    client.say(p2p::Mempool{});
    EXPECT_TRUE(client.wait(5'000).empty());
}

TEST_F(SimNodeTest, AnswersMempoolBeforeTheNextPongUnderNoban) {
    SimNodeConfig config;
    config.noban = true;
    SimNode kind(chain, config);
    kind.add_to_mempool(chain.pay(ours, 2), 0);
    Dialogue client(kind);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_EQ(all_of<p2p::Inv>(client.say(p2p::Mempool{})).size(), 1U);
}

TEST_F(SimNodeTest, AnnouncesSingleBlocksByHeadersAndLongReorganisationsByTheTipsInv) {
    node.set_tip(chain.mine_empty(10).hash, 0);
    Dialogue client(node);
    client.shake_hands();
    node.mine(0);
    EXPECT_EQ(all_of<p2p::Inv>(client.heard()).at(0).entries.at(0).hash, node.tip().hash);

    client.say(p2p::SendHeaders{});
    client.say(p2p::GetHeaders{70016, {node.tip().hash}, {}});
    node.mine(0);
    EXPECT_EQ(all_of<p2p::Headers>(client.heard()).at(0).headers.at(0), node.tip().header);

    // pitfalls C6: 3 replaced by 4 are told by headers, 9 by 10 by one inv.
    auto from = node.active()[9]->hash;
    node.set_tip(chain.mine_empty(from, 4).hash, 0);
    EXPECT_EQ(all_of<p2p::Headers>(client.heard()).at(0).headers.size(), 4U);
    from = node.active()[4]->hash;
    node.set_tip(chain.mine_empty(from, 10).hash, 0);
    const auto heard = client.heard();
    EXPECT_TRUE(all_of<p2p::Headers>(heard).empty());
    EXPECT_EQ(all_of<p2p::Inv>(heard).at(0).entries,
              (std::vector<p2p::InvEntry>{{InvType::block, node.tip().hash}}));
}

TEST_F(SimNodeTest, MovesTransactionsBetweenMempoolAndChain) {
    const auto parent = chain.pay(ours, 1'000);
    const auto child = ChainBuilder::spend({{txid(parent), 0}}, {{900, ours}});
    node.add_to_mempool(parent, 0);
    node.add_to_mempool(child, 0);
    node.mine(0);
    EXPECT_TRUE(node.mempool().empty());
    const auto base = node.active()[0]->hash;
    node.set_tip(chain.mine_empty(base, 2).hash, 0);
    EXPECT_EQ(node.mempool_transactions(), (std::vector{parent, child}));

    BlockPlan plan; // contradicts the parent, so that the child goes with it
    plan.transactions = {ChainBuilder::spend({parent.inputs[0].prevout}, {{5, ours}})};
    node.mine(0, plan);
    EXPECT_TRUE(node.mempool().empty());
}

TEST_F(SimNodeTest, ReplacesWhatANewTransactionContradicts) {
    const auto parent = chain.pay(ours, 1'000);
    const auto child = ChainBuilder::spend({{txid(parent), 0}}, {{900, ours}});
    const auto better = ChainBuilder::spend({parent.inputs[0].prevout}, {{5, ours}});
    node.add_to_mempool(parent, 0);
    node.add_to_mempool(child, 0);
    EXPECT_TRUE(node.add_to_mempool(better, 0));
    EXPECT_FALSE(node.add_to_mempool(better, 0));
    EXPECT_EQ(node.mempool_transactions(), std::vector{better});
}

TEST_F(SimNodeTest, TakesABroadcastAndShowsItToOthersOnly) {
    Dialogue sender(node), other(node);
    sender.shake_hands(true);
    other.shake_hands(true);
    const auto tx = chain.pay(ours, 7);
    const p2p::Inv offer{{{InvType::tx, txid(tx)}}};
    EXPECT_EQ(all_of<p2p::GetData>(sender.say(offer)).at(0).entries, offer.entries);
    sender.say(p2p::Tx{tx});
    EXPECT_TRUE(sender.wait(5'000).empty());
    EXPECT_EQ(all_of<p2p::Inv>(other.wait(5'000)).at(0), offer);
    EXPECT_TRUE(sender.say(offer).empty()) << "known already";
}
