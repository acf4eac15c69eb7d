#include "tests/sim/swarm/life.hpp"

#include "regtest/script_memory.hpp"
#include "tests/sim/swarm/wallet_kinds.hpp"

#include <algorithm>

namespace headlight::tests {

using regtest::Dice;
using regtest::SimNode;
using regtest::SimNodeConfig;
using regtest::SimWorld;

Life::Life(std::uint64_t seed, const Knobs& knobs, bool tracing)
    : seed_(seed), knobs_(knobs), world_(std::make_unique<SimWorld>(chain_, seed)) {
    world_->set_tracing(tracing);
    watch_ = std::make_unique<Watch>(chain_, *world_, complaints_);
    world_->on_action = [this](const auto& action) { on_action(action); };
    choose_wallet();
    make_chain();
    add_neighbours();
}

Life::~Life() = default;

std::string Life::cast() const {
    return "wallet " + wallet_name_ + ", " + std::to_string(chain_.find(base_)->height) +
           " blocks, peers:" + faults_;
}

// Making it

void Life::choose_wallet() {
    Dice dice(seed_, "wallet");
    const auto& kinds = wallet_kinds();
    auto kind = &dice.pick(kinds);
    const auto* second = dice.one_in(4) ? &dice.pick(kinds) : nullptr;
    const auto since = dice.one_in(3) ? static_cast<std::int32_t>(dice.below(60)) : 1;
    const auto second_since = dice.one_in(3) ? static_cast<std::int32_t>(dice.below(60)) : 1;
    const bool later = dice.one_in(2);
    birthday_by_time_ = dice.one_in(3);
    for (const auto& each : kinds) {
        if (each.name == knobs_.wallet) kind = &each;
    }
    std::vector<WatchedItem> items;
    const auto add = [&](const WalletKind& of, std::int32_t from) {
        wallet_name_ += (items.empty() ? "" : " + ") + of.name;
        for (const auto& descriptor : of.descriptors) {
            const bool known = std::ranges::any_of(
                items, [&](const auto& item) { return item.descriptor == descriptor; });
            if (!known) items.push_back({descriptor, knobs_.birthdays ? std::max(from, 1) : 1});
        }
    };
    add(*kind, since);
    watched_items_ = items.size();
    if (second && knobs_.wallet.empty()) add(*second, second_since);
    if (!later || !knobs_.changes) watched_items_ = items.size();
    keyring_ = std::make_unique<Keyring>(std::move(items));
    payer_ = std::make_unique<Payer>(chain_, *keyring_, knobs_, seed_);
    payer_->set_gap(dice.one_in(3) ? static_cast<std::uint32_t>(1 + dice.below(60)) : 20);
}

void Life::make_chain() {
    Dice dice(seed_, "blocks");
    const auto size = dice.below(100);
    auto blocks = 10 + dice.below(70);
    const auto more = dice.next();
    if (size >= 65) blocks += more % 200;
    if (size >= 92) blocks += more % 400;
    if (size >= 99) blocks += more % 1'800;
    base_ = payer_->grow(chain_.genesis().hash, std::min(blocks, knobs_.blocks));
    const auto ahead = std::min<std::uint64_t>(dice.below(40), knobs_.blocks);
    tip_ = payer_->grow(base_, 1 + ahead);
    std::vector<wallet::Descriptor> watched;
    for (std::size_t i = 0; i < watched_items_; ++i)
        watched.push_back(keyring_->items()[i].descriptor);
    save_wallet(watched);
}

/// By time: of the block before, so that the margin is at work.
wallet::Birthday Life::birthday_of(std::size_t item) const {
    const auto since = keyring_->items()[item].since;
    if (!birthday_by_time_ || since <= 1) return {wallet::Birthday::Kind::height, since};
    return {wallet::Birthday::Kind::time,
            static_cast<std::int64_t>(chain_.genesis().header.time) +
                static_cast<std::int64_t>(payer_->spacing()) * (since - 1)};
}

void Life::save_wallet(const std::vector<wallet::Descriptor>& descriptors) {
    const auto made = wallet::Wallet::create(
        chain_.network(), static_cast<std::uint32_t>(Dice(seed_, "tweak").next()), 0, {},
        regtest::remembered_scripts());
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        const auto added = made->add(descriptors[i], payer_->gap(), birthday_of(i), i == 0);
        if (!added) complain("not watched: " + to_string(added.error()));
    }
    Dice dice(seed_, "shards");
    auto filter = made->filter();
    for (auto& byte : filter.secret)
        byte = static_cast<std::uint8_t>(dice.next());
    const bool spread = dice.one_in(4);
    const auto shards = static_cast<std::uint32_t>(dice.between(2, 4));
    if (spread && knobs_.shards) filter.shards = shards;
    made->set_filter(filter);
    world_->disk().wallet = made->state();
}

void Life::add_neighbours() {
    Dice dice(seed_, "peers");
    const auto count =
        std::min<std::uint64_t>(1 + dice.below(5), std::max<std::uint64_t>(knobs_.peers, 1));
    const auto honest_at = dice.below(5) % count;
    const bool lies = dice.one_in(6) && count > 1;
    const auto liar =
        (honest_at + 1 + dice.below(4) % std::max<std::uint64_t>(count - 1, 1)) % count;
    lies_ = lies && knobs_.lies && knobs_.faults;
    for (std::uint64_t i = 0; i < count; ++i) {
        Dice own(seed_, "peer", i);
        const auto role = own.below(5);
        if (lies_ && i == liar) {
            add_neighbour(Role::faulty, own, true);
        } else if (i == honest_at || role == 0) {
            add_neighbour(Role::honest, own, false);
        } else {
            add_neighbour(role == 1 && knobs_.behind ? Role::behind : Role::faulty, own, false);
        }
        if (i == honest_at) honest_ = neighbours_.back().node;
    }
}

