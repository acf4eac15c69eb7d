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
    void set_filter(const std::function<void(wallet::FilterParameters&)>& change) {
        auto wallet = stored();
        auto filter = wallet->filter();
        filter.secret = {1, 2, 3};
        change(filter);
        wallet->set_filter(filter);
        world->disk().wallet = wallet->state();
    }

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
    set_filter([](auto&) {});
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
    set_filter([](auto&) {});
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

} // namespace
} // namespace headlight::tests
