// Scripts spread over several filters: shards on several connections to one peer, and a split that
// shows each group of peers its part only. The ledger is the same as ever.
#include "bip37/messages.hpp"
#include "sync/filter_policy.hpp"
#include "tests/sim/engine/simulated.hpp"

#include <set>

namespace headlight::tests {
namespace {

class PartsOf : public Simulated {
  protected:
    PartsOf() {
        world->on_action = [this](const sync::Action& action) { note(action); };
    }

    void note(const sync::Action& action) {
        if (const auto* connect = std::get_if<sync::action::Connect>(&action))
            endpoints[connect->peer] = p2p::to_string(connect->endpoint);
        const auto* send = std::get_if<sync::action::Send>(&action);
        if (!send) return;
        if (const auto* load = std::get_if<bip37::FilterLoad>(&send->message))
            loads.push_back({send->peer, load->filter});
    }

    void set_shards(std::uint32_t shards) {
        change_filter([&](auto& filter) { filter.shards = shards; });
    }

    /// Payments to many scripts, spends without change, chains of spends in one block.
    chain::Hash256 busy_chain() {
        auto tip = chain.genesis().hash;
        std::vector<chain::Transaction> paid;
        for (std::uint32_t i = 0; i < 60; ++i) {
            auto tx = pay(i % 40, 10'000 + i);
            BlockPlan plan{.transactions = {tx}};
            if (i % 5 == 4) { // a coin of another part is spent, and its child in the same block
                const auto away = chain.spend({coin(paid[i - 3])}, {{5'000, script(i % 7, 1)}});
                plan.transactions.push_back(away);
                plan.transactions.push_back(chain.spend({coin(away)}, {to_stranger(4'000)}));
            }
            paid.push_back(std::move(tx));
            tip = chain.mine(tip, std::move(plan)).hash;
        }
        return tip;
    }

    /// Which of the wallet's scripts a filter holds, by their places.
    std::set<std::size_t> held(const bip37::BloomFilter& filter) {
        std::set<std::size_t> places;
        const auto wallet = stored();
        for (std::size_t i = 0; i < wallet->scripts().size(); ++i) {
            const auto elements = wallet->scripts().at(i).elements();
            if (filter.contains(elements.front())) places.insert(i);
        }
        return places;
    }

    std::map<sync::PeerId, std::string> endpoints;
    std::vector<std::pair<sync::PeerId, bip37::BloomFilter>> loads;
};

TEST_F(PartsOf, ShardsGoToOnePeerAndTheLedgerIsTheSame) {
    const auto tip = busy_chain();
    for (const std::uint32_t shards : {1, 2, 4, 16}) {
        new_world(shards);
        world->on_action = [this](const sync::Action& action) { note(action); };
        loads.clear();
        node(tip);
        set_shards(shards);
        sync();
        expect_right(tip);
        EXPECT_EQ(statistics().parts, shards);
        std::set<sync::PeerId> connections;
        for (const auto& [peer, filter] : loads)
            connections.insert(peer);
        EXPECT_EQ(connections.size(), shards);
        EXPECT_EQ(statistics().peers.size(), 1u) << "one peer, however many connections";
    }
}

TEST_F(PartsOf, EachScriptIsInOneShardAndAllAreInSome) {
    const auto tip = busy_chain();
    node(tip);
    set_shards(4);
    sync();
    std::map<sync::PeerId, std::set<std::size_t>> by_connection;
    for (const auto& [peer, filter] : loads)
        by_connection[peer].merge(held(filter));
    std::size_t sum = 0;
    std::set<std::size_t> all;
    for (auto& [peer, places] : by_connection) {
        sum += places.size();
        EXPECT_GT(places.size(), 50u);
        all.merge(places);
    }
    EXPECT_EQ(all.size(), stored()->scripts().size());
    EXPECT_LT(sum, all.size() + 20) << "but for false positives";
}

TEST_F(PartsOf, EachShardHasATweakOfItsOwnAndAllHaveOneSize) {
    const auto tip = busy_chain();
    node(tip);
    set_shards(4);
    sync();
    std::map<sync::PeerId, std::set<std::uint32_t>> tweaks;
    std::set<std::size_t> sizes;
    for (const auto& [peer, filter] : loads) {
        tweaks[peer].insert(filter.tweak());
        sizes.insert(filter.data().size());
    }
    std::set<std::uint32_t> all;
    for (const auto& [peer, own] : tweaks) {
        EXPECT_EQ(own.size(), 1u);
        all.insert(*own.begin());
    }
    EXPECT_EQ(all.size(), 4u);
    EXPECT_EQ(sizes.size(), 1u);
}

TEST_F(PartsOf, TwoStartsLoadTheSameBytesInEachPart) {
    const auto tip = busy_chain();
    node(tip);
    set_shards(2);
    sync();
    const auto run = [&] {
        auto wallet = stored();
        wallet->request_rescan({});
        world->disk().wallet = wallet->state();
        loads.clear();
        sync();
        std::set<Bytes> payloads;
        for (const auto& [peer, filter] : loads)
            payloads.insert(bip37::encode(bip37::FilterLoad{filter}));
        return payloads;
    };
    const auto once = run();
    EXPECT_EQ(once.size(), 2u);
    EXPECT_EQ(run(), once);
}

TEST_F(PartsOf, ASplitShowsNobodyMoreThanItsPart) {
    const auto tip = busy_chain();
    for (int i = 0; i < 3; ++i)
        node(tip);
    sync({.split = 3});
    expect_right(tip);
    EXPECT_EQ(statistics().parts, 3u);
    std::map<std::string, std::set<std::size_t>> seen;
    for (const auto& [peer, filter] : loads)
        seen[endpoints.at(peer)].merge(held(filter));
    ASSERT_EQ(seen.size(), 3u);
    for (const auto& [endpoint, places] : seen)
        EXPECT_LT(places.size(), stored()->scripts().size() / 2) << endpoint;
}

TEST_F(PartsOf, APeerKeepsItsPartWhateverTheOrderAndWhoeverComes) {
    const auto tip = busy_chain();
    std::vector<p2p::Endpoint> peers;
    for (int i = 0; i < 4; ++i)
        peers.push_back(world->endpoint(node(tip)));
    sync({.peers = {peers[0], peers[1]}, .split = 2});
    const auto first = stored()->filter().groups;
    ASSERT_EQ(first.size(), 2u);
    sync({.peers = {peers[3], peers[1], peers[2], peers[0]}, .split = 2});
    const auto second = stored()->filter().groups;
    EXPECT_EQ(second.size(), 4u);
    for (const auto& [peer, group] : first)
        EXPECT_EQ(second.at(peer), group) << peer;
    std::map<std::uint32_t, int> members;
    for (const auto& [peer, group] : second)
        ++members[group];
    EXPECT_EQ(members, (std::map<std::uint32_t, int>{{0, 2}, {1, 2}}));
}

TEST_F(PartsOf, PeersOfOneGroupAloneAreNotEnough) {
    const auto tip = busy_chain();
    std::vector<p2p::Endpoint> peers;
    for (int i = 0; i < 4; ++i)
        peers.push_back(world->endpoint(node(tip)));
    sync({.peers = peers, .split = 2});
    const auto groups = stored()->filter().groups;
    std::vector<p2p::Endpoint> one_group;
    for (const auto& peer : peers) {
        if (groups.at(p2p::to_string(peer)) == 0) one_group.push_back(peer);
    }
    loads.clear();
    sync_fails(errc::no_peer, {.peers = one_group, .split = 2});
    expect_right(tip);
}

TEST_F(PartsOf, TwoPeersOfAGroupCheckEachOther) {
    const auto tip = busy_chain();
    std::vector<p2p::Endpoint> peers;
    for (int i = 0; i < 4; ++i)
        peers.push_back(world->endpoint(node(tip)));
    sync({.peers = peers, .split = 2, .cross_check = 1.0});
    expect_right(tip);
    EXPECT_EQ(statistics().cross_checked, 2 * 60) << "each block, in each part";
    EXPECT_EQ(statistics().unchecked, 0);
}

TEST_F(PartsOf, ALiarInOnePartIsFoundAndTheWholeOfItLeaves) {
    const auto tip = busy_chain();
    auto& liar = node(tip, {{"matches-nothing"}});
    node(tip);
    set_shards(4);
    sync({.cross_check = 1.0});
    expect_right(tip);
    EXPECT_TRUE(dropped(liar, sync::DropReason::omission)) << story();
    EXPECT_EQ(world->disk().bans.size(), 1u) << "one ban, for all its connections";
}

TEST_F(PartsOf, AReorganisationUndoesAllParts) {
    const auto fork = busy_chain();
    const std::vector undone{pay(1), pay(2), pay(3), pay(4)};
    auto& one = node(chain.mine(fork, {.transactions = undone}).hash);
    set_shards(4);
    sync();
    auto tip = chain.mine(fork, {.transactions = {pay(5), pay(6)}}).hash;
    tip = chain.mine_empty(tip, 2).hash;
    one.set_tip(tip, world->now_ms());
    sync();
    expect_right(tip, undone);
}

TEST_F(PartsOf, ALostConnectionOfOnePartHoldsNothingUp) {
    const auto tip = busy_chain();
    auto& one = node(tip);
    set_shards(4);
    world->start({});
    world->run_for(20);
    world->cut_after(one, 4'000);
    world->run_for(2'000);
    world->cut_after(one, std::numeric_limits<std::uint64_t>::max());
    ASSERT_TRUE(world->run()) << story();
    ASSERT_FALSE(world->outcome()->error) << to_string(*world->outcome()->error) << story();
    expect_right(tip);
}

TEST_F(PartsOf, AProxysCircuitsSeeDifferentTweaks) {
    const auto tip = busy_chain();
    for (int i = 0; i < 2; ++i)
        node(tip);
    change_filter([](auto&) {});
    sync({.proxy = p2p::Endpoint{"127.0.0.1", 9050}, .cross_check = 1.0});
    expect_right(tip);
    std::map<std::string, std::set<std::uint32_t>> tweaks;
    for (const auto& [peer, filter] : loads)
        tweaks[endpoints.at(peer)].insert(filter.tweak());
    ASSERT_EQ(tweaks.size(), 2u);
    EXPECT_EQ(tweaks.begin()->second.size(), 1u) << "the same one for good";
    EXPECT_NE(tweaks.begin()->second, tweaks.rbegin()->second);
    EXPECT_FALSE(tweaks.begin()->second.contains(stored()->filter().tweak));
}

TEST_F(PartsOf, AScriptStaysInItsGroupWhenTheShardsAreDoubled) {
    change_filter([](auto& filter) { filter.split = 3; });
    const auto wallet = stored();
    const sync::Parts before(*wallet);
    change_filter([](auto& filter) { filter.split = 3, filter.shards = 4; });
    const auto doubled = stored();
    const sync::Parts after(*doubled);
    ASSERT_EQ(after.count(), 12u);
    for (std::size_t i = 0; i < wallet->scripts().size(); ++i)
        EXPECT_EQ(before.at(i) % 3, after.at(i) % 3);
}

TEST_F(PartsOf, PendingPaymentsOfAllPartsAreSeen) {
    const auto tip = busy_chain();
    auto& one = node(tip);
    set_shards(4);
    std::vector<chain::Transaction> pending;
    for (std::uint32_t i = 10; i < 30; ++i)
        pending.push_back(pay(i, 7'000 + i));
    for (const auto& tx : pending)
        one.add_to_mempool(tx, 0);
    sync({.mempool_wait_ms = 30'000});
    expect_right(tip, pending);
}

} // namespace
} // namespace headlight::tests