namespace {

/// What only a second opinion finds.
const std::vector<std::string_view> lies{
    "matches-nothing", "hides-spends", "no-auto-update", "keeps-first-filter",
    "another-block"}; // of two neighbours that match, one is proven empty

/// Endless headers are the heaviest chain there is, by Bitcoin's own rule.
bool may_stand_beside(std::string_view fault) {
    return std::ranges::find(lies, fault) == lies.end() && fault != "endless-headers";
}

/// Some faults have a figure; small ones for floods, which cost time.
regtest::FaultChoice choose_fault(Dice& dice) {
    const auto& fault = dice.pick(regtest::all_faults());
    const auto figure = dice.between(1, 40);
    regtest::FaultChoice choice{std::string(fault.name)};
    const bool flood = fault.name.ends_with("-flood");
    if (flood || (fault.n > 0 && fault.n <= 50 && figure > 20)) choice.n = figure;
    if (fault.name == "inv-flood" || fault.name == "addr-flood") choice.n = 1;
    return choice;
}

} // namespace

void Life::add_neighbour(Role role, Dice& dice, bool liar) {
    SimNodeConfig config;
    config.noban = dice.one_in(2);
    config.trickle_ms = dice.between(400, 5'000);
    auto fault = choose_fault(dice);
    auto second = choose_fault(dice);
    const bool two = dice.one_in(4);
    const bool at_base = dice.one_in(4);
    regtest::LineQuality line;
    line.least_delay_ms = dice.between(0, 20);
    line.most_delay_ms = line.least_delay_ms + dice.between(0, dice.one_in(4) ? 400 : 40);
    if (dice.one_in(6)) line.most_piece = 1 + dice.below(60);
    if (dice.one_in(8)) line.bytes_per_second = dice.between(20'000, 200'000);
    const auto lie = dice.pick(lies);
    if (liar) {
        config.faults.push_back({std::string(lie)});
        if (two && may_stand_beside(second.name)) config.faults.push_back(second);
    } else if (role == Role::faulty && knobs_.faults && may_stand_beside(fault.name)) {
        config.faults.push_back(fault);
        if (two && may_stand_beside(second.name)) config.faults.push_back(second);
    }
    if (role == Role::faulty && config.faults.empty()) role = Role::honest;
    faults_ += role == Role::honest ? " honest" : role == Role::behind ? " behind" : "";
    for (const auto& each : config.faults)
        faults_ += " " + each.name + (each.n ? ":" + std::to_string(*each.n) : "");
    auto& node = world_->add_node(std::move(config));
    world_->set_line(node, line);
    node.set_tip(role == Role::behind || (role == Role::faulty && at_base) ? base_ : tip_, 0);
    neighbours_.push_back({&node, role});
}

// The whole of it

void Life::run() {
    Dice dice(seed_, "runs");
    const auto storms = std::min<std::uint64_t>(dice.below(4), knobs_.runs);
    for (std::uint64_t i = 0; i < storms; ++i) {
        storm(i);
        change_wallet(i);
        if (!complaints_.empty()) return;
    }
    clear_up();
    calm_run();
    if (complaints_.empty()) check_end();
    if (complaints_.empty()) last_look();
    if (complaints_.empty()) check_end();
}

void Life::on_action(const sync::Action& action) {
    watch_->action(action);
    ++tally_.actions;
    tally_.bans += std::holds_alternative<sync::action::KeepBan>(action);
    if (crash_in_ && (*crash_in_)-- == 0) crash();
}

void Life::crash() {
    crash_in_.reset();
    ++tally_.crashes;
    count_run();
    world_->crash();
}

/// At its end, while the engine is still there to be asked.
void Life::count_run() {
    const auto statistics = world_->engine().statistics();
    ++tally_.runs;
    tally_.failed_runs += world_->outcome() && world_->outcome()->error;
    tally_.reorganised_runs += statistics.reorganised.has_value();
    tally_.rescanned_blocks += static_cast<std::uint64_t>(statistics.rescanned_blocks);
    tally_.more_filters += statistics.filterloads > 1;
    tally_.spread_runs += statistics.parts > 1;
    tally_.whole_runs += statistics.filterloads == 0 && statistics.scanned_blocks > 0;
    tally_.hidden += static_cast<std::uint64_t>(statistics.omissions);
}

void Tally::add(const Tally& other) {
    actions += other.actions;
    runs += other.runs;
    crashes += other.crashes;
    full_disks += other.full_disks;
    failed_runs += other.failed_runs;
    reorganised_runs += other.reorganised_runs;
    rescanned_blocks += other.rescanned_blocks;
    more_filters += other.more_filters;
    spread_runs += other.spread_runs;
    whole_runs += other.whole_runs;
    hidden += other.hidden;
    bans += other.bans;
    longest_calm_ms = std::max(longest_calm_ms, other.longest_calm_ms);
}

std::string Tally::to_string() const {
    const auto text = [](std::uint64_t figure) { return std::to_string(figure); };
    return text(runs) + " runs (" + text(crashes) + " crashed, " + text(full_disks) +
           " on a full disk, " + text(failed_runs) + " failed, " + text(reorganised_runs) +
           " reorganised, " + text(more_filters) + " with several filters, " + text(spread_runs) +
           " spread, " + text(whole_runs) + " of whole blocks), " + text(actions) + " actions, " +
           text(rescanned_blocks) + " blocks scanned again, " + text(hidden) +
           " hidden transactions found, " + text(bans) + " bans, the longest calm run " +
           std::to_string(longest_calm_ms) + " ms";
}

} // namespace headlight::tests
