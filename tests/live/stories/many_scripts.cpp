// A wallet that no single filter holds: 100,000 addresses beside keys that spend, in eight filters
// on eight connections to one bitcoind; and by halves between two, of which neither is shown all.
#include "tests/live/stories/fixture.hpp"

#include "wallet/address.hpp"

#include <boost/json.hpp>

namespace headlight::stories {

class ManyScripts : public Story {};

namespace {

constexpr std::uint32_t addresses = 100'000;

/// Of no known key; which one is where is mixed, so that no part is special.
std::string watched_address(std::uint32_t number) {
    Bytes script{0x00, 0x14};
    const auto digest = chain::sha256(Bytes{static_cast<std::uint8_t>(number),
                                            static_cast<std::uint8_t>(number >> 8),
                                            static_cast<std::uint8_t>(number >> 16)});
    script.insert(script.end(), digest.begin(), digest.begin() + 20);
    return *wallet::encode_address(script, chain::network(chain::NetworkId::regtest));
}

std::vector<std::string> watched_addresses(std::uint32_t count) {
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < count; ++i)
        all.push_back(watched_address(i));
    return all;
}

/// What bitcoind's own set of unspent outputs holds for these addresses.
std::map<chain::OutPoint, Amount> unspent(Bitcoind& node, const std::vector<std::string>& all) {
    boost::json::array descriptors;
    for (const auto& address : all)
        descriptors.emplace_back("addr(" + address + ")");
    const auto found = node.rpc("scantxoutset", {"start", std::move(descriptors)});
    EXPECT_TRUE(found) << to_string(found.error());
    std::map<chain::OutPoint, Amount> coins;
    for (const auto& each : found->at("unspents").as_array()) {
        const auto txid = chain::Hash256::from_string(each.at("txid").as_string());
        coins[{*txid, each.at("vout").to_number<std::uint32_t>()}] =
            std::llround(each.at("amount").to_number<double>() * coin);
    }
    return coins;
}

std::map<chain::OutPoint, Amount> coins_of(const Books& books) {
    std::map<chain::OutPoint, Amount> coins;
    for (const auto& each : books.coins)
        coins[each.outpoint] = each.output.amount;
    return coins;
}

} // namespace

TEST_F(ManyScripts, AHundredThousandSyncOverSeveralFilters) {
    StoryWallet wallet(folder());
    wallet.create();
    auto all = watched_addresses(addresses);
    wallet.watch(all);
    for (std::uint32_t i = 0; i < 20; ++i)
        all.push_back(wallet.address(i));
    const Signer signer(node(), wallet);
    for (std::uint32_t block = 0; block < 8; ++block) {
        std::vector<PaidTo> outputs;
        for (std::uint32_t i = 0; i < 40; ++i)
            outputs.push_back({all[(block * 12'347 + i * 311) % addresses], 50'000 + i});
        outputs.push_back({wallet.address(block), coin / 10});
        const auto paid = node().transaction(node().pay(outputs));
        if (block % 2) mine(1); // else payment and spend stand in one block
        // Without change: it matches by the outpoint alone, in the part of the script it was paid
        // to.
        node().send_raw(signer.spend({output_to(paid, script_of(wallet.address(block)))},
                                     {{coin / 10 - fee, script_of(all[block * 77])}}));
        mine(1);
    }
    const auto outcome = sync(wallet, node());
    EXPECT_EQ(outcome.statistics.parts, 8u);
    EXPECT_GE(outcome.statistics.filterloads, 8);
    const auto expected = unspent(node(), all);
    EXPECT_EQ(expected.size(), 8u * 41u);
    EXPECT_EQ(coins_of(wallet.books()), expected);
}

TEST_F(ManyScripts, ASplitBetweenTwoNodesIsComplete) {
    const auto other = start_node();
    other->connect(node());
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    const Signer signer(node(), wallet);
    for (std::uint32_t i = 0; i < 6; ++i) {
        const auto paid = node().transaction(node().pay(wallet.address(i), coin / 4));
        mine(1);
        node().send_raw(signer.spend({output_to(paid, script_of(wallet.address(i)))},
                                     {{coin / 8, script_of(strangers_address())},
                                      {coin / 16, wallet.script(AccountKind::tr, 1, i)}}));
        mine(1);
    }
    wait_for_tip(*other, node().best_hash());
    const auto outcome = try_sync(wallet, {&node(), other.get()},
                                  [](client::SyncOptions& options) { options.filter.split = 2; });
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(outcome.statistics.parts, 2u);
    EXPECT_EQ(outcome.statistics.peers.size(), 2u);
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
