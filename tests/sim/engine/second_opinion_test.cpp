// A second opinion in bad company: peers that are lost, pruned, behind, slow or back again must
// neither keep what a liar hid from being found nor hold up the end of a run.
#include "bip37/messages.hpp"
#include "tests/sim/engine/simulated.hpp"

#include <algorithm>

namespace headlight::tests {
namespace {

using sync::DropReason;

constexpr std::int64_t hour_ms = 3'600'000;
const chain::Hash256 any_block{};

class SecondOpinion : public Simulated {
  protected:
    void another_world(std::uint64_t seed) {
        new_world(seed);
        seen_ = 0;
        planned_.clear();
    }
    /// A payment in the midst of 61 blocks.
    chain::Hash256 paid_once() {
        const auto below = chain.mine_empty(chain.genesis().hash, 30).hash;
        const auto paid = chain.mine(below, {.transactions = {pay(0)}}).hash;
        return chain.mine_empty(paid, 30).hash;
    }
    /// The first block pays, `blocks` empty ones follow.
    chain::Hash256 paid_first(int blocks) {
        const auto paid = chain.mine(chain.genesis().hash, {.transactions = {pay(0)}}).hash;
        return chain.mine_empty(paid, blocks).hash;
    }
    /// Of two payments to us one is spent without change and one with change, five times.
    chain::Hash256 busy() {
        auto tip = chain.mine_empty(chain.genesis().hash, 5).hash;
        for (std::uint32_t i = 0; i < 10; i += 2) {
            const auto first = pay(i);
            const auto second = pay(i + 1, 50'000);
            tip = chain.mine(tip, {.transactions = {first, second}}).hash;
            tip = chain.mine_empty(tip, 3).hash;
            tip = chain.mine(tip, {.transactions = {spend(first, to_stranger(9))}}).hash;
            const chain::TxOut change{40'000, script(i, 1)};
            tip = chain.mine(tip, {.transactions = {spend(second, change)}}).hash;
        }
        return tip;
    }
    static chain::Transaction spend(const chain::Transaction& tx, const chain::TxOut& to) {
        return ChainBuilder::spend(std::vector{coin(tx)}, {to});
    }

    /// What happens once so many filtered blocks have come, of all peers together, or this one has.
    void after_blocks(int count, std::function<void()> what) {
        planned_.push_back({count, any_block, std::move(what)});
        watch_blocks();
    }
    void when_shown(const chain::Hash256& block, std::function<void()> what) {
        planned_.push_back({0, block, std::move(what)});
        watch_blocks();
    }
    void lose(SimNode& node) { world->set_reachable(node, false); }
    void bring_back(SimNode& node) { world->set_reachable(node, true); }

    void follow_for(std::int64_t ms, std::optional<double> share = 0) {
        world->start({.cross_check = share, .follow = true});
        world->run_for(ms);
    }
    /// A block that pays us reaches all of these.
    chain::Hash256 next_block(const chain::Hash256& tip, const std::vector<SimNode*>& nodes,
                              const chain::Transaction& tx) {
        const auto next = chain.mine(tip, {.transactions = {tx}}).hash;
        for (auto* each : nodes)
            each->set_tip(next, world->now_ms());
        return next;
    }
    bool told_a_block() const {
        return std::ranges::any_of(world->notices(), [](const auto& notice) {
            return std::holds_alternative<sync::notice::Block>(notice);
        });
    }
    void expect_stops_well() {
        world->stop(errc::stopped);
        ASSERT_TRUE(world->run(10'000)) << story();
        EXPECT_FALSE(world->outcome()->error) << to_string(*world->outcome()->error);
    }

  private:
    struct Planned {
        int count = 0;
        chain::Hash256 block;
        std::function<void()> what;
    };

    void watch_blocks() {
        world->on_event = [this](const sync::Event& event) {
            const auto* received = std::get_if<sync::event::Received>(&event);
            const auto* block =
                received ? std::get_if<bip37::MerkleBlock>(&received->message) : nullptr;
            if (block) seen(chain::hash_of(block->header));
        };
    }
    void seen(const chain::Hash256& block) {
        ++seen_;
        for (auto it = planned_.begin(); it != planned_.end();) {
            if (it->count != seen_ && it->block != block) {
                ++it;
                continue;
            }
            world->at(world->now_ms(), std::move(it->what));
            it = planned_.erase(it);
        }
    }

    int seen_ = 0;
    std::vector<Planned> planned_;
};

// ------------------------------------------------------------------------- peers that are lost

TEST_F(SecondOpinion, AScannerThatClosesAtTheTipIsCheckedAllTheSame) {
    const auto tip = paid_once();
    for (const bool comes_back : {false, true}) {
        SCOPED_TRACE(comes_back);
        another_world(7);
        world->set_delay(10, 20);
        auto& liar = node(tip, {{"matches-nothing"}});
        node(tip);
        when_shown(tip, [&] {
            lose(liar);
            if (comes_back) world->at(world->now_ms() + 400, [&] { bring_back(liar); });
        });
        sync();
        expect_right(tip);
    }
}

TEST_F(SecondOpinion, AScannerThatClosesAfterAnyMessageIsCheckedAllTheSame) {
    const auto tip = paid_once();
    for (std::int64_t messages = 60; messages < 76; ++messages) {
        SCOPED_TRACE(messages);
        another_world(7);
        node(tip, {{"matches-nothing"}, {"closes-after", messages}});
        node(tip);
        sync();
        expect_right(tip);
    }
}

TEST_F(SecondOpinion, AScannerLostInMidScanIsCheckedAllTheSame) {
    const auto tip = paid_first(1'500);
    world->set_delay(10, 20);
    auto& liar = node(tip, {{"matches-nothing"}});
    node(tip);
    after_blocks(450, [&] { lose(liar); });
    sync({.cross_check = 1.0});
    expect_right(tip);
}

TEST_F(SecondOpinion, AnHonestPeerThatComesAndGoesIsStillHeard) {
    const auto tip = busy();
    for (const bool liar_first : {true, false}) {
        for (const auto* fault : {"matches-nothing", "hides-spends", "no-auto-update"}) {
            for (std::int64_t lost_at = 60; lost_at < 1'500; lost_at += 120) {
                SCOPED_TRACE(fault + std::to_string(lost_at) + (liar_first ? " first" : " second"));
                another_world(static_cast<std::uint64_t>(lost_at));
                world->set_delay(5, 60);
                if (liar_first) node(tip, {{fault}});
                auto& honest = node(tip);
                if (!liar_first) node(tip, {{fault}});
                world->at(lost_at, [&] { lose(honest); });
                world->at(lost_at + 200, [&] { bring_back(honest); });
                sync({.cross_check = 1.0});
                expect_right(tip);
            }
        }
    }
}

TEST_F(SecondOpinion, APeerLostInItsFirstHandshakeIsWaitedFor) {
    const auto tip = paid_once();
    world->set_delay(20, 30);
    node(tip, {{"matches-nothing"}});
    auto& honest = node(tip);
    world->at(60, [&] { lose(honest); });
    world->at(70, [&] { bring_back(honest); });
    sync();
    expect_right(tip);
}

TEST_F(SecondOpinion, AServiceIsAtTheTipThoughItsFirstScannerIsGone) {
    const auto tip = chain.mine_empty(paid_once(), 300).hash;
    world->set_delay(10, 20);
    auto& first = node(tip, {}, true);
    auto& second = node(tip, {}, true);
    when_shown(tip, [&] { lose(first); });
    follow_for(600'000);
    next_block(tip, {&second}, pay(3));
    world->run_for(20'000);
    EXPECT_TRUE(told_a_block()) << story();
    expect_stops_well();
}

// ------------------------------------------------------------------- what counts, and for how long

TEST_F(SecondOpinion, ALiarIsNoSecondOpinionOnItsOwnEarlierRun) {
    const auto tip = paid_once();
    auto& liar = node(tip, {{"matches-nothing"}});
    sync();
    EXPECT_EQ(balance().confirmed, 0);
    auto& honest = node(tip);
    sync({.peers = {world->endpoint(honest), world->endpoint(liar)}});
    expect_right(tip);
}

TEST_F(SecondOpinion, WhatALiarCheckedIsCheckedAgain) {
    const auto first = pay(0);
    auto tip = chain.mine(chain.genesis().hash, {.transactions = {first}}).hash;
    tip = chain.mine_empty(tip, 300).hash;
    tip = chain.mine(tip, {.transactions = {spend(first, to_stranger(9))}}).hash;
    tip = chain.mine(tip, {.transactions = {pay(1, 50'000)}}).hash;
    tip = chain.mine_empty(tip, 10).hash;
    auto& hides_spends = node(tip, {{"hides-spends"}});
    auto& hides_all = node(tip, {{"matches-nothing"}});
    node(tip);
    sync();
    expect_right(tip);
    EXPECT_TRUE(dropped(hides_spends, DropReason::omission)) << story();
    EXPECT_TRUE(dropped(hides_all, DropReason::omission)) << story();
}

TEST_F(SecondOpinion, OneLiarOfAnyKindIsFoundWhereverItStands) {
    const auto tip = busy();
    for (const double share : {0.0, 1.0}) {
        for (const auto* fault :
             {"matches-nothing", "hides-spends", "no-auto-update", "keeps-first-filter"}) {
            for (int place = 0; place < 3; ++place) {
                SCOPED_TRACE(fault + std::to_string(place));
                another_world(static_cast<std::uint64_t>(place) + 1);
                for (int i = 0; i < 3; ++i)
                    i == place ? node(tip, {{fault}}) : node(tip);
                sync({.cross_check = share});
                expect_right(tip);
            }
        }
    }
}

TEST_F(SecondOpinion, TwoLiarsThatDoNotKnowEachOtherAreBothFound) {
    const auto tip = busy();
    const std::vector<const char*> kinds{"hides-spends", "no-auto-update", "keeps-first-filter",
                                         "matches-nothing"};
    for (const auto* one : kinds) {
        for (const auto* other : kinds) {
            for (int honest = 0; honest < 3 && one != other; ++honest) {
                SCOPED_TRACE(std::string(one) + " " + other + std::to_string(honest));
                another_world(5);
                if (honest == 0) node(tip);
                node(tip, {{one}});
                if (honest == 1) node(tip);
                node(tip, {{other}});
                if (honest == 2) node(tip);
                sync({.cross_check = 1.0});
                expect_right(tip);
            }
        }
    }
}

TEST_F(SecondOpinion, UpToAHeightIsCheckedToo) {
    const auto tip = paid_once();
    node(tip, {{"matches-nothing"}});
    node(tip);
    sync({.until_height = 61});
    expect_right(tip);
}

TEST_F(SecondOpinion, ABanIsKeptOnlyOnceTheWalletHasSteppedBack) {
    auto tip = paid_first(3'500);
    tip = chain.mine(tip, {.transactions = {pay(1)}}).hash;
    tip = chain.mine_empty(tip, 50).hash;
    world->set_delay(150, 160);
    auto& liar = node(tip, {{"matches-nothing"}});
    auto& honest = node(tip);
    world->on_action = [&](const sync::Action& action) {
        if (std::holds_alternative<sync::action::KeepBan>(action))
            world->at(world->now_ms(), [&] { world->crash(); });
    };
    world->start();
    world->run();
    world->on_action = {};
    ASSERT_EQ(world->disk().bans.size(), 1U);
    sync({.peers = {world->endpoint(liar), world->endpoint(honest)}, .bans = world->disk().bans});
    expect_right(tip);
}

TEST_F(SecondOpinion, ACrashForgetsNothingThatIsStillToBeChecked) {
    const auto tip = paid_first(5'000);
    world->set_delay(150, 160);
    node(tip, {{"matches-nothing"}});
    auto& honest = node(tip);
    after_blocks(1, [&] {
        world->partition(honest, 3'000);
        world->at(world->now_ms() + 1'300, [&] { world->crash(); });
    });
    world->start({.cross_check = 1.0});
    world->run();
    ASSERT_FALSE(world->running());
    ASSERT_GT(stored()->scan().height, 1);
    EXPECT_EQ(balance().confirmed, 0);
    sync({.cross_check = 1.0});
    expect_right(tip);
}

TEST_F(SecondOpinion, WhatCouldNotBeKeptForTheCheckIsCountedAsUnchecked) {
    const auto tip = paid_first(8'000);
    world->set_delay(10, 20);
    node(tip);
    auto& other = node(tip);
    after_blocks(1, [&] { lose(other); });
    after_blocks(7'500, [&] { bring_back(other); });
    sync({.cross_check = 1.0});
    EXPECT_GT(statistics().cross_checked, 0);
    EXPECT_EQ(statistics().cross_checked + statistics().unchecked, 8'001) << story();
}

// ------------------------------------------------------------------- nothing waits without hope

TEST_F(SecondOpinion, ACheckerThatHasFewOfTheBlocksHoldsUpNothing) {
    const auto low = chain.mine_empty(chain.genesis().hash, 100).hash;
    const auto tip = chain.mine_empty(low, 6'500).hash;
    node(tip);
    node(low);
    sync({.cross_check = 1.0});
    expect_right(tip);
    EXPECT_EQ(statistics().cross_checked, 100);
}

TEST_F(SecondOpinion, PeersThatChangePlacesComeToAnEnd) {
    const auto tip = chain.mine_empty(chain.genesis().hash, 9'000).hash;
    world->set_delay(60, 70);
    auto& first = node(tip);
    auto& second = node(tip);
    lose(second);
    after_blocks(4'500, [&] {
        lose(first);
        bring_back(second);
        world->at(world->now_ms() + 1, [&] { bring_back(first); });
    });
    sync({.cross_check = 1.0});
    expect_right(tip);
}

TEST_F(SecondOpinion, AServiceWhosePeersChangePlacesGoesOn) {
    auto tip = chain.mine_empty(chain.genesis().hash, 4'500).hash;
    auto& first = node(tip, {}, true);
    auto& second = node(tip, {}, true);
    lose(second);
    follow_for(60'000, 1.0);
    lose(first);
    bring_back(second);
    world->run_for(120'000);
    bring_back(first);
    world->run_for(120'000);
    for (std::uint32_t i = 0; i < 4; ++i) {
        tip = next_block(tip, {&first, &second}, pay(i));
        world->run_for(600'000);
    }
    expect_right(tip);
}

TEST_F(SecondOpinion, AServiceIsAtTheTipBesideACheckerThatFails) {
    const auto tip = paid_once();
    for (const auto* fault :
         {"over-upload-limit", "ignores-filtered", "no-pongs", "stalls-after"}) {
        SCOPED_TRACE(fault);
        another_world(5);
        auto& good = node(tip, {}, true);
        node(tip, {{fault}}, true);
        follow_for(600'000);
        next_block(tip, {&good}, pay(3));
        world->run_for(20'000);
        EXPECT_TRUE(told_a_block()) << story();
        expect_stops_well();
    }
}

TEST_F(SecondOpinion, ADribblingCheckerHoldsUpTheEndForMinutesOnly) {
    const auto tip = chain.mine_empty(paid_once(), 300).hash;
    for (const bool third : {false, true}) {
        SCOPED_TRACE(third);
        another_world(3);
        node(tip);
        auto& slow = node(tip);
        if (third) node(tip);
        when_shown(tip, [&] { world->set_line(slow, {.bytes_per_second = 15}); });
        world->start();
        EXPECT_TRUE(world->run(300'000)) << story();
    }
}

TEST_F(SecondOpinion, ADribblingCheckerKeepsTheScanFromNobodyElse) {
    const auto tip = chain.mine_empty(paid_once(), 3'000).hash;
    world->set_delay(10, 20);
    auto& first = node(tip);
    auto& slow = node(tip);
    node(tip);
    after_blocks(600, [&] { world->set_line(slow, {.bytes_per_second = 15}); });
    after_blocks(1'000, [&] { lose(first); });
    world->start({.cross_check = 1.0});
    world->run(120'000);
    EXPECT_EQ(statistics().height, chain.find(tip)->height) << story();
}

TEST_F(SecondOpinion, ACheckerThatGetsFurtherEachTimeIsNotGivenUp) {
    const auto tip = paid_once();
    for (const auto& fault :
         {regtest::FaultChoice{"closes-after", 20}, regtest::FaultChoice{"skips-blocks", 10}}) {
        SCOPED_TRACE(fault.name);
        another_world(3);
        node(tip);
        node(tip, {fault});
        sync();
        expect_right(tip);
        EXPECT_EQ(statistics().unchecked, 0) << story();
    }
}

TEST_F(SecondOpinion, AnHonestPeerOnALighterBranchChecksWhatItShares) {
    const auto base = paid_once();
    const auto tip = chain.mine_empty(base, 20).hash;
    const auto side = chain.mine_empty(base, 18).hash;
    for (const bool follows : {false, true}) {
        SCOPED_TRACE(follows);
        another_world(4);
        node(tip, {}, true);
        node(side, {}, true);
        if (follows) {
            follow_for(hour_ms / 2);
            expect_stops_well();
        } else {
            sync();
        }
        EXPECT_GE(statistics().cross_checked, 61) << story();
    }
}

// ---------------------------------------------------------------------------------- pruned peers

TEST_F(SecondOpinion, APrunedPeerChecksTheBlocksThatItHas) {
    auto tip = chain.mine_empty(chain.genesis().hash, 1'000).hash;
    tip = chain.mine(tip, {.transactions = {pay(0)}}).hash;
    tip = chain.mine_empty(tip, 50).hash;
    node(tip);
    auto& pruned = node(tip, {{"pruned"}});
    sync({.cross_check = 1.0});
    expect_right(tip);
    EXPECT_EQ(statistics().cross_checked, limits::pruned_depth);
    EXPECT_EQ(world->drops(pruned), std::vector{DropReason::done}) << story();
}

TEST_F(SecondOpinion, BesideAPrunedPeerALiarIsCaughtAndTheRunFails) {
    auto tip = chain.mine_empty(chain.genesis().hash, 1'000).hash;
    tip = chain.mine(tip, {.transactions = {pay(0)}}).hash;
    tip = chain.mine_empty(tip, 50).hash;
    for (const double share : {0.0, 1.0}) {
        SCOPED_TRACE(share);
        another_world(9);
        auto& liar = node(tip, {{"matches-nothing"}});
        node(tip, {{"pruned"}});
        sync_fails(errc::bad_peer, {.cross_check = share});
        EXPECT_NE(world->outcome()->error->message.find("left out"), std::string::npos);
        EXPECT_TRUE(dropped(liar, DropReason::omission)) << story();
        EXPECT_EQ(balance().confirmed, 100'000) << "which the pruned one has proven";
        EXPECT_EQ(stored()->scan().height, 0);
    }
}

// ------------------------------------------------------------------------------------------ bans

TEST_F(SecondOpinion, ALiarWhoseBanHasEndedIsBannedAgain) {
    const auto first = pay(0);
    auto tip = chain.mine_empty(chain.genesis().hash, 10).hash;
    tip = chain.mine(tip, {.transactions = {first}}).hash;
    tip = chain.mine(tip, {.transactions = {spend(first, to_stranger(9))}}).hash;
    auto& liar = node(tip, {{"hides-spends"}}, true);
    auto& honest = node(tip, {}, true);
    const auto bans = [&] {
        const auto drops = world->drops(liar);
        return std::count(drops.begin(), drops.end(), DropReason::omission);
    };
    follow_for(10'000);
    EXPECT_EQ(bans(), 1);
    world->run_for(limits::regtest_ban_seconds * 1'000);
    const auto second = pay(1);
    tip = next_block(tip, {&honest, &liar}, second);
    world->run_for(5'000);
    tip = next_block(tip, {&honest, &liar}, spend(second, to_stranger(9)));
    world->run_for(2'000);
    EXPECT_EQ(bans(), 2) << story();
    const auto scanned = statistics().scanned_blocks;
    world->run_for(20'000);
    EXPECT_EQ(statistics().scanned_blocks, scanned) << "it goes round in circles\n" << story();
    expect_right(tip);
}

TEST_F(SecondOpinion, OfTwoBansOfOnePeerTheLongerOneCounts) {
    const auto tip = paid_once();
    auto& banned = node(tip, {}, true);
    node(tip, {}, true);
    const auto where = world->endpoint(banned);
    const auto now = banned.config().unix_at_zero;
    world->start(
        {.bans = {{where, now + 500, "long"}, {where, now + 20, "short"}}, .follow = true});
    world->run_for(60'000);
    expect_stops_well();
    EXPECT_TRUE(world->drops(banned).empty()) << "it was dialled";
}

TEST_F(SecondOpinion, ABanWithoutEndIsHeeded) {
    const auto tip = paid_once();
    auto& banned = node(tip, {}, true);
    node(tip, {}, true);
    sync({.bans = {{world->endpoint(banned), INT64_MAX, "for ever"}}});
    EXPECT_TRUE(world->drops(banned).empty()) << "it was dialled";
    EXPECT_EQ(statistics().cross_checked, 0);
}

TEST_F(SecondOpinion, AServiceWhoseOnlyPeerIsBannedEnds) {
    auto& liar = node(paid_once(), {{"wrong-root"}}, true);
    sync_fails(errc::bad_peer, {.follow = true});
    EXPECT_TRUE(dropped(liar, DropReason::bad_merkleblock));
}

TEST_F(SecondOpinion, TwoPeersThatAreBothBehindComeToAnEnd) {
    const auto low = paid_once();
    const auto tip = chain.mine_empty(low, 7).hash;
    node(tip);
    sync({.until_height = 10}); // all headers are stored
    world->set_delay(10, 20);
    auto& first = node(low);
    auto& second = node(low);
    const auto peers = std::vector{world->endpoint(first), world->endpoint(second)};
    sync_fails(errc::not_found, {.peers = peers});
    EXPECT_EQ(stored()->scan().height, 61);
}

} // namespace
} // namespace headlight::tests
