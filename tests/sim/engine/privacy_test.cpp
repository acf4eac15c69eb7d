// What peers get to see of a wallet's filter: the same bytes for the same content, whatever they
// do.
#include "bip37/messages.hpp"
#include "sync/filter_policy.hpp"
#include "tests/sim/engine/simulated.hpp"

#include <set>

namespace headlight::tests {
namespace {

class Privacy : public Simulated {
  protected:
    /// Runs a sync to its end; the payload of every filterload that it sends, by peer.
    std::multimap<sync::PeerId, Bytes> loads_of_a_sync(const sync::Config& config = {}) {
        std::multimap<sync::PeerId, Bytes> loads;
        world->on_action = [&](const sync::Action& action) {
            const auto* send = std::get_if<sync::action::Send>(&action);
            if (!send) return;
            if (const auto* load = std::get_if<bip37::FilterLoad>(&send->message))
                loads.emplace(send->peer, bip37::encode(*load));
        };
        sync(config);
        world->on_action = {};
        return loads;
    }

    static std::set<Bytes> contents(const std::multimap<sync::PeerId, Bytes>& loads) {
        std::set<Bytes> different;
        for (const auto& [peer, payload] : loads)
            different.insert(payload);
        return different;
    }

    /// Blocks full of payments that do not concern us.
    chain::Hash256 busy_chain(int blocks) {
        auto tip = chain.genesis().hash;
        for (int block = 0; block < blocks; ++block) {
            BlockPlan plan;
            for (int i = 0; i < 20; ++i)
                plan.transactions.push_back(chain.pay({to_stranger(1'000 + i)}));
            tip = chain.mine(tip, std::move(plan)).hash;
        }
        return tip;
    }
};

TEST_F(Privacy, TwoPeersAndTwoStartsGetTheSameBytes) {
    auto tip = chain.mine(chain.genesis().hash, {.transactions = {pay(0), pay(3)}}).hash;
    tip = chain.mine_empty(tip, 30).hash;
    for (int i = 0; i < 2; ++i)
        world->add_node().set_tip(tip, 0);
    sync(); // which finds the coins
    std::set<Bytes> seen;
    for (int start = 0; start < 2; ++start) {
        auto wallet = stored();
        wallet->request_rescan({});
        world->disk().wallet = wallet->state();
        const auto loads = loads_of_a_sync({.cross_check = 1.0});
        std::set<sync::PeerId> peers;
        for (const auto& [peer, payload] : loads)
            peers.insert(peer);
        EXPECT_EQ(peers.size(), 2u) << story();
        seen.merge(contents(loads));
    }
    EXPECT_EQ(seen.size(), 1u);
}

// A peer that pads its answers brings more than the filter's rate. A client that lowered the rate
// for that would end with a filter that names its scripts (pitfalls A7).
TEST_F(Privacy, APeerThatPadsItsAnswersChangesNoFilter) {
    for (const double rate : {0.0005, 0.05}) {
        const auto tip = busy_chain(40);
        new_world(7);
        world->add_node().set_tip(tip, 0);
        const auto honest = contents(loads_of_a_sync({.fp_rate = rate}));
        ASSERT_EQ(honest.size(), 1u);

        new_world(7);
        world->add_node({.faults = {{"matches-all"}}}).set_tip(tip, 0);
        EXPECT_EQ(contents(loads_of_a_sync({.fp_rate = rate})), honest) << story();
        EXPECT_GE(world->engine().statistics().false_positives, 40 * 20) << "it does pad";
        EXPECT_EQ(contents(loads_of_a_sync({.fp_rate = rate})), honest) << "nor a later one";
    }
}

TEST_F(Privacy, TheChosenRateMakesTheFilter) {
    const auto tip = busy_chain(3);
    std::size_t before = SIZE_MAX;
    for (const auto level :
         {sync::PrivacyLevel::low, sync::PrivacyLevel::medium, sync::PrivacyLevel::high}) {
        new_world(9);
        world->add_node().set_tip(tip, 0);
        const auto loads = contents(loads_of_a_sync({.fp_rate = sync::fp_rate_of(level)}));
        ASSERT_EQ(loads.size(), 1u);
        EXPECT_LT(loads.begin()->size(), before);
        before = loads.begin()->size();
        EXPECT_EQ(bip37::decode_filterload(*loads.begin())->filter,
                  sync::filter_of(*stored(), sync::fp_rate_of(level)));
    }
}

} // namespace
} // namespace headlight::tests
