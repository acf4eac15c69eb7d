// The header tree, story by story. The other half of its tests is header_tree_model_test.cpp.
#include "chain/header_tree.hpp"
#include "chain/memory_archive.hpp"
#include "tests/support/mining.hpp"
#include "tests/unit/chain/window_archive.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headlight::tests {
namespace {

using chain::BlockHeader;
using chain::DifficultyRule;
using chain::Hash256;
using chain::HeaderTree;
using chain::HeaderVerdict;
using chain::Network;

const Network& regtest = chain::network(chain::NetworkId::regtest);
constexpr std::int64_t now = 1'400'000'000; // long after what is mined here

using Headers = std::vector<BlockHeader>;

/// `count` headers on top of `parent`, `spacing` seconds apart, with the bits of `network`.
Headers mine_branch(const Network& network, const BlockHeader& parent, std::size_t count,
                    std::uint32_t spacing = 600, std::uint32_t salt = 0) {
    Headers branch;
    auto last = parent;
    for (std::size_t i = 0; i < count; ++i) {
        last = mine(network, chain::hash_of(last), last.time + spacing, last.bits, salt);
        branch.push_back(last);
    }
    return branch;
}

HeaderVerdict accept_all(HeaderTree& tree, const Headers& headers) {
    auto verdict = HeaderVerdict::duplicate;
    for (const auto& header : headers)
        verdict = tree.accept(header, now).verdict;
    return verdict;
}

struct Toy {
    explicit Toy(const Network& on = regtest, std::size_t limit = 100)
        : network(on), tree(network, archive, limit) {}
    const Network& network;
    chain::MemoryArchive archive;
    HeaderTree tree;
};

TEST(HeaderTree, StartsAtGenesisWhichIsYetToBeStored) {
    Toy toy;
    EXPECT_EQ(toy.tree.tip_height(), 0);
    EXPECT_EQ(toy.tree.tip().hash, regtest.genesis_hash);
    EXPECT_EQ(toy.tree.tip().work, chain::work_of(regtest.genesis.bits));
    EXPECT_EQ(toy.tree.accept(regtest.genesis, now).verdict, HeaderVerdict::duplicate);
    const auto change = toy.tree.unsaved();
    EXPECT_EQ(change.fork, -1);
    ASSERT_EQ(change.headers.size(), 1u);
    EXPECT_EQ(change.headers[0], toy.tree.tip());
}

TEST(HeaderTree, KeepsTheFirstSeenOfEqualBranches) { // pitfalls C1
    Toy toy;
    const auto first = mine_branch(regtest, regtest.genesis, 3);
    const auto second = mine_branch(regtest, regtest.genesis, 4, 600, 1);
    EXPECT_EQ(accept_all(toy.tree, first), HeaderVerdict::extended);
    EXPECT_EQ(accept_all(toy.tree, {second.begin(), second.begin() + 3}), HeaderVerdict::side);
    EXPECT_EQ(toy.tree.tip().header, first.back());
    const auto report = toy.tree.accept(second[3], now);
    ASSERT_EQ(report.verdict, HeaderVerdict::reorganised);
    ASSERT_TRUE(report.reorganisation);
    EXPECT_EQ(report.reorganisation->fork, 0);
    ASSERT_EQ(report.reorganisation->disconnected.size(), 3u);
    EXPECT_EQ(report.reorganisation->disconnected[0].header, first[0]);
    ASSERT_EQ(report.reorganisation->connected.size(), 4u);
    EXPECT_EQ(report.reorganisation->connected[3], toy.tree.tip());
}

TEST(HeaderTree, FollowsWorkAndNotLength) { // pitfalls C1
    // Headers after a twenty-minute gap are minimum ones here, sixteen times lighter.
    const auto network = toy_network(DifficultyRule::twenty_minutes, 0x2007ffff);
    Toy toy(network);
    Headers light;
    auto last = network.genesis;
    for (int i = 0; i < 10; ++i) {
        last = mine(network, chain::hash_of(last), last.time + 1201, network.pow_limit_bits);
        light.push_back(last);
    }
    const auto heavy = mine_branch(network, network.genesis, 1);
    EXPECT_EQ(accept_all(toy.tree, light), HeaderVerdict::extended);
    EXPECT_EQ(toy.tree.tip_height(), 10);
    EXPECT_EQ(toy.tree.accept(heavy[0], now).verdict,
              HeaderVerdict::reorganised); // shorter, heavier
    EXPECT_EQ(toy.tree.tip_height(), 1);
    last = mine(network, chain::hash_of(last), last.time + 1201, network.pow_limit_bits);
    EXPECT_EQ(toy.tree.accept(last, now).verdict, HeaderVerdict::side); // longer, lighter
    EXPECT_EQ(toy.tree.tip().header, heavy[0]);
}

TEST(HeaderTree, SwitchesBackAndForthBetweenBranches) {
    Toy toy;
    const auto a = mine_branch(regtest, regtest.genesis, 60, 600, 1);
    const auto b = mine_branch(regtest, regtest.genesis, 60, 600, 2);
    std::size_t seen_a = 0;
    std::size_t seen_b = 0;
    // Each branch in turn gets one block ahead of the other.
    while (seen_a + 2 <= a.size()) {
        while (seen_a <= seen_b)
            toy.tree.accept(a[seen_a++], now);
        ASSERT_EQ(toy.tree.tip().header, a[seen_a - 1]);
        while (seen_b <= seen_a)
            toy.tree.accept(b[seen_b++], now);
        ASSERT_EQ(toy.tree.tip().header, b[seen_b - 1]);
        ASSERT_EQ(toy.tree.side_headers(), seen_a);
        if (seen_a % 5 != 0) continue;
        toy.archive.apply(toy.tree.unsaved());
        toy.tree.saved(toy.tree.tip().hash);
        ASSERT_TRUE(toy.tree.unsaved().empty());
    }
}

TEST(HeaderTree, TakesAHeaderOnlyAfterTheMedianOfItsBranch) { // pitfalls C3
    Toy toy;
    const auto branch = mine_branch(regtest, regtest.genesis, 20);
    accept_all(toy.tree, branch);
    const auto median = toy.tree.median_time(20);
    EXPECT_EQ(median, branch[14].time); // heights 10..20, the middle one is 15
    const auto dated = [&](std::int64_t time) {
        return mine(regtest, toy.tree.tip().hash, static_cast<std::uint32_t>(time), 0x207fffff);
    };
    const auto report = toy.tree.accept(dated(median), now);
    EXPECT_EQ(report.verdict, HeaderVerdict::invalid);
    EXPECT_NE(report.reason.find("median"), std::string_view::npos);
    EXPECT_EQ(toy.tree.accept(dated(median + 1), now).verdict, HeaderVerdict::extended);
}

TEST(HeaderTree, SetsAsideWhatIsDatedTooFarAheadAndTakesItLater) { // pitfalls C3
    Toy toy;
    const auto at = [&](std::int64_t time) {
        return mine(regtest, toy.tree.tip().hash, static_cast<std::uint32_t>(time), 0x207fffff);
    };
    const auto early = at(now + 7201);
    const auto child = mine_branch(regtest, early, 1)[0];
    const auto report = toy.tree.accept(early, now);
    EXPECT_EQ(report.verdict, HeaderVerdict::too_early);
    EXPECT_FALSE(report.reason.empty());
    EXPECT_EQ(toy.tree.accept(child, now).verdict, HeaderVerdict::unlinked);
    EXPECT_FALSE(toy.tree.find(chain::hash_of(early)));
    EXPECT_EQ(toy.tree.accept(early, now + 1).verdict, HeaderVerdict::extended);
    EXPECT_EQ(toy.tree.accept(child, now + 601).verdict, HeaderVerdict::extended);

    Toy other;
    EXPECT_EQ(other.tree
                  .accept(mine(regtest, regtest.genesis_hash,
                               static_cast<std::uint32_t>(now + 7200), 0x207fffff),
                          now)
                  .verdict,
              HeaderVerdict::extended);
}

TEST(HeaderTree, RefusesForEverWhatBreaksARule) {
    Toy toy;
    auto good = mine_branch(regtest, regtest.genesis, 1)[0];
    auto weak = good;
    while (chain::check_proof_of_work(chain::hash_of(weak), weak.bits, regtest))
        ++weak.nonce;
    const auto time = good.time;
    for (const auto& bad : {weak, mine(regtest, regtest.genesis_hash, time, 0x207ffffe),
                            mine(regtest, regtest.genesis_hash, time, 0x201fffff)}) {
        const auto report = toy.tree.accept(bad, now);
        EXPECT_EQ(report.verdict, HeaderVerdict::invalid);
        EXPECT_FALSE(report.reason.empty());
        EXPECT_FALSE(toy.tree.find(chain::hash_of(bad)));
    }
    for (const std::uint32_t bits : {0x20ffffffu, 0xff7fffffu, 0x21010000u, 0u}) {
        good.bits = bits; // negative, overflowing, above the limit, zero
        EXPECT_EQ(toy.tree.accept(good, now).verdict, HeaderVerdict::invalid);
    }
}

TEST(HeaderTree, NeverRetargetsOnRegtest) { // pitfalls C4
    Toy toy;
    EXPECT_EQ(accept_all(toy.tree, mine_branch(regtest, regtest.genesis, 4100, 1)),
              HeaderVerdict::extended);
    EXPECT_EQ(toy.tree.tip_height(), 4100);
    EXPECT_EQ(toy.tree.tip().header.bits, 0x207fffffu);
}

TEST(HeaderTree, JudgesABranchAcrossARetargetByItsOwnAncestors) { // pitfalls C4
    const auto network = toy_network(DifficultyRule::retarget, 0x203fffff);
    Toy toy(network);
    const auto shared = mine_branch(network, network.genesis, 2000, 600);
    accept_all(toy.tree, shared);
    // Two ways to the boundary: at the usual pace, and eight times as fast at the very end.
    const auto slow = mine_branch(network, shared.back(), 15, 86'400, 1);
    const auto fast = mine_branch(network, shared.back(), 15, 60, 2);
    accept_all(toy.tree, slow);
    ASSERT_EQ(accept_all(toy.tree, fast), HeaderVerdict::side);
    const auto bits_after = [&](const BlockHeader& last) {
        return chain::retarget(network, last.bits, network.genesis.time, last.time);
    };
    ASSERT_NE(bits_after(slow.back()), bits_after(fast.back()));
    const auto next = [&](const BlockHeader& last, std::uint32_t bits) {
        return mine(network, chain::hash_of(last), last.time + 600, bits);
    };
    EXPECT_EQ(toy.tree.accept(next(slow.back(), bits_after(fast.back())), now).verdict,
              HeaderVerdict::invalid);
    EXPECT_EQ(toy.tree.accept(next(fast.back(), bits_after(slow.back())), now).verdict,
              HeaderVerdict::invalid);
    EXPECT_EQ(toy.tree.accept(next(slow.back(), bits_after(slow.back())), now).verdict,
              HeaderVerdict::extended);
    const auto heavier = next(fast.back(), bits_after(fast.back()));
    const auto report = toy.tree.accept(heavier, now); // same height, harder last block
    ASSERT_EQ(report.verdict, HeaderVerdict::reorganised);
    EXPECT_EQ(report.reorganisation->fork, 2000);
    EXPECT_EQ(report.reorganisation->connected.size(), 16u);
    // And the period after goes on from the branch's own bits.
    EXPECT_EQ(toy.tree.accept(next(heavier, heavier.bits), now).verdict, HeaderVerdict::extended);
}

TEST(HeaderTree, HoldsTheStartOfAPeriodToBip94) { // pitfalls C5
    for (const bool in_time : {true, false}) {
        const auto network = toy_network(DifficultyRule::twenty_minutes_bip94, 0x207fffff);
        Toy toy(network);
        const auto period = mine_branch(network, network.genesis, 2015, 1000);
        accept_all(toy.tree, period);
        const auto time = period.back().time - (in_time ? 600 : 601);
        const auto header = mine(network, chain::hash_of(period.back()), time, 0x207fffff);
        EXPECT_EQ(toy.tree.accept(header, now).verdict,
                  in_time ? HeaderVerdict::extended : HeaderVerdict::invalid);
    }
}

TEST(HeaderTree, RefusesOldVersionsWhereTheyAreBuried) {
    WindowArchive archive;
    const auto& main = chain::network(chain::NetworkId::main);
    auto network = regtest;
    network.id = main.id;
    BlockHeader last = regtest.genesis;
    for (std::int32_t height = 388'360; height < 388'381; ++height) {
        last = mine(network, chain::hash_of(last), last.time + 600, 0x207fffff);
        archive.put(height, last);
    }
    HeaderTree tree(network, archive);
    auto old = mine(network, chain::hash_of(last), last.time + 600, 0x207fffff);
    old.version = 3;
    while (!chain::check_proof_of_work(chain::hash_of(old), old.bits, network))
        ++old.nonce;
    const auto report = tree.accept(old, now);
    EXPECT_EQ(report.verdict, HeaderVerdict::invalid);
    EXPECT_NE(report.reason.find("version"), std::string_view::npos);
}

TEST(HeaderTree, StopsAtTheGreatestHeight) { // pitfalls C8
    WindowArchive archive;
    BlockHeader last = regtest.genesis;
    for (std::int32_t height = limits::max_height - 12; height <= limits::max_height; ++height) {
        last = mine(regtest, chain::hash_of(last), last.time + 600, 0x207fffff);
        archive.put(height, last);
    }
    HeaderTree tree(regtest, archive);
    const auto report = tree.accept(mine_branch(regtest, last, 1)[0], now);
    EXPECT_EQ(report.verdict, HeaderVerdict::no_room);
    EXPECT_FALSE(report.reason.empty());
}

TEST(HeaderTree, KeepsALighterBranchWhoeverBragsAboutIt) { // pitfalls C7, C10
    Toy toy;
    const auto ours = mine_branch(regtest, regtest.genesis, 30);
    const auto wiped = mine_branch(regtest, regtest.genesis, 20, 600, 1);
    accept_all(toy.tree, ours);
    EXPECT_EQ(accept_all(toy.tree, wiped), HeaderVerdict::side);
    EXPECT_EQ(toy.tree.tip().header, ours.back());
    EXPECT_EQ(toy.tree.fork_height(chain::hash_of(wiped.back())), 0);
    EXPECT_EQ(toy.tree.fork_height(chain::hash_of(ours[9])), 10);
    EXPECT_FALSE(toy.tree.fork_height(Hash256{}));
}

TEST(HeaderTree, HoldsNothingOfWhatDoesNotConnect) { // pitfalls C6, C8
    Toy toy;
    const auto apart =
        mine_branch(regtest, mine(regtest, Hash256{{1}}, 1'300'000'000, 0x207fffff), 50);
    for (const auto& header : apart) {
        EXPECT_EQ(toy.tree.accept(header, now).verdict, HeaderVerdict::unlinked);
    }
    EXPECT_EQ(toy.tree.side_headers(), 0u);
}

TEST(HeaderTree, BoundsTheMemoryForEndlessLighterHeaders) { // pitfalls C8
    Toy toy(regtest, 50);
    accept_all(toy.tree, mine_branch(regtest, regtest.genesis, 200));
    const auto endless = mine_branch(regtest, regtest.genesis, 100, 600, 1);
    for (std::size_t i = 0; i < endless.size(); ++i) {
        const auto report = toy.tree.accept(endless[i], now);
        const auto expected = i < 50    ? HeaderVerdict::side
                              : i == 50 ? HeaderVerdict::no_room
                                        : HeaderVerdict::unlinked;
        ASSERT_EQ(report.verdict, expected) << i;
        EXPECT_LE(toy.tree.side_headers(), 50u);
    }
}

TEST(HeaderTree, LetsAStrongerBranchGrowWhereWeakOnesFilledTheMemory) { // pitfalls C8
    Toy toy(regtest, 50);
    const auto ours = mine_branch(regtest, regtest.genesis, 100);
    accept_all(toy.tree, ours);
    for (std::uint32_t salt = 1; salt <= 60; ++salt) { // siblings of the second block
        toy.tree.accept(mine_branch(regtest, ours[0], 1, 600, salt)[0], now);
    }
    EXPECT_EQ(toy.tree.side_headers(), 50u);
    const auto stronger = mine_branch(regtest, ours[79], 21, 600, 99);
    EXPECT_EQ(accept_all(toy.tree, stronger), HeaderVerdict::reorganised);
    EXPECT_EQ(toy.tree.tip().header, stronger.back());
    EXPECT_LE(toy.tree.side_headers(), 50u);
    for (std::size_t i = 80; i < 100; ++i) {
        EXPECT_TRUE(toy.tree.find(chain::hash_of(ours[i]))) << "the way back, " << i;
    }
}

// The locator

std::vector<std::int32_t> heights_of(const HeaderTree& tree, const std::vector<Hash256>& hashes) {
    std::vector<std::int32_t> heights;
    for (const auto& hash : hashes)
        heights.push_back(tree.find(hash)->height);
    return heights;
}

TEST(Locator, IsDenseAtTheTipAndDoublesDownToGenesis) { // pitfalls C2
    Toy toy;
    EXPECT_EQ(heights_of(toy.tree, toy.tree.locator()), (std::vector{0}));
    accept_all(toy.tree, mine_branch(regtest, regtest.genesis, 100));
    EXPECT_EQ(heights_of(toy.tree, toy.tree.locator()),
              (std::vector{100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 89, 85, 77, 61, 29, 0}));
    EXPECT_EQ(heights_of(toy.tree, toy.tree.locator(toy.tree.at(3).hash)),
              (std::vector{3, 2, 1, 0}));
    EXPECT_EQ(toy.tree.locator(Hash256{{9}}), toy.tree.locator());
}

TEST(Locator, OfASideBranchRunsDownThatBranch) {
    Toy toy;
    const auto ours = mine_branch(regtest, regtest.genesis, 20);
    const auto side = mine_branch(regtest, ours[9], 5, 600, 1);
    accept_all(toy.tree, ours);
    accept_all(toy.tree, side);
    const auto locator = toy.tree.locator(chain::hash_of(side.back()));
    EXPECT_EQ(heights_of(toy.tree, locator),
              (std::vector{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 4, 0}));
    EXPECT_EQ(locator[4], chain::hash_of(side[0]));
    EXPECT_EQ(locator[5], chain::hash_of(ours[9]));
}

TEST(Locator, LeadsOffADeadBranchWithinTwoRequests) { // pitfalls C2
    Toy toy(regtest, 1000);
    const auto shared = mine_branch(regtest, regtest.genesis, 3000);
    accept_all(toy.tree, shared);
    accept_all(toy.tree, mine_branch(regtest, shared.back(), 150, 600, 1));
    auto server = shared;
    for (const auto& header : mine_branch(regtest, shared.back(), 160, 600, 2)) {
        server.push_back(header);
    }
    int requests = 0;
    for (; requests < 2 && toy.tree.tip().header != server.back(); ++requests) {
        // The server goes on after the first hash it has on its own chain.
        std::size_t from = 0;
        for (const auto& hash : toy.tree.locator()) {
            const auto found = std::find_if(server.begin(), server.end(), [&](const auto& header) {
                return chain::hash_of(header) == hash;
            });
            if (found == server.end()) continue;
            from = static_cast<std::size_t>(found - server.begin()) + 1;
            break;
        }
        const auto end = std::min(server.size(), from + limits::max_headers_per_message);
        for (auto i = from; i < end; ++i)
            toy.tree.accept(server[i], now);
    }
    EXPECT_EQ(toy.tree.tip().header, server.back());
}

// Storing

TEST(HeaderTree, IsTheSameAfterARestart) {
    Toy toy;
    accept_all(toy.tree, mine_branch(regtest, regtest.genesis, 40));
    toy.archive.apply(toy.tree.unsaved());
    toy.tree.saved(toy.tree.tip().hash);
    EXPECT_TRUE(toy.tree.unsaved().empty());
    EXPECT_EQ(toy.tree.unsaved().fork, 40);
    const HeaderTree again(regtest, toy.archive);
    EXPECT_EQ(again.tip(), toy.tree.tip());
    EXPECT_EQ(again.locator(), toy.tree.locator());
    EXPECT_EQ(again.median_time(40), toy.tree.median_time(40));
}

TEST(HeaderTree, ShadowsTheArchiveAboveAForkUntilSaved) {
    Toy toy;
    const auto old = mine_branch(regtest, regtest.genesis, 10);
    accept_all(toy.tree, old);
    toy.archive.apply(toy.tree.unsaved());
    toy.tree.saved(toy.tree.tip().hash);
    const auto heavier = mine_branch(regtest, old[3], 7, 600, 1);
    ASSERT_EQ(accept_all(toy.tree, heavier), HeaderVerdict::reorganised);
    EXPECT_EQ(toy.archive.tip_height(), 10); // still the old branch
    EXPECT_FALSE(toy.tree.height_of(chain::hash_of(old[4])));
    EXPECT_EQ(toy.tree.fork_height(chain::hash_of(old[4])), 4);
    EXPECT_EQ(toy.tree.at(5).header, heavier[0]);
    const auto change = toy.tree.unsaved();
    EXPECT_EQ(change.fork, 4);
    EXPECT_EQ(change.headers.size(), 7u);
    toy.archive.apply(change);
    toy.tree.saved(change.headers.back().hash);
    EXPECT_TRUE(toy.tree.unsaved().empty());
    EXPECT_EQ(toy.tree.at(5).header, heavier[0]);
    EXPECT_EQ(toy.archive.tip_height(), 11);
}

TEST(HeaderTree, KeepsWhatCameWhileTheStoreWasBusy) {
    Toy toy;
    const auto first = mine_branch(regtest, regtest.genesis, 10);
    accept_all(toy.tree, {first.begin(), first.begin() + 6});
    const auto change = toy.tree.unsaved();
    accept_all(toy.tree, {first.begin() + 6, first.end()});
    toy.archive.apply(change);
    toy.tree.saved(change.headers.back().hash);
    EXPECT_EQ(toy.tree.unsaved().fork, 6);
    EXPECT_EQ(toy.tree.unsaved().headers.size(), 4u);
    EXPECT_EQ(toy.tree.tip_height(), 10);
}

TEST(HeaderTree, SortsOutAReorganisationWhileTheStoreWasBusy) {
    Toy toy;
    const auto old = mine_branch(regtest, regtest.genesis, 10);
    accept_all(toy.tree, old);
    const auto change = toy.tree.unsaved();
    const auto heavier = mine_branch(regtest, old[3], 7, 600, 1);
    accept_all(toy.tree, heavier);
    toy.archive.apply(change); // the store holds the old branch now
    toy.tree.saved(change.headers.back().hash);
    const auto next = toy.tree.unsaved();
    EXPECT_EQ(next.fork, 4);
    EXPECT_EQ(next.headers.size(), 7u);
    toy.archive.apply(next);
    toy.tree.saved(next.headers.back().hash);
    EXPECT_TRUE(toy.tree.unsaved().empty());
    EXPECT_EQ(toy.archive.at(11).header, heavier.back());
}

TEST(HeaderTree, DropsNothingWhenToldOfAStoreThatDidNotHappen) {
    Toy toy;
    accept_all(toy.tree, mine_branch(regtest, regtest.genesis, 5));
    toy.tree.saved(toy.tree.tip().hash);
    EXPECT_EQ(toy.tree.unsaved().headers.size(), 6u);
    EXPECT_EQ(toy.tree.at(3).height, 3);
}

} // namespace
} // namespace headlight::tests
