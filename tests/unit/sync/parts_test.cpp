// How many parts a wallet's scripts are spread over, and which peer may see which.
#include "sync/parts.hpp"

#include "bip37/sizing.hpp"
#include "chain/memory_archive.hpp"
#include "sync/filter.hpp"

#include <gtest/gtest.h>

namespace headlight::sync {
namespace {

std::unique_ptr<wallet::Wallet> wallet_of_scripts(std::uint32_t count) {
    const auto& network = chain::network(chain::NetworkId::regtest);
    auto made = wallet::Wallet::create(network, 99, 0);
    auto filter = made->filter();
    filter.secret = {7};
    made->set_filter(filter);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, 8 - number.size(), '0');
        const auto text = "raw(0014" + std::string(32, '1') + number + ")";
        EXPECT_TRUE(made->add(*wallet::Descriptor::parse(text, network), 20, {}, false));
    }
    return made;
}

TEST(WalletParts, AreOneFilterUntilItIsFullThenAsManyAsLeaveRoom) {
    const auto held = static_cast<std::uint32_t>(bip37::capacity(limits::max_filter_bytes, 0.001));
    ASSERT_EQ(held, 20'031u);
    const auto full = wallet_of_scripts(held);
    choose_parts(*full, 0.001, 1, {"a:1"});
    EXPECT_EQ(full->filter().shards, 1u) << "it just holds them";
    const auto over = wallet_of_scripts(held + 1);
    choose_parts(*over, 0.001, 1, {"a:1"});
    EXPECT_EQ(over->filter().shards, 2u);
    // A rate that fewer elements fill a filter at, and two groups to share them.
    choose_parts(*over, 0.000001, 1, {"a:1"});
    EXPECT_EQ(over->filter().shards, 4u) << "25,000 in filters of 10,015";
    choose_parts(*over, 0.1, 1, {"a:1"});
    EXPECT_EQ(over->filter().shards, 4u) << "never fewer again: that would spread all anew";
    choose_parts(*over, 0.0005, 4, {"a:1", "b:1", "c:1", "d:1"});
    EXPECT_EQ(over->filter().shards, 1u) << "but for a split, which does so anyway";
    const auto split = wallet_of_scripts(held + 1);
    choose_parts(*split, 0.001, 4, {"a:1", "b:1", "c:1", "d:1"});
    EXPECT_EQ(split->filter().shards, 1u);
    EXPECT_EQ(Parts(*split).count(), 4u);
}

TEST(WalletParts, AreOfAboutOneSizeAndEachFilterHoldsItsOwn) {
    const auto wallet = wallet_of_scripts(30'000);
    choose_parts(*wallet, 0.0005, 1, {"a:1"});
    const Parts parts(*wallet);
    ASSERT_EQ(parts.count(), 4u);
    EXPECT_LT(elements_of(*wallet, parts), 7'500u + 300u) << "of the fullest";
    std::vector<bip37::BloomFilter> filters;
    for (std::uint32_t part = 0; part < parts.count(); ++part)
        filters.push_back(filter_of(*wallet, 0.0005, parts, part));
    for (std::size_t i = 0; i < wallet->scripts().size(); ++i) {
        const auto elements = wallet->scripts().at(i).elements();
        EXPECT_EQ(parts.at(i), parts.of(wallet->scripts().at(i).script_pubkey));
        EXPECT_TRUE(filters[parts.at(i)].contains(elements.front()));
    }
    for (const auto& filter : filters)
        EXPECT_LT(filter.false_positive_rate(), 0.0005 * 1.1);
}

TEST(WalletParts, NeedTheSecretToBeTold) {
    const auto wallet = wallet_of_scripts(100);
    auto filter = wallet->filter();
    filter.shards = 2;
    wallet->set_filter(filter);
    const Parts one(*wallet);
    std::vector<std::uint32_t> before;
    for (std::size_t i = 0; i < 100; ++i)
        before.push_back(one.at(i));
    filter.secret = {8};
    wallet->set_filter(filter);
    const Parts other(*wallet);
    int moved = 0;
    for (std::size_t i = 0; i < 100; ++i)
        moved += other.at(i) != before[i];
    EXPECT_GT(moved, 25);
}

TEST(WalletParts, HaveTweaksOfTheirOwnThatFollowFromTheSecretAlone) {
    wallet::FilterParameters parameters{.tweak = 99, .secret = {1}};
    EXPECT_EQ(tweak_of(parameters, 0, {}), 99u) << "one filter keeps the wallet's tweak";
    const auto circuit = tweak_of(parameters, 0, "a.onion:8333");
    EXPECT_NE(circuit, 99u);
    EXPECT_NE(circuit, tweak_of(parameters, 0, "b.onion:8333"));
    EXPECT_EQ(circuit, tweak_of(parameters, 0, "a.onion:8333"));
    parameters.tweak = 100;
    EXPECT_EQ(circuit, tweak_of(parameters, 0, "a.onion:8333"))
        << "32 bits of tweak are tried through: they must not lead from one to the next";
    parameters.shards = 2;
    EXPECT_NE(tweak_of(parameters, 0, {}), tweak_of(parameters, 1, {}));
    EXPECT_NE(tweak_of(parameters, 0, {}), 100u);
}

TEST(WalletParts, OfAGroupAreEveryNth) {
    const wallet::FilterParameters parameters{.shards = 2, .split = 3};
    EXPECT_EQ(parts_of_group(parameters, 0), (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(parts_of_group(parameters, 2), (std::vector<std::uint32_t>{2, 5}));
    EXPECT_EQ(parts_of_group({}, 0), (std::vector<std::uint32_t>{0}));
}

TEST(WalletParts, NoMorePeersAreRememberedThanThereIsRoomFor) {
    const auto wallet = wallet_of_scripts(1);
    std::vector<std::string> peers;
    for (std::size_t i = 0; i < limits::max_grouped_peers + 10; ++i)
        peers.push_back("peer-" + std::to_string(i) + ":1");
    choose_parts(*wallet, 0.0005, 2, peers);
    EXPECT_EQ(wallet->filter().groups.size(), limits::max_grouped_peers);
}

/// The cures of the warnings of a run that spreads the scripts over so many filters.
std::vector<std::string> warnings(wallet::Wallet& wallet, std::uint32_t shards) {
    auto parameters = wallet.filter();
    parameters.shards = shards;
    wallet.set_filter(parameters);
    const chain::MemoryArchive archive;
    Context context(wallet.network(), archive, wallet, Config{.fp_rate = 0.000001});
    FilterKeeper keeper(context);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(keeper.make()->sent.data().size(), limits::max_filter_bytes);
    std::vector<std::string> cures;
    for (const auto& action : context.actions) {
        const auto& notice = std::get<action::Notify>(action).notice;
        cures.push_back(std::get<notice::Warning>(notice).error.cure);
    }
    return cures;
}

TEST(WalletParts, ThatAreOverfullAreSaidToBeOnceWithWhatHelps) {
    const auto wallet = wallet_of_scripts(21'000); // filters hold 10,015 each
    const auto told = warnings(*wallet, 1);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("the next run spreads"), std::string::npos);
    EXPECT_TRUE(warnings(*wallet, 4).empty());
}

TEST(WalletParts, AreCountedByTheFullest) {
    // Two parts would do on the average, to the last element; the fuller one of them is overfull.
    const auto wallet = wallet_of_scripts(20'030);
    auto parameters = wallet->filter();
    parameters.shards = 2;
    wallet->set_filter(parameters);
    ASSERT_GT(elements_of(*wallet, Parts(*wallet)), 10'015u);
    choose_parts(*wallet, 0.000001, 1, {"a:1"});
    EXPECT_EQ(wallet->filter().shards, 4u);
    EXPECT_LT(elements_of(*wallet, Parts(*wallet)), 10'015u);
}

} // namespace
} // namespace headlight::sync
