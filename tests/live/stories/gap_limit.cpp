// Wallets that jump ahead: each payment to an address as far beyond the last used one as the gap
// limit allows (pitfalls A2, A10).
#include "tests/live/stories/fixture.hpp"

#include <algorithm>

namespace headlight::stories {

class GapLimit : public Story {};

namespace {

constexpr int bitcoind_range = 1'000;

// 19, 39, 59 ...: each the last one that a gap limit of 20 allows.
std::vector<std::uint32_t> farthest_jumps(std::uint32_t count, std::uint32_t gap = 20) {
    std::vector<std::uint32_t> indexes;
    for (std::uint32_t i = 1; i <= count; ++i)
        indexes.push_back(i * gap - 1);
    return indexes;
}

std::vector<chain::TxOut> outputs_at(const StoryWallet& wallet,
                                     const std::vector<std::uint32_t>& indexes) {
    std::vector<chain::TxOut> outputs;
    for (const auto index : indexes)
        outputs.push_back({10'000 + index, wallet.script(AccountKind::wpkh, 0, index)});
    return outputs;
}

std::int64_t highest_used(const StoryWallet& wallet, std::size_t branch) {
    const auto opened =
        client::open_wallet(wallet.paths(), wallet::store::WalletDb::Mode::read_only).value();
    return opened.wallet->scripts().descriptors().front().branches[branch].highest_used;
}

} // namespace

TEST_F(GapLimit, AChainOfJumpsOverManyBlocksIsFollowed) {
    StoryWallet wallet(folder());
    wallet.create();
    for (const auto index : farthest_jumps(30)) {
        node().pay(wallet.address(index), 10'000 + index);
        mine(1);
    }
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 30U);
    EXPECT_EQ(highest_used(wallet, 0), 599);
    expect_equal_to_bitcoind(node(), wallet, bitcoind_range);
}

TEST_F(GapLimit, AChainOfJumpsInsideOneBlockIsFollowedFromTheLastToTheFirst) {
    StoryWallet wallet(folder());
    wallet.create();
    // Thirty transactions that one transaction funds, in the order that helps a scan least.
    const auto indexes = farthest_jumps(30);
    const auto source = node().new_address();
    const auto sources = fund(node(), std::vector<chain::TxOut>(30, {50'000, script_of(source)}));
    node().mine_block({sources});
    std::vector<chain::Transaction> payments;
    for (std::size_t i = indexes.size(); i-- > 0;) {
        chain::Transaction tx;
        tx.inputs = {{{chain::txid(sources), static_cast<std::uint32_t>(i)}, {}, 0xfffffffd, {}}};
        tx.outputs = outputs_at(wallet, {indexes[i]});
        const auto is_signed =
            node().rpc("signrawtransactionwithwallet", {to_hex(serialize(tx))}).value();
        const auto bytes = from_hex(std::string_view(is_signed.at("hex").as_string())).value();
        payments.push_back(chain::parse_transaction(bytes).value());
    }
    node().mine_block(payments);
    mine(3);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 30U);
    EXPECT_EQ(highest_used(wallet, 0), 599);
    expect_equal_to_bitcoind(node(), wallet, bitcoind_range);
}

TEST_F(GapLimit, OneTransactionThatPaysIndexes0To59OfBothBranchesIsSeenWhole) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = {AccountKind::tr}});
    std::vector<chain::TxOut> outputs;
    for (std::uint32_t branch = 0; branch < 2; ++branch)
        for (std::uint32_t i = 0; i < 60; ++i)
            outputs.push_back({20'000 + i, wallet.script(AccountKind::tr, branch, 59 - i)});
    node().mine_block({fund(node(), outputs)});
    sync(wallet, node());
    EXPECT_EQ(wallet.books().coins.size(), 120U);
    EXPECT_EQ(highest_used(wallet, 0), 59);
    EXPECT_EQ(highest_used(wallet, 1), 59);
    expect_equal_to_bitcoind(node(), wallet, bitcoind_range);
}

TEST_F(GapLimit, AGapOfOneOwnsChoiceIsHonoured) {
    StoryWallet wide(folder());
    wide.create({.gap = 400});
    const auto paid = fund(node(), outputs_at(wide, {399, 799}));
    node().mine_block({paid});
    sync(wide, node());
    EXPECT_EQ(wide.books().coins.size(), 2U);
    expect_equal_to_bitcoind(node(), wide, bitcoind_range);
}

TEST_F(GapLimit, JumpsThatArriveAfterTheFirstSyncAreFollowedToo) {
    StoryWallet wallet(folder());
    wallet.create();
    sync(wallet, node());
    for (const auto index : farthest_jumps(24)) {
        node().pay(wallet.address(index), 10'000 + index);
        if (index % 80 == 79) {
            mine(1);
            sync(wallet, node());
        }
    }
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 24U);
    expect_equal_to_bitcoind(node(), wallet, bitcoind_range);
}

} // namespace headlight::stories
