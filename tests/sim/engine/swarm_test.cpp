// Random worlds, each from one seed: several nodes, some of them faulty, payments, spends, gap
// jumps, reorganisations, lost connections and crashes. With one honest node the end is always
// right. HEADLIGHT_SWARM_SEEDS sets how many seeds, HEADLIGHT_SWARM_FIRST the first one.
#include "tests/sim/engine/simulated.hpp"

#include <cstdlib>

namespace headlight::tests {
namespace {

using Random = std::mt19937_64;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Swarm : public Simulated {
  protected:
    /// Grows the honest chain by a few blocks; spends what it paid before now and then.
    chain::Hash256 grow(Random& random, chain::Hash256 tip, int blocks) {
        for (int i = 0; i < blocks; ++i) {
            BlockPlan plan;
            if (random() % 3 == 0) {
                const auto branch = static_cast<std::uint32_t>(random() % 2);
                auto& next = next_index_[branch];
                const auto index = next + static_cast<std::uint32_t>(random() % 20);
                next = std::max(next, index + 1);
                plan.transactions.push_back(pay(index, 1'000 + random() % 90'000, branch));
                mine_.push_back(coin(plan.transactions.back()));
            }
            if (!mine_.empty() && random() % 4 == 0) {
                const auto at = random() % mine_.size();
                std::vector<chain::TxOut> outputs{to_stranger(500)};
                if (random() % 2) outputs.push_back({300, script(next_index_[1], 1)});
                const auto spend = ChainBuilder::spend({mine_[at]}, outputs);
                mine_.erase(mine_.begin() + static_cast<std::ptrdiff_t>(at));
                plan.transactions.push_back(spend);
            }
            if (random() % 30 == 0) plan.coinbase_script = script(next_index_[0]);
            if (random() % 5 == 0) plan.transactions.push_back(chain.pay({to_stranger(9)}));
            tip = chain.mine(tip, std::move(plan)).hash;
        }
        return tip;
    }

    void run_seed(std::uint64_t seed) {
        std::string cast = "seed " + std::to_string(seed) + ":";
        Random random(seed);
        next_index_ = {0, 0};
        mine_.clear();
        new_world(seed);
        const auto base = grow(random, chain.genesis().hash, static_cast<int>(random() % 600));
        const auto coins_at_base = mine_;
        const auto next_at_base = next_index_;
        auto tip = grow(random, base, static_cast<int>(random() % 100));
        auto& honest = world->add_node({.noban = random() % 2 == 0});
        honest.set_tip(tip, 0);
        const auto others = random() % 3;
        const auto& faults = regtest::all_faults();
        for (std::uint64_t i = 0; i < others; ++i) {
            SimNodeConfig config;
            const auto& fault = faults[random() % faults.size()];
            if (random() % 2 && may_stand_beside(fault.name)) {
                config.faults.push_back({std::string(fault.name)});
                cast += " " + std::string(fault.name);
            } else {
                cast += " honest";
            }
            auto& node = world->add_node(std::move(config));
            node.set_tip(random() % 3 ? tip : base, 0);
        }
        SCOPED_TRACE(cast);
        world->set_delay(1, 1 + static_cast<std::int64_t>(random() % 60));
        const auto crashes = random() % 4;
        for (std::uint64_t i = 0; i < crashes; ++i) {
            world->start();
            world->run_for(static_cast<std::int64_t>(random() % 900));
            world->crash();
        }
        if (random() % 3 == 0) { // the chain turns another way while the client looks
            // A branch spends only what it holds, and leaves no gap that it did not use itself.
            mine_ = coins_at_base;
            next_index_ = next_at_base;
            const auto other = grow(random, base, 120);
            world->at(world->now_ms() + static_cast<std::int64_t>(random() % 500),
                      [&, other] { honest.set_tip(other, world->now_ms()); });
            tip = other;
        }
        if (random() % 4 == 0) {
            world->at(world->now_ms() + static_cast<std::int64_t>(random() % 300), [&] {
                world->set_reachable(honest, false);
                world->set_reachable(honest, true);
            });
        }
        world->start();
        ASSERT_TRUE(world->run()) << "it does not end\n" << story();
        world->run_for(1'000);
        // What came after the end is for the next run.
        sync({.peers = {world->endpoint(honest)}});
        expect_right(honest.tip().hash, pending_of(honest.tip().hash));
        EXPECT_LE(world->most_side_headers(), limits::max_side_headers);
    }

    /// Hidden matches leave no trace, and endless headers are the heavier chain by Bitcoin's rule.
    static bool may_stand_beside(std::string_view fault) {
        return fault != "matches-nothing" && fault != "hides-spends" && fault != "no-auto-update" &&
               fault != "endless-headers";
    }

    /// What the wallet still holds as pending: confirmed on a branch that lost, in conflict with
    /// nothing.
    std::vector<chain::Transaction> pending_of(const chain::Hash256&) {
        std::vector<chain::Transaction> pending;
        const auto wallet = stored();
        std::set<chain::Hash256> taken;
        for (bool more = true; more;) { // parents before children
            more = false;
            for (const auto* stored_tx : wallet->ledger().pending()) {
                if (wallet->ledger().status(stored_tx->txid) != wallet::TxStatus::pending) continue;
                if (taken.contains(stored_tx->txid)) continue;
                const bool ready = std::all_of(
                    stored_tx->tx.inputs.begin(), stored_tx->tx.inputs.end(), [&](const auto& in) {
                        const auto* parent = wallet->ledger().find(in.prevout.txid);
                        return !parent || parent->confirmation || taken.contains(in.prevout.txid);
                    });
                if (!ready) continue;
                taken.insert(stored_tx->txid);
                pending.push_back(stored_tx->tx);
                more = true;
            }
        }
        return pending;
    }

    std::array<std::uint32_t, 2> next_index_{};
    std::vector<chain::OutPoint> mine_;
};

TEST_F(Swarm, EndsRightWithOneHonestNode) {
    const auto first = from_environment("HEADLIGHT_SWARM_FIRST", 1);
    const auto count = from_environment("HEADLIGHT_SWARM_SEEDS", 100);
    std::cout << "seeds " << first << " to " << first + count - 1 << "\n";
    for (auto seed = first; seed < first + count; ++seed) {
        run_seed(seed);
        if (HasFailure()) {
            std::cout << "seed " << seed << " fails\n";
            return;
        }
    }
}

} // namespace
} // namespace headlight::tests
