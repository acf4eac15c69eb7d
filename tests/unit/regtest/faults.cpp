// Each fault does what it says, and only that.
#include "bip37/messages.hpp"
#include "bip37/relevance.hpp"
#include "chain/header_tree.hpp"
#include "chain/limits.hpp"
#include "chain/memory_archive.hpp"
#include "chain/merkle.hpp"
#include "chain/script.hpp"
#include "p2p/framing.hpp"
#include "tests/unit/regtest/dialogue.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace headlight;
using namespace headlight::regtest;
using namespace headlight::tests;

namespace {

const Bytes program(20, 7);
const Bytes ours = chain::witness_script(0, program);

/// A chain of 5 blocks, each paying us twice beside a stranger (so that 3 transactions follow
/// the coinbase: 4, or with one more stranger 5), served by a node with one fault.
struct FaultyScene {
    explicit FaultyScene(const std::string& fault, int strangers = 1) : node(chain, config(fault)) {
        for (int i = 0; i < 5; ++i) {
            BlockPlan plan;
            for (int j = 0; j < strangers; ++j)
                plan.transactions.push_back(chain.pay(Bytes{0x51}, 1));
            plan.transactions.push_back(chain.pay(ours, 1'000));
            plan.transactions.push_back(chain.pay(ours, 2'000));
            node.mine(0, plan);
        }
    }

    static SimNodeConfig config(const std::string& fault) {
        SimNodeConfig config;
        if (!fault.empty()) config.faults.push_back(parse_fault(fault).value());
        return config;
    }

    std::vector<Outgoing> block(Dialogue& client, std::size_t height) {
        return client.say_raw(
            p2p::GetData{{{p2p::InvType::filtered_block, node.active()[height]->hash}}});
    }

    ChainBuilder chain;
    SimNode node;
};

p2p::Message whole_block(const FaultyScene& scene, std::size_t height) {
    return p2p::GetData{{{p2p::InvType::block, scene.node.active()[height]->hash}}};
}

struct Answered {
    result<bip37::ExtractedMatches> proof;
    std::vector<chain::Hash256> txids;
    bool merkleblock_first = false;
};

Answered read(const std::vector<Outgoing>& answer) {
    Answered read{Error{errc::not_found, "no merkleblock"}, {}, false};
    for (const auto& outgoing : answer) {
        const auto* message = std::get_if<p2p::Message>(&outgoing);
        if (!message) continue;
        if (const auto* merkle = std::get_if<bip37::MerkleBlock>(message)) {
            read.merkleblock_first = read.txids.empty();
            read.proof = bip37::verify(*merkle);
        } else if (const auto* tx = std::get_if<p2p::Tx>(message)) {
            read.txids.push_back(txid(tx->transaction));
        }
    }
    return read;
}

Answered answered(const std::string& fault, int strangers = 1) {
    FaultyScene scene(fault, strangers);
    Dialogue client(scene.node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    return read(scene.block(client, 3));
}

chain::HeaderVerdict verdict(const std::string& fault) {
    FaultyScene scene(fault);
    Dialogue client(scene.node);
    client.shake_hands();
    chain::MemoryArchive archive;
    chain::HeaderTree tree(scene.chain.network(), archive);
    const auto answer = client.say(p2p::GetHeaders{70016, {scene.chain.genesis().hash}, {}});
    auto worst = chain::HeaderVerdict::extended;
    for (const auto& headers : all_of<p2p::Headers>(answer))
        for (const auto& header : headers.headers)
            if (const auto report = tree.accept(header, 1'700'000'000);
                report.verdict != chain::HeaderVerdict::extended)
                worst = report.verdict;
    return worst;
}

std::optional<p2p::FrameFault> frame_fault(const std::string& fault) {
    FaultyScene scene(fault);
    Dialogue client(scene.node);
    auto& session = client.session;
    p2p::FrameReader reader(scene.chain.network());
    const auto say = [&](const p2p::Message& message) {
        for (const auto& outgoing : client.say_raw(message)) {
            if (const auto* whole = std::get_if<p2p::Message>(&outgoing))
                reader.feed(encode_frame(scene.chain.network(), *whole));
            if (const auto* raw = std::get_if<RawBytes>(&outgoing)) reader.feed(raw->bytes);
        }
    };
    say(p2p::Version{});
    say(p2p::Verack{});
    for (int i = 0; i < 5 && !session.closed(); ++i)
        say(p2p::GetHeaders{70016, {scene.chain.genesis().hash}, {}});
    for (;;) {
        const auto next = reader.next();
        if (!next) return next.error().fault;
        if (!*next) return std::nullopt;
    }
}

} // namespace

TEST(Faults, HaveNamesThatAreTheirOwnAndAFigureThatCanBeChosen) {
    std::set<std::string_view> names;
    for (const auto& fault : all_faults()) {
        EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
        EXPECT_FALSE(fault.does.empty()) << fault.name;
    }
    EXPECT_GT(names.size(), 50U);
    EXPECT_EQ(parse_fault("closes-after:7").value().n, 7);
    EXPECT_FALSE(parse_fault("closes-after").value().n);
    EXPECT_FALSE(parse_fault("closes-after:"));
    EXPECT_FALSE(parse_fault("closes-after:7x"));
    EXPECT_FALSE(parse_fault("unheard-of"));
}

TEST(Faults, BreakTheRuleOfHeadersThatTheyName) {
    using chain::HeaderVerdict;
    EXPECT_EQ(verdict(""), HeaderVerdict::extended);
    for (const auto* fault :
         {"bad-work", "wrong-bits", "negative-target", "overflowing-target", "median-time"})
        EXPECT_EQ(verdict(fault), HeaderVerdict::invalid) << fault;
    EXPECT_EQ(verdict("future-header"), HeaderVerdict::too_early);
    EXPECT_EQ(verdict("unlinked-headers"), HeaderVerdict::unlinked);
    EXPECT_EQ(verdict("floating-headers"), HeaderVerdict::unlinked);
    EXPECT_EQ(verdict("endless-headers"), HeaderVerdict::extended);
}

TEST(Faults, SendMoreHeadersThanAMessageMayHold) {
    FaultyScene scene("too-many-headers");
    Dialogue client(scene.node);
    client.shake_hands();
    const auto answer = client.say(p2p::GetHeaders{70016, {scene.chain.genesis().hash}, {}});
    EXPECT_EQ(all_of<p2p::Headers>(answer).at(0).headers.size(),
              limits::max_headers_per_message + 1);
}

TEST(Faults, NeverRunOutOfEndlessHeadersThatLink) {
    FaultyScene scene("endless-headers");
    Dialogue client(scene.node);
    client.shake_hands();
    auto last = scene.chain.genesis().hash;
    for (int i = 0; i < 3; ++i) {
        const auto answer = client.say(p2p::GetHeaders{70016, {last}, {}});
        const auto headers = all_of<p2p::Headers>(answer).at(0).headers;
        ASSERT_EQ(headers.size(), limits::max_headers_per_message);
        ASSERT_EQ(headers.front().previous, last);
        last = hash_of(headers.back());
    }
}

TEST(Faults, MakeProofsThatFail) {
    EXPECT_TRUE(answered("").proof);
    for (const auto* fault : {"extra-hash", "missing-hash", "extra-flags", "no-transactions",
                              "absurd-count", "wrong-root"})
        EXPECT_FALSE(answered(fault).proof) << fault;
    // 4 transactions have no duplicated form (pitfalls B1), 5 and 6 have.
    EXPECT_TRUE(answered("duplicated-subtree", 1).proof);
    EXPECT_FALSE(answered("duplicated-subtree", 2).proof);
    EXPECT_FALSE(answered("duplicated-subtree", 3).proof);
    EXPECT_TRUE(answered("padding-bits").proof) << "tolerated, as Bitcoin Core reads it";
}

TEST(Faults, ChangeTheTransactionsBehindAMerkleblock) {
    const auto honest = answered("");
    ASSERT_EQ(honest.txids.size(), 2U);
    EXPECT_TRUE(honest.merkleblock_first);
    EXPECT_EQ(answered("omits-transaction").txids.size(), 1U);
    EXPECT_EQ(answered("omits-transaction:1").txids.size(), 2U);
    EXPECT_EQ(answered("twice").txids.size(), 4U);
    EXPECT_FALSE(answered("early-transactions").merkleblock_first);
    EXPECT_EQ(answered("loose-transaction").txids.size(), 3U);
    const auto altered = answered("altered-transaction");
    EXPECT_EQ(altered.txids.size(), 2U);
    EXPECT_NE(altered.txids[1], altered.proof.value().matches[1].txid);
}

TEST(Faults, ChangeWhatMatches) {
    EXPECT_EQ(answered("matches-all").proof.value().matches.size(), 4U);
    EXPECT_TRUE(answered("matches-nothing").proof.value().matches.empty());

    FaultyScene scene("no-auto-update");
    const auto& paid = *scene.node.active()[5];
    BlockPlan plan;
    plan.transactions = {ChainBuilder::spend({{paid.txids[2], 0}}, {{900, Bytes{0x51}}})};
    scene.node.mine(0, plan);
    Dialogue client(scene.node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_EQ(read(scene.block(client, 5)).txids.size(), 2U);
    EXPECT_TRUE(read(scene.block(client, 6)).txids.empty());
}

TEST(Faults, HideSpendsAndShowPayments) {
    FaultyScene scene("hides-spends");
    BlockPlan plan;
    plan.transactions = {ChainBuilder::spend({{scene.node.tip().txids[2], 0}}, {{900, ours}})};
    scene.node.mine(0, plan);
    Dialogue client(scene.node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_EQ(read(scene.block(client, 5)).txids.size(), 2U);
    EXPECT_TRUE(read(scene.block(client, 6)).txids.empty());
}

TEST(Faults, SendTransactionsLateButBeforeThePong) {
    FaultyScene scene("late-transactions");
    Dialogue client(scene.node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    EXPECT_TRUE(read(scene.block(client, 1)).txids.empty());
    const auto next = read(scene.block(client, 2));
    EXPECT_TRUE(next.merkleblock_first);
    EXPECT_EQ(next.txids.at(0), scene.node.active()[1]->txids[2]);
    const auto fence = client.say(p2p::Ping{9});
    ASSERT_EQ(fence.size(), 3U);
    EXPECT_EQ(fence.back(), p2p::Message(p2p::Pong{9}));
}

TEST(Faults, LeaveOutATransactionRelayedBefore) {
    FaultyScene scene("not-sent-again");
    const auto tx = scene.chain.pay(ours, 5);
    scene.node.add_to_mempool(tx, 0);
    Dialogue client(scene.node);
    client.shake_hands();
    client.say(bip37::FilterLoad{filter_of({program})});
    client.wait(5'000);
    EXPECT_EQ(client.say(p2p::GetData{{{p2p::InvType::tx, txid(tx)}}}).size(), 1U);
    scene.node.mine(client.now_ms);
    client.heard();
    const auto answer = read(scene.block(client, 6));
    EXPECT_EQ(answer.proof.value().matches.size(), 1U);
    EXPECT_TRUE(answer.txids.empty());
}

TEST(Faults, FailTheHandshake) {
    const auto handshake = [](const std::string& fault) {
        FaultyScene scene(fault);
        Dialogue client(scene.node);
        return client.shake_hands();
    };
    EXPECT_TRUE(handshake("silent").empty());
    EXPECT_TRUE(all_of<p2p::Verack>(handshake("no-verack")).empty());
    EXPECT_TRUE(std::holds_alternative<p2p::Verack>(handshake("verack-first").at(0)));
    EXPECT_EQ(all_of<p2p::Version>(handshake("second-version")).size(), 2U);
    EXPECT_EQ(all_of<p2p::Version>(handshake("own-nonce")).at(0).nonce, 77U);
    EXPECT_EQ(all_of<p2p::Version>(handshake("old-version")).at(0).version, 70'002);
    EXPECT_FALSE(all_of<p2p::Version>(handshake("no-bloom")).at(0).services & p2p::services::bloom);
    EXPECT_FALSE(all_of<p2p::Version>(handshake("pruned")).at(0).services & p2p::services::network);
    EXPECT_EQ(all_of<p2p::Version>(handshake("huge-height")).at(0).start_height, 2'000'000'000);
    EXPECT_TRUE(all_of<p2p::Version>(handshake("noise")).empty());
    EXPECT_GT(handshake("chatter").size(), handshake("").size() + 10);
}

TEST(Faults, BreakFramesInTheWayTheyName) {
    EXPECT_EQ(frame_fault(""), std::nullopt);
    EXPECT_EQ(frame_fault("wrong-magic"), p2p::FrameFault::wrong_magic);
    EXPECT_EQ(frame_fault("noise"), p2p::FrameFault::wrong_magic);
    EXPECT_EQ(frame_fault("wrong-checksum"), p2p::FrameFault::bad_checksum);
    EXPECT_EQ(frame_fault("huge-frame"), p2p::FrameFault::too_large);
    EXPECT_EQ(frame_fault("unpadded-command"), p2p::FrameFault::bad_command);
    EXPECT_EQ(frame_fault("truncated-payload"), p2p::FrameFault::malformed);
}

TEST(Faults, StopServingInTheWayTheyName) {
    const auto served = [](const std::string& fault, bool& closed) {
        FaultyScene scene(fault);
        Dialogue client(scene.node);
        client.shake_hands();
        client.say(bip37::FilterLoad{filter_of({program})});
        int blocks = 0;
        for (std::size_t height = 1; height <= 5; ++height)
            blocks += read(scene.block(client, height)).proof ? 1 : 0;
        closed = client.session.closed();
        return blocks;
    };
    bool closed = false;
    EXPECT_EQ(served("", closed), 5);
    EXPECT_EQ(served("skips-blocks:2", closed), 3);
    EXPECT_FALSE(closed);
    EXPECT_EQ(served("stalls-after:2", closed), 2);
    EXPECT_FALSE(closed);
    EXPECT_EQ(served("ignores-filtered", closed), 0);
    EXPECT_FALSE(closed);
    EXPECT_EQ(served("over-upload-limit", closed), 0);
    EXPECT_TRUE(closed);
    EXPECT_LT(served("closes-after:6", closed), 5);
    EXPECT_TRUE(closed);
}

TEST(Faults, ChangeWholeBlocksSoThatTheyDoNotHold) {
    const auto cause = [](const std::string& fault, int strangers = 1) {
        FaultyScene scene(fault, strangers);
        Dialogue client(scene.node);
        client.shake_hands();
        const auto blocks = all_of<p2p::Block>(client.say(whole_block(scene, 3)));
        const auto& block = blocks.at(0);
        const auto tree = chain::verify_block(block.header.merkle_root, block.transactions);
        return tree ? std::string() : tree.error().cause;
    };
    EXPECT_EQ(cause(""), "");
    for (const auto* fault :
         {"block-lacks-transaction", "block-adds-transaction", "block-alters-transaction",
          "block-swaps-transactions", "block-of-another"})
        EXPECT_TRUE(cause(fault).starts_with("its transactions lead to the root")) << fault;
    EXPECT_EQ(cause("block-repeats-subtree", 1), "") << "4 transactions have no such form";
    EXPECT_NE(cause("block-repeats-subtree", 2).find("CVE-2012-2459"), std::string::npos);
    EXPECT_EQ(cause("block-without-transactions"), "it has no transactions");
    EXPECT_EQ(cause("block-of-another-header"), "") << "it holds, under a header of its own";
}

TEST(Faults, SendWholeBlocksOtherwiseThanAskedFor) {
    const auto served = [](const std::string& fault) {
        FaultyScene scene(fault);
        Dialogue client(scene.node);
        client.shake_hands();
        std::vector<chain::Hash256> hashes;
        const auto hear = [&](const std::vector<p2p::Message>& heard) {
            for (const auto& block : all_of<p2p::Block>(heard))
                hashes.push_back(hash_of(block.header));
        };
        hear(client.say(whole_block(scene, 1)));
        hear(client.say(whole_block(scene, 2)));
        hear(client.say(p2p::Ping{7}));
        std::vector<std::int32_t> heights;
        for (const auto& hash : hashes) {
            const auto* block = scene.chain.find(hash);
            heights.push_back(block ? block->height : -1);
        }
        return heights;
    };
    using Heights = std::vector<std::int32_t>;
    EXPECT_EQ(served(""), (Heights{1, 2}));
    EXPECT_EQ(served("no-bloom"), (Heights{1, 2}));
    EXPECT_EQ(served("blocks-twice"), (Heights{1, 1, 2, 2}));
    EXPECT_EQ(served("unasked-block"), (Heights{1, 0, 2, 0}));
    EXPECT_EQ(served("blocks-reversed"), (Heights{2, 1}));
    EXPECT_EQ(served("block-of-another-header"), (Heights{-1, -1}));
    EXPECT_EQ(served("skips-blocks:2"), (Heights{1}));
    for (const auto* fault : {"ignores-blocks", "blocks-not-found", "over-upload-limit"})
        EXPECT_EQ(served(fault), Heights{}) << fault;
}

TEST(Faults, AnnounceAWholeBlockThatIsTooLarge) {
    FaultyScene scene("block-too-large");
    Dialogue client(scene.node);
    client.shake_hands();
    const auto answer = client.say_raw(whole_block(scene, 1));
    p2p::FrameReader reader(scene.chain.network());
    reader.feed(std::get<RawBytes>(answer.at(0)).bytes);
    EXPECT_EQ(reader.next().error().fault, p2p::FrameFault::too_large);
}

TEST(Faults, FloodEverySecond) {
    for (const auto* fault : {"inv-flood:2", "ping-flood:2", "addr-flood:2", "unknown-flood:2",
                              "transaction-flood:2"}) {
        FaultyScene scene(fault);
        Dialogue client(scene.node);
        client.shake_hands();
        EXPECT_LE(client.session.next_wake_ms().value(), 1'000) << fault;
        EXPECT_EQ(client.wait(1'000).size(), 2U) << fault;
        EXPECT_TRUE(client.wait(500).empty()) << fault;
        EXPECT_EQ(client.wait(500).size(), 2U) << fault;
    }
}
