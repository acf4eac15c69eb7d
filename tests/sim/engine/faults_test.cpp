// What each peer behaviour costs: docs/outcomes.md, fault by fault. Alone the client ends by
// itself, with the cause or with the right balance; beside an honest peer the balance is always
// right.
#include "tests/sim/engine/simulated.hpp"
#include "tests/support/vectors.hpp"

#include <fstream>
#include <map>
#include <sstream>

namespace headlight::tests {
namespace {

using regtest::Fault;

enum class Alone {
    right,  ///< exits well, with the right balance
    behind, ///< the same for the lower half of the chain, which is all it has
    fails,  ///< ends within a minute, with a cause; nothing false credited
    hidden  ///< it lies by omission, which no proof shows: ends, and may show less than there is
};

struct Cost {
    Alone alone{};
    std::optional<sync::DropReason> drop{}; ///< how the faulty peer is ended at least once, alone
};

const std::map<std::string_view, Cost>& costs() {
    using enum sync::DropReason;
    static const std::map<std::string_view, Cost> table{
        {"bad-work", {Alone::fails, bad_headers}},
        {"wrong-bits", {Alone::fails, bad_headers}},
        {"negative-target", {Alone::fails, bad_headers}},
        {"overflowing-target", {Alone::fails, bad_headers}},
        {"median-time", {Alone::fails, bad_headers}},
        {"unlinked-headers", {Alone::fails, bad_headers}},
        {"too-many-headers", {Alone::fails}}, // the decoder's limit: the frame is refused
        {"future-header", {Alone::fails}},
        {"endless-headers", {Alone::fails, headers_limit}},
        {"lighter-branch", {Alone::right}},
        {"competing-branches", {Alone::right}},
        {"old-tip", {Alone::behind}},
        {"headers-flood", {Alone::right}},
        {"floating-headers", {Alone::fails, headers_limit}},
        {"wrong-root", {Alone::fails, bad_merkleblock}},
        {"extra-hash", {Alone::fails, bad_merkleblock}},
        {"missing-hash", {Alone::fails, bad_merkleblock}},
        {"extra-flags", {Alone::fails, bad_merkleblock}},
        {"no-transactions", {Alone::fails, bad_merkleblock}},
        {"absurd-count", {Alone::fails, bad_merkleblock}},
        {"padding-bits", {Alone::right}},
        {"altered-header", {Alone::fails, refused_blocks}},
        {"inner-node-as-leaf", {Alone::fails, refused_blocks}},
        {"another-block", {Alone::fails, refused_blocks}},
        {"duplicated-subtree", {Alone::fails, bad_merkleblock}},
        {"omits-transaction", {Alone::fails, refused_blocks}},
        {"altered-transaction", {Alone::fails, refused_blocks}},
        {"early-transactions", {Alone::right}},
        {"late-transactions", {Alone::right}},
        {"twice", {Alone::right}},
        {"not-sent-again", {Alone::right}},
        {"loose-transaction", {Alone::right}},
        {"unasked-merkleblock", {Alone::right}},
        {"matches-all", {Alone::right}},
        {"matches-nothing", {Alone::hidden}},
        {"hides-spends", {Alone::hidden}},
        {"no-auto-update", {Alone::hidden}},
        {"keeps-first-filter", {Alone::hidden}},
        {"silent", {Alone::fails, handshake}},
        {"no-verack", {Alone::fails, handshake}},
        {"verack-first", {Alone::fails, handshake}},
        {"second-version", {Alone::right}}, // ignored, as Bitcoin Core does
        {"own-nonce", {Alone::fails, handshake}},
        {"no-bloom", {Alone::fails, useless}},
        {"pruned", {Alone::fails, useless}},
        {"old-version", {Alone::fails, handshake}},
        {"huge-height", {Alone::right}},
        {"silent-after-handshake", {Alone::fails, stalled}},
        {"no-headers", {Alone::fails, stalled}},
        {"closes-after", {Alone::right}}, // a little further each time
        {"over-upload-limit", {Alone::fails}},
        {"ignores-filtered", {Alone::fails, refused_blocks}},
        {"skips-blocks", {Alone::right}},
        {"stalls-after", {Alone::fails, stalled}},
        {"no-pongs", {Alone::fails, stalled}},
        {"inv-flood", {Alone::right}},
        {"ping-flood", {Alone::right}},
        {"addr-flood", {Alone::right}},
        {"unknown-flood", {Alone::right}},
        {"transaction-flood", {Alone::right}},
        {"chatter", {Alone::right}},
        {"chatter-for-ever", {Alone::fails, stalled}},
        {"phantom-blocks", {Alone::right}},
        {"noise", {Alone::fails}},
        {"wrong-magic", {Alone::fails}},
        {"huge-frame", {Alone::fails}},
        {"wrong-checksum", {Alone::fails}},
        {"long-frame", {Alone::fails}},
        {"invalid-transaction", {Alone::fails}},
        {"unpadded-command", {Alone::fails}},
        {"truncated-payload", {Alone::fails}},
        {"one-byte-a-second", {Alone::fails, handshake}},
        {"slow", {Alone::right}},
        {"block-lacks-transaction", {Alone::fails, bad_block}},
        {"block-adds-transaction", {Alone::fails, bad_block}},
        {"block-alters-transaction", {Alone::fails, bad_block}},
        {"block-swaps-transactions", {Alone::fails, bad_block}},
        {"block-of-another", {Alone::fails, bad_block}},
        {"block-without-transactions", {Alone::fails, bad_block}},
        {"block-repeats-subtree", {Alone::fails, bad_block}},
        {"block-of-another-header", {Alone::fails, refused_blocks}},
        {"ignores-blocks", {Alone::fails, refused_blocks}},
        {"blocks-not-found", {Alone::fails, refused_blocks}},
        {"blocks-twice", {Alone::right}},
        {"blocks-reversed", {Alone::right}},
        {"unasked-block", {Alone::right}},
        {"block-too-large", {Alone::fails}},
    };
    return table;
}

class Faults : public Simulated, public testing::WithParamInterface<std::string_view> {
  protected:
    /// 430 blocks (more than a pruned node serves) with payments, spends and steps of the gap.
    void build_chain() {
        auto& miner = honest_miner();
        for (std::uint32_t i = 0; i < 14; ++i) {
            const auto received = pay(i, 100'000 + i);
            auto stranger = chain.pay({to_stranger(5), to_stranger(6)});
            miner.mine(0, {.transactions = {stranger, received}});
            miner.set_tip(chain.mine_empty(miner.tip().hash, 28).hash, 0);
            if (i % 3 == 2) continue;
            const auto to = i % 3 == 0 ? chain::TxOut{99'000 - i, script(i, 1)} : to_stranger(9);
            miner.mine(0, {.transactions = {ChainBuilder::spend({coin(received)}, {to})}});
        }
        // By steps of the gap beyond what the first filter holds.
        for (std::uint32_t index = 33; index <= limits::script_headroom + 60; index += 20)
            miner.mine(0, {.transactions = {pay(index)}});
        tip_ = miner.tip().hash;
    }
    SimNode& honest_miner() {
        if (!miner_) miner_ = std::make_unique<SimNode>(chain);
        return *miner_;
    }
    SimNode& add(std::vector<regtest::FaultChoice> faults) {
        SimNodeConfig config;
        config.faults = std::move(faults);
        auto& node = world->add_node(std::move(config));
        node.set_tip(tip_, 0);
        return node;
    }

    std::unique_ptr<SimNode> miner_;
    chain::Hash256 tip_;
};

TEST_P(Faults, AloneCostsWhatTheTableSays) {
    build_chain();
    auto& node = add({{std::string(GetParam())}});
    const auto cost = costs().at(GetParam());
    world->start({.whole_blocks = regtest::find_fault(GetParam())->whole_blocks});
    ASSERT_TRUE(world->run(cost.alone == Alone::fails ? 60'000 : 600'000)) << "it does not end\n"
                                                                           << story();
    ASSERT_TRUE(world->outcome());
    const auto& error = world->outcome()->error;
    if (cost.alone == Alone::fails) {
        ASSERT_TRUE(error) << story();
        EXPECT_FALSE(error->message.empty() || error->cure.empty());
    } else {
        ASSERT_FALSE(error) << to_string(*error) << "\n" << story();
    }
    if (cost.alone == Alone::right) expect_right(tip_);
    if (cost.alone == Alone::behind)
        expect_right(honest_miner().active().at(node.active().size() / 2)->hash);
    if (cost.drop) {
        const auto drops = world->drops(node);
        EXPECT_NE(std::find(drops.begin(), drops.end(), *cost.drop), drops.end()) << story();
    }
    // Nothing false is credited: every confirmed transaction is in its block on the honest chain.
    for (const auto& entry : stored()->ledger().history(0)) {
        if (entry.status != wallet::TxStatus::confirmed) continue;
        const auto& block = chain.ancestor(tip_, *entry.height);
        EXPECT_NE(std::find(block.txids.begin(), block.txids.end(), entry.txid), block.txids.end());
    }
    EXPECT_LE(world->most_side_headers(), limits::max_side_headers);
}

TEST_P(Faults, BesideAnHonestPeerTheBalanceIsRight) {
    build_chain();
    const auto cost = costs().at(GetParam());
    if (GetParam() == "endless-headers") {
        GTEST_SKIP() << "its chain has the most work, so it is the best one by Bitcoin's own rule";
    }
    const std::vector<regtest::FaultChoice> honest;
    const std::vector<regtest::FaultChoice> faulty{{std::string(GetParam())}};
    for (const bool faulty_first : {true, false}) {
        SCOPED_TRACE(faulty_first);
        new_world(faulty_first ? 5 : 6);
        auto& first = add(faulty_first ? faulty : honest);
        auto& second = add(faulty_first ? honest : faulty);
        sync({.whole_blocks = regtest::find_fault(GetParam())->whole_blocks, .cross_check = 1.0});
        expect_right(tip_);
        if (cost.alone == Alone::hidden && faulty_first) { // the second may have nothing to hide
            EXPECT_GT(world->engine().statistics().omissions, 0);
        }
        for (const auto drop : world->drops(faulty_first ? second : first))
            EXPECT_FALSE(sync::is_ban(drop)) << to_string(drop) << " of the honest one\n"
                                             << story();
    }
}

std::vector<std::string_view> names() {
    std::vector<std::string_view> all;
    for (const auto& fault : regtest::all_faults())
        all.push_back(fault.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Each, Faults, testing::ValuesIn(names()), [](const auto& each) {
    std::string name(each.param);
    for (auto& c : name) {
        if (c == '-') c = '_';
    }
    return name;
});

TEST(FaultTable, EveryFaultHasItsCost) {
    for (const auto name : names())
        EXPECT_TRUE(costs().contains(name)) << name;
    for (const auto& [name, cost] : costs()) {
        EXPECT_NE(regtest::find_fault(name), nullptr) << name;
    }
}

/// The table rows of docs/outcomes.md that end with a fault's name, as their columns.
std::vector<std::vector<std::string>> documented_rows(std::string_view fault) {
    std::ifstream file(source_folder() / "docs/outcomes.md");
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream columns(line);
        std::vector<std::string> row;
        for (std::string column; std::getline(columns, column, '|');)
            row.push_back(column);
        if (row.size() > 5 && row[5].find("`" + std::string(fault) + "`") != std::string::npos)
            rows.push_back(std::move(row));
    }
    return rows;
}

std::string_view alone_text(Alone alone) {
    switch (alone) {
    case Alone::right:
        return " right";
    case Alone::behind:
        return " right for what it has";
    case Alone::fails:
        return " fails";
    case Alone::hidden:
        break;
    }
    return " **may show less than there is**";
}

std::string_view enumerator(sync::DropReason reason) {
    using enum sync::DropReason;
    static const std::map<sync::DropReason, std::string_view> names{
        {bad_headers, "`bad_headers`"},
        {bad_merkleblock, "`bad_merkleblock`"},
        {bad_block, "`bad_block`"},
        {bad_transaction, "`bad_transaction`"},
        {omission, "`omission`"},
        {useless, "`useless`"},
        {handshake, "`handshake`"},
        {stalled, "`stalled`"},
        {flood, "`flood`"},
        {headers_limit, "`headers_limit`"},
        {refused_blocks, "`refused_blocks`"},
        {done, "`done`"}};
    return names.at(reason);
}

TEST(FaultTable, IsWhatTheDocumentSays) {
    for (const auto& [name, cost] : costs()) {
        const auto rows = documented_rows(name);
        ASSERT_EQ(rows.size(), 1U) << name << " has one row in docs/outcomes.md";
        EXPECT_TRUE(rows[0][4].starts_with(alone_text(cost.alone))) << name << ":" << rows[0][4];
        if (!cost.drop) continue;
        EXPECT_NE(rows[0][3].find(enumerator(*cost.drop)), std::string::npos)
            << name << ":" << rows[0][3];
        const bool ban = rows[0][2].find("ban") != std::string::npos;
        EXPECT_EQ(sync::is_ban(*cost.drop), ban) << name << ":" << rows[0][2];
    }
}

} // namespace
} // namespace headlight::tests
