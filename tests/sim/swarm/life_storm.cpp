// What happens to a wallet's world while a client runs.
#include "tests/sim/swarm/life.hpp"

#include <algorithm>

namespace headlight::tests {

using regtest::Dice;
using regtest::SimNode;

namespace {

/// Runs in a storm may wait out every time-out there is, of every peer, several times.
constexpr std::int64_t storm_limit_ms = 1'800'000;

} // namespace

void Life::later(std::int64_t ms, std::function<void()> what) {
    const auto when = world_->now_ms() + ms;
    busy_until_ms_ = std::max(busy_until_ms_, when);
    world_->at(when, std::move(what));
}

sync::Config Life::config(Dice& dice) {
    sync::Config config;
    const auto rate = dice.below(8);
    if (rate == 0) config.fp_rate = 0.05;
    if (rate == 1) config.fp_rate = 0.3;
    const auto wait = dice.between(500, 12'000);
    if (dice.one_in(4)) config.mempool_wait_ms = wait;
    const auto checks = dice.below(4);
    const bool forgives = dice.one_in(2);
    if (checks == 0) config.cross_check.reset();
    if (checks == 1) config.cross_check = 0.3;
    // By chance alone a lie may be missed.
    if (checks == 2 || (lies_ && checks != 0)) config.cross_check = 1.0;
    if (!forgives) config.bans = world_->disk().bans;
    config.whole_blocks = knobs_.whole && Dice(seed_, "whole", tally_.runs).one_in(8);
    return config;
}

void Life::storm(std::uint64_t number) {
    Dice dice(seed_, "storm", number);
    plan_chain(number);
    plan_mempool(number);
    auto settings = config(dice);
    settings.follow = dice.one_in(3);
    const bool until = dice.one_in(10);
    const auto height = static_cast<std::int32_t>(dice.below(80));
    const auto stops_ms = dice.between(10, settings.follow ? 20'000 : 2'000);
    const bool stops = dice.one_in(6) && knobs_.stops;
    plan_weather(number);
    plan_crash(number);
    plan_disk(number);
    if (until) settings.until_height = height;
    const auto crashes = tally_.crashes;
    watch_->new_run();
    world_->start(settings);
    if (stops || settings.follow) {
        // A run that follows ends no other way.
        later(stops_ms, [this] { world_->stop(errc::stopped); });
    }
    if (!world_->run(storm_limit_ms)) complain("a run in a storm does not end");
    if (world_->outcome()) watch_->ended();
    if (tally_.crashes == crashes) count_run();
    crash_in_.reset();
    world_->on_persist = {};
    if (dice.one_in(2)) world_->run_for(dice.between(0, 5'000));
    world_->crash();
    watch_->new_run();
}

// The chain

void Life::plan_chain(std::uint64_t number) {
    Dice dice(seed_, "chain", number);
    const auto events = dice.one_in(2) ? dice.below(5) : 0;
    const auto span = dice.one_in(2) ? 400 : 8'000;
    for (std::uint64_t i = 0; i < events; ++i) {
        const auto when = dice.between(0, span);
        const bool reorg = dice.one_in(2);
        const auto depth =
            static_cast<std::int32_t>(1 + (dice.one_in(4) ? dice.below(120) : dice.below(8)));
        const auto blocks = 1 + (dice.one_in(4) ? dice.below(30) : dice.below(3));
        if (reorg && knobs_.reorgs) {
            later(when, [this, depth, blocks] { reorganise(depth, blocks); });
        } else if (!reorg && knobs_.growth) {
            later(when, [this, blocks] { grow(blocks); });
        }
    }
}

void Life::grow(std::uint64_t blocks) {
    tip_ = payer_->grow(tip_, blocks, honest_->mempool_transactions());
    Dice dice(seed_, "spread", static_cast<std::uint64_t>(chain_.find(tip_)->height));
    go_to_tip(dice);
}

void Life::reorganise(std::int32_t depth, std::uint64_t longer) {
    const auto height = chain_.find(tip_)->height;
    // Below the first block there is only another network's chain, as it were.
    const auto fork = std::max(height - depth, 1);
    std::vector<chain::Transaction> offered;
    for (auto h = fork + 1; h <= height; ++h) {
        const auto& block = chain_.ancestor(tip_, h);
        offered.insert(offered.end(), block.transactions.begin() + 1, block.transactions.end());
    }
    const auto pending = honest_->mempool_transactions();
    offered.insert(offered.end(), pending.begin(), pending.end());
    const auto blocks = static_cast<std::uint64_t>(height - fork) + longer;
    tip_ = payer_->grow(chain_.ancestor(tip_, fork).hash, blocks, std::move(offered));
    Dice dice(seed_, "turn", static_cast<std::uint64_t>(chain_.find(tip_)->height));
    go_to_tip(dice);
}

/// Not all nodes hear of it at once.
void Life::go_to_tip(Dice& dice) {
    for (const auto& [node, role] : neighbours_) {
        const auto lag = dice.one_in(2) ? 0 : dice.between(0, 1'500);
        if (role == Role::behind) continue;
        later(lag, [this, to = node, tip = tip_] {
            if (chain_.find(tip)->work > to->tip().work) to->set_tip(tip, world_->now_ms());
        });
    }
}

void Life::plan_mempool(std::uint64_t number) {
    Dice dice(seed_, "mempool", number);
    const auto events = dice.one_in(2) ? dice.below(8) : 0;
    const auto span = dice.one_in(2) ? 500 : 10'000;
    for (std::uint64_t i = 0; i < events; ++i) {
        const auto when = dice.between(0, span);
        const bool everywhere = dice.one_in(2);
        if (!knobs_.mempool) continue;
        later(when, [this, everywhere] {
            const auto tx = payer_->pending(tip_, honest_->mempool_transactions());
            if (!tx) return;
            for (const auto& [node, role] : neighbours_) {
                if (node == honest_ || everywhere) node->add_to_mempool(*tx, world_->now_ms());
            }
        });
    }
}

// The lines

void Life::plan_weather(std::uint64_t number) {
    Dice dice(seed_, "weather", number);
    const auto events = dice.one_in(2) ? dice.below(7) : 0;
    const auto span = dice.one_in(2) ? 300 : 5'000;
    for (std::uint64_t i = 0; i < events; ++i) {
        const auto when = dice.between(0, span);
        auto* node = dice.pick(neighbours_).node;
        Dice own(dice.next(), "trouble");
        if (!knobs_.weather) continue;
        later(when, [this, node, own]() mutable { trouble(*node, own); });
    }
}

void Life::trouble(SimNode& node, Dice& dice) {
    const auto kind = dice.below(6);
    const auto for_ms = dice.between(1, dice.one_in(3) ? 40'000 : 1'500);
    const auto bytes = dice.below(dice.one_in(2) ? 300 : 20'000);
    switch (kind) {
    case 0:
        world_->partition(node, for_ms);
        busy_until_ms_ = std::max(busy_until_ms_, world_->now_ms() + for_ms);
        break;
    case 1:
        world_->clog(node, for_ms);
        busy_until_ms_ = std::max(busy_until_ms_, world_->now_ms() + for_ms);
        break;
    case 2:
        world_->cut_after(node, bytes);
        break;
    case 3:
        world_->set_reachable(node, false);
        later(for_ms, [this, &node] { world_->set_reachable(node, true); });
        break;
    case 4:
        world_->set_dark(node, true);
        later(for_ms, [this, &node] { world_->set_dark(node, false); });
        break;
    default:
        world_->set_deaf(node, true);
        later(for_ms, [this, &node] { world_->set_deaf(node, false); });
        break;
    }
}

// The client

void Life::plan_crash(std::uint64_t number) {
    Dice dice(seed_, "crash", number);
    const bool crashes = dice.one_in(2);
    const auto actions = dice.below(dice.one_in(2) ? 60 : 600);
    if (crashes && knobs_.crashes) crash_in_ = actions;
}

/// The n-th persist fails, or the client is gone in the middle of it.
void Life::plan_disk(std::uint64_t number) {
    Dice dice(seed_, "disk", number);
    const bool fails = dice.one_in(4);
    const auto good = dice.below(4);
    const auto how = dice.below(5);
    if (!fails || !knobs_.disk) return;
    world_->on_persist = [this, left = good, how](
                             const sync::action::Persist& persist) mutable -> std::optional<Error> {
        if (left-- > 0) return std::nullopt;
        left = 0;
        if (how == 1 || how == 3) world_->disk().headers.apply(persist.headers);
        if (how == 4) {
            world_->disk().apply(persist);
            watch_->durable(persist);
        }
        if (how >= 2) {
            crash();
            return std::nullopt;
        }
        ++tally_.full_disks;
        return Error{errc::disk_full, "the disk is full", "no space is left", "Free some"};
    };
}

} // namespace headlight::tests
