// Scripts spread over several filters, and whole blocks, where peers and lines are bad: what one
// part suffers must neither show a part to another group, nor cost the others more than waiting.
#include "bip37/messages.hpp"
#include "sync/parts.hpp"
#include "tests/sim/engine/simulated.hpp"

#include <set>

namespace headlight::tests {
namespace {

class PartsUnderAttack : public Simulated {
  protected:
    /// Blocks full of payments that do not concern us, and now and then one that does.
    chain::Hash256 busy_chain(int blocks, int strangers) {
        auto tip = chain.genesis().hash;
        for (int block = 0; block < blocks; ++block) {
            BlockPlan plan;
            for (int i = 0; i < strangers; ++i)
                plan.transactions.push_back(chain.pay({to_stranger(1'000 + i)}));
            if (block % 10 == 9)
                plan.transactions.push_back(pay(static_cast<std::uint32_t>(block / 10) % 20));
            tip = chain.mine(tip, std::move(plan)).hash;
        }
        return tip;
    }

    /// The groups as a run of these peers, in this order, leaves or finds them.
    std::map<std::string, std::uint32_t> groups() { return stored()->filter().groups; }
};

// A peer that has seen its part's filter belongs to that part for good, whatever happens to us
// right after.
TEST_F(PartsUnderAttack, APeersGroupIsStoredBeforeItSeesAFilter) {
    const auto tip = busy_chain(20, 2);
    for (int i = 0; i < 4; ++i)
        node(tip);
    change_filter([](auto&) {});
    int shown = 0;
    world->on_action = [&](const sync::Action& action) {
        const auto* send = std::get_if<sync::action::Send>(&action);
        if (!send || !std::holds_alternative<bip37::FilterLoad>(send->message)) return;
        ++shown;
        EXPECT_EQ(groups().size(), 4u);
    };
    sync({.split = 2});
    EXPECT_GE(shown, 2);
}

TEST_F(PartsUnderAttack, NobodySeesAFilterWhenTheGroupsCannotBeStored) {
    const auto tip = busy_chain(20, 2);
    node(tip), node(tip);
    change_filter([](auto&) {});
    int shown = 0;
    world->on_action = [&](const sync::Action& action) {
        const auto* send = std::get_if<sync::action::Send>(&action);
        shown += send && std::holds_alternative<bip37::FilterLoad>(send->message);
    };
    world->on_persist = [](const auto&) {
        return Error{errc::disk_full, "the disk is full", "a test", "Wait"};
    };
    sync_fails(errc::disk_full, {.split = 2});
    EXPECT_EQ(shown, 0);
}

// Answers that have no room wait for the parts behind: asking for them over and over would cost
// the peer's bandwidth, and ours. The room is one for all parts: two have 8 MB each.
TEST_F(PartsUnderAttack, AnswersWithoutRoomAreAskedForAgainAndNotOverAndOver) {
    const int blocks = 60;
    auto tip = chain.genesis().hash;
    for (int block = 0; block < blocks; ++block) { // of 1 MB each
        BlockPlan plan;
        for (int i = 0; i < 10; ++i)
            plan.transactions.push_back(chain.pay(Bytes(100'000, 0x51), 1'000));
        tip = chain.mine(tip, std::move(plan)).hash;
    }
    auto& slow = node(tip);
    node(tip, {{"matches-all"}});
    change_filter([](auto&) {});
    world->start({.split = 2, .cross_check = {}});
    world->clog(slow, 12'000);
    ASSERT_TRUE(world->run()) << story();
    ASSERT_FALSE(world->outcome()->error) << to_string(*world->outcome()->error) << story();
    expect_right(tip);
    EXPECT_GE(statistics().rescanned_blocks, blocks - 8);
    EXPECT_LT(statistics().rescanned_blocks, 2 * blocks);
}

// A node that leaves blocks out is asked again within the same window as ever.
TEST_F(PartsUnderAttack, WhatIsMissingIsAskedForInBatches) {
    const auto tip = busy_chain(700, 0);
    for (const bool whole : {false, true}) {
        new_world(whole);
        node(tip, {{whole ? "ignores-blocks" : "ignores-filtered"}});
        std::size_t most = 0;
        world->on_action = [&](const sync::Action& action) {
            const auto* send = std::get_if<sync::action::Send>(&action);
            if (!send) return;
            if (const auto* getdata = std::get_if<p2p::GetData>(&send->message))
                most = std::max(most, getdata->entries.size());
        };
        sync_fails(errc::not_found, {.whole_blocks = whole});
        EXPECT_EQ(most, static_cast<std::size_t>(whole ? limits::whole_batch_blocks
                                                       : limits::scan_batch_blocks));
    }
}

// A run with one peer checks nothing, and so must not take for checked what an earlier one left.
TEST_F(PartsUnderAttack, WhatNobodyCheckedStaysUncheckedOverRunsWithOnePeer) {
    const auto tip = busy_chain(30, 0);
    for (const std::uint32_t shards : {1, 3}) {
        new_world(shards);
        auto& liar = node(tip, {{"matches-nothing"}});
        change_filter([&](auto& filter) { filter.shards = shards; });
        for (int run = 0; run < 2; ++run)
            sync({.peers = {world->endpoint(liar)}});
        EXPECT_EQ(balance().confirmed, 0);
        node(tip);
        sync();
        expect_right(tip);
        EXPECT_TRUE(dropped(liar, sync::DropReason::omission)) << story();
    }
}

// A service whose peer of one part is gone for hours waits for it: quietly, with the other part's
// answers kept, and it goes on when the peer is back, reorganised meanwhile.
TEST_F(PartsUnderAttack, APartWhoseOnlyPeerIsGoneForHoursIsWaitedFor) {
    const auto fork = busy_chain(20, 0);
    auto& stays = node(fork);
    auto& goes = node(fork);
    change_filter([](auto&) {});
    world->start({.split = 2, .follow = true});
    world->run_for(20'000);
    ASSERT_EQ(statistics().height, 20) << story();
    world->set_dark(goes, true);
    stays.set_tip(chain.mine(fork, {.transactions = {pay(3)}}).hash, world->now_ms());
    world->run_for(3'600'000);
    auto tip = chain.mine(fork, {.transactions = {pay(4)}}).hash;
    tip = chain.mine(tip, {.transactions = {pay(5)}}).hash;
    stays.set_tip(tip, world->now_ms());
    const auto actions = world->trace().size();
    world->run_for(3'600'000);
    EXPECT_LT(world->trace().size() - actions, 3'000u) << "it waits";
    EXPECT_EQ(statistics().height, 20);
    world->set_dark(goes, false);
    goes.set_tip(tip, world->now_ms());
    world->run_for(150'000);
    EXPECT_EQ(statistics().height, 22) << story();
    world->stop(errc::stopped);
    ASSERT_TRUE(world->run());
    expect_right(tip);
}

// Nobody asked for witnesses, and no root covers them: a peer may send as many as it likes. They
// take room like everything else, while the block that comes next is held back.
TEST_F(PartsUnderAttack, WitnessesOfWholeBlocksTakeRoom) {
    const auto tip = chain.mine_empty(chain.genesis().hash, 60).hash;
    const auto branch = chain.branch(tip);
    const auto wallet = stored();
    sync::Engine engine(regtest_network(), world->disk().headers, *wallet,
                        {.peers = {{"liar", 18444}}, .seed = 1, .whole_blocks = true});
    std::set<chain::Hash256> asked;
    const auto tell = [&](const sync::Event& event) {
        std::deque<sync::Event> events{event};
        while (!events.empty()) {
            const auto actions = engine.on(events.front(), {1'000, 1'700'000'000});
            events.pop_front();
            for (const auto& action : actions) {
                if (const auto* persist = std::get_if<sync::action::Persist>(&action))
                    events.push_front(sync::event::Stored{persist->id});
                const auto* send = std::get_if<sync::action::Send>(&action);
                const auto* getdata = send ? std::get_if<p2p::GetData>(&send->message) : nullptr;
                if (!getdata) continue;
                for (const auto& entry : getdata->entries)
                    asked.insert(entry.hash);
            }
        }
    };
    tell(sync::event::Started{});
    tell(sync::event::Connected{1});
    p2p::Version version;
    version.version = p2p::protocol_version;
    version.services = p2p::services::network;
    version.start_height = 60;
    version.nonce = 77;
    tell(sync::event::Received{1, version});
    tell(sync::event::Received{1, p2p::Verack{}});
    p2p::Headers headers;
    for (const auto* block : branch)
        if (block->height > 0) headers.headers.push_back(block->header);
    tell(sync::event::Received{1, headers});
    ASSERT_FALSE(asked.empty());
    for (const auto* block : branch) {
        if (block->height < 2 || !asked.contains(block->hash)) continue;
        p2p::Block message{block->header, block->transactions};
        message.transactions[0].inputs[0].witness = {Bytes(3'000'000, 1)};
        tell(sync::event::Received{1, message});
    }
    EXPECT_LE(asked.size(), 30u) << "what comes before the first block is kept, without end";
}

} // namespace
} // namespace headlight::tests
