// The simulated network itself: how lines fail, how clients end, and that a seed says it all.
#include "tests/sim/engine/simulated.hpp"

#include <algorithm>

namespace headlight::tests {
namespace {

using regtest::LineQuality;

class World : public Simulated {
  protected:
    /// 130 blocks; every tenth pays, or spends what another one paid.
    void build_chain() {
        auto tip = chain.genesis().hash;
        for (std::uint32_t i = 0; i < 13; ++i) {
            const auto received = pay(i);
            tip = chain.mine(tip, {.transactions = {received}}).hash;
            tip = chain.mine_empty(tip, 8).hash;
            const auto spend = ChainBuilder::spend({coin(received)}, {{5'000, script(i, 1)}});
            tip = chain.mine(tip, {.transactions = {spend}}).hash;
        }
        tip_ = tip;
    }
    SimNode& add(SimNodeConfig config = {}) {
        auto& node = world->add_node(std::move(config));
        node.set_tip(tip_, 0);
        return node;
    }
    void count_losses() {
        world->on_event = [this](const sync::Event& event) {
            losses_ += std::holds_alternative<sync::event::Disconnected>(event);
        };
    }
    std::int64_t time_to_sync() {
        const auto begun = world->now_ms();
        sync();
        return world->now_ms() - begun;
    }
    void forget_everything() {
        make_wallet({account()});
        world->disk().headers = {};
    }

    chain::Hash256 tip_;
    int losses_ = 0;
};

// Bytes

TEST_F(World, CarriesSingleBytes) {
    build_chain();
    world->set_line(add(), {.least_piece = 1, .most_piece = 1});
    sync();
    expect_right(tip_);
}

TEST_F(World, LosesConnectionsAtAnyByte) {
    build_chain();
    for (const std::uint64_t bytes : {0, 1, 23, 24, 25, 130, 500, 3'000, 10'000, 18'000}) {
        SCOPED_TRACE(bytes);
        new_world(bytes + 1);
        auto& node = add();
        count_losses();
        world->cut_after(node, bytes);
        sync();
        EXPECT_EQ(losses_, 1);
        expect_right(tip_);
        losses_ = 0;
    }
}

TEST_F(World, LimitsBytesASecond) {
    build_chain();
    auto& node = add();
    sync();
    const auto bytes = world->engine().statistics().bytes_received;
    forget_everything();
    world->set_line(node, {.bytes_per_second = 20'000});
    const auto limited_ms = time_to_sync();
    EXPECT_NEAR(static_cast<double>(limited_ms), static_cast<double>(bytes) / 20, 300.0);
    expect_right(tip_);
}

TEST_F(World, MixesWhatDifferentPeersSay) {
    build_chain();
    auto& slow = add();
    auto& fast = add();
    world->set_line(slow, {.least_delay_ms = 200, .most_delay_ms = 300});
    world->set_line(fast, {.least_delay_ms = 1, .most_delay_ms = 2});
    std::vector<sync::PeerId> connected;
    world->on_event = [&](const sync::Event& event) {
        if (const auto* it = std::get_if<sync::event::Connected>(&event))
            connected.push_back(it->peer);
    };
    sync();
    EXPECT_EQ(connected, (std::vector<sync::PeerId>{2, 1})) << "the one asked last answers first";
    expect_right(tip_);
}

// Silence

TEST_F(World, KeepsWhatAPartitionHoldsUp) {
    build_chain();
    auto& node = add();
    count_losses();
    world->at(12, [&] { world->partition(node, 9'000); });
    EXPECT_GT(time_to_sync(), 9'000);
    EXPECT_EQ(losses_, 0) << "nobody is told";
    EXPECT_EQ(world->drops(node), std::vector{sync::DropReason::done});
    expect_right(tip_);
}

TEST_F(World, AnswersNoAttemptInAPartition) {
    build_chain();
    auto& node = add();
    world->partition(node, 12'000);
    EXPECT_GT(time_to_sync(), 12'000);
    expect_right(tip_);
}

TEST_F(World, ClogsTowardsTheClientOnly) {
    build_chain();
    auto& node = add();
    world->start({.follow = true});
    world->run_for(5'000);
    world->clog(node, 4'000);
    const auto payment = chain.pay(script(14), 1'000);
    node.mine(world->now_ms(), {.transactions = {payment}});
    world->run_for(3'900);
    EXPECT_EQ(stored()->ledger().find(chain::txid(payment)), nullptr);
    world->run_for(2'000);
    expect_right(node.tip().hash);
    EXPECT_TRUE(world->drops(node).empty());
}

TEST_F(World, LosesWhatADeafNodeIsSent) {
    build_chain();
    auto& node = add();
    auto& other = add();
    world->set_deaf(node, true);
    sync();
    EXPECT_EQ(world->drops(node).front(), sync::DropReason::handshake)
        << "it accepted, that is all";
    EXPECT_EQ(world->drops(other), std::vector{sync::DropReason::done});
    expect_right(tip_);
}

TEST_F(World, NeverTellsOfADarkNode) {
    build_chain();
    auto& node = add();
    count_losses();
    world->start({.follow = true});
    world->run_for(2'000);
    world->set_dark(node, true);
    world->run_for(50'000);
    EXPECT_TRUE(node.sessions().empty());
    EXPECT_EQ(world->connections(), 1U) << "the client still believes in it";
    EXPECT_EQ(losses_, 0);
    world->run_for(40'000);
    EXPECT_EQ(world->drops(node).front(), sync::DropReason::stalled) << "no pong comes";
    EXPECT_EQ(losses_, 0);
    world->stop(errc::stopped);
}

// Clients

TEST_F(World, CrashesAClientBeforeAnyAction) {
    build_chain();
    add();
    sync();
    const auto all = world->trace().size();
    for (std::size_t last = 0; last < all; ++last) {
        SCOPED_TRACE(last);
        new_world(1);
        add();
        std::size_t left = last;
        world->on_action = [&](const sync::Action&) {
            if (left-- == 0) world->crash();
        };
        world->start();
        ASSERT_TRUE(world->run());
        EXPECT_EQ(world->trace().size(), last + 1);
        EXPECT_FALSE(world->running());
        EXPECT_EQ(world->connections(), 0U);
        world->on_action = {};
        sync();
        expect_right(tip_);
    }
}

TEST_F(World, CrashesAClientInEachStepOfStoring) {
    build_chain();
    for (const int headers_only : {0, 1, 2}) {
        new_world(1);
        add();
        world->on_persist = [&](const auto& persist) -> std::optional<Error> {
            if (headers_only == 1) world->disk().headers.apply(persist.headers);
            if (headers_only == 2) world->disk().apply(persist);
            world->crash();
            return std::nullopt;
        };
        world->start();
        ASSERT_TRUE(world->run());
        EXPECT_FALSE(world->outcome()) << "it never heard of it";
        EXPECT_EQ(world->disk().headers.tip_height(), headers_only > 0 ? 130 : -1);
        world->on_persist = {};
        sync();
        expect_right(tip_);
    }
}

// Seeds

/// A run among everything that a line can do; its actions.
std::vector<std::string> stormy_trace(std::uint64_t seed) {
    ChainBuilder chain;
    SimWorld world(chain, seed);
    const auto made = wallet::Wallet::create(regtest_network(), 1, 0);
    EXPECT_TRUE(made->add(account(), 20, {}, true));
    world.disk().wallet = made->state();
    const auto tip = chain.mine_empty(300).hash;
    std::vector<SimNode*> nodes;
    for (int i = 0; i < 4; ++i) {
        nodes.push_back(&world.add_node());
        nodes.back()->set_tip(tip, 0);
        world.set_line(*nodes.back(), {.least_delay_ms = 1,
                                       .most_delay_ms = 40 + 10 * i,
                                       .most_piece = 300,
                                       .bytes_per_second = 50'000});
    }
    world.cut_after(*nodes[0], 5'000);
    world.at(100, [&] { world.partition(*nodes[1], 2'000); });
    world.at(150, [&] { world.clog(*nodes[2], 900); });
    world.at(200, [&] { world.set_dark(*nodes[3], true); });
    world.at(250, [&] { world.set_deaf(*nodes[0], true); });
    world.at(400, [&] { world.crash(); });
    world.start();
    EXPECT_TRUE(world.run());
    world.start();
    EXPECT_TRUE(world.run());
    return world.trace();
}

TEST(WorldSeed, GivesTheSameActionsAgainAndAnotherOneOthers) {
    const auto once = stormy_trace(1);
    EXPECT_GT(once.size(), 50U);
    EXPECT_EQ(once, stormy_trace(1));
    EXPECT_NE(once, stormy_trace(2));
}

} // namespace
} // namespace headlight::tests
