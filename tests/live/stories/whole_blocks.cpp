// Whole blocks of a real node, with and without its filters: bitcoind's own balance.
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <boost/json/array.hpp>

namespace headlight::stories {

using client::Method;

class WholeBlocks : public Story {
  protected:
    static Change by(Method method) {
        return [method](client::SyncOptions& options) { options.method = method; };
    }
    /// Payments to all kinds of scripts beyond a filter's look-ahead, and a spend without change.
    static void pay_and_spend(Bitcoind& node, const StoryWallet& wallet) {
        for (const auto kind : all_kinds) {
            std::vector<chain::TxOut> outputs;
            for (std::uint32_t index = 19; index < 300; index += 20)
                outputs.push_back({coin / 100 + index, wallet.script(kind, 0, index)});
            node.send_raw(fund(node, outputs));
        }
        const auto paid = node.transaction(node.pay(wallet.address(0), coin));
        node.mine(2, strangers_address());
        const Signer signer(node, wallet);
        const auto from = output_to(paid, script_of(wallet.address(0)));
        node.send_raw(signer.spend({from}, {{coin - fee, script_of(strangers_address())}}));
        node.mine(1, strangers_address());
    }
};

TEST_F(WholeBlocks, GiveTheBalanceOfBitcoind) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    pay_and_spend(node(), wallet);
    const auto outcome = sync(wallet, node(), by(Method::full));
    EXPECT_TRUE(outcome.whole_blocks);
    EXPECT_EQ(outcome.statistics.filterloads, 0);
    EXPECT_GT(wallet.books().balance.confirmed, 0);
    expect_equal_to_bitcoind(node(), wallet, 600);
    // The other method goes on from there.
    node().pay(wallet.address(1), coin / 8);
    mine(1);
    EXPECT_FALSE(sync(wallet, node(), by(Method::bip37)).whole_blocks);
    expect_equal_to_bitcoind(node(), wallet, 600);
}

TEST_F(WholeBlocks, ShowPendingPaymentsAndFollowAReorganisation) {
    StoryWallet wallet(folder());
    wallet.create();
    const auto paid = pay_at_any_height(wallet.address(0), coin / 4);
    sync(wallet, node(), by(Method::full));
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, coin / 4, 0}));
    mine(2);
    sync(wallet, node(), by(Method::full));
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{coin / 4, 0, 0}));
    const auto fork = node().height() - 2;
    node().invalidate(node().block_hash(fork + 1));
    mine(1); // with the payment again
    mine(3);
    sync(wallet, node(), by(Method::full));
    EXPECT_EQ(wallet.books().entry(paid)->height, fork + 1);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(WholeBlocks, AreTakenWhereNobodyFilters) {
    const auto closed = start_node(110, {.bloom = false});
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    pay_and_spend(*closed, wallet);
    expect_failed(try_sync(wallet, {closed.get()}, by(Method::bip37)), errc::no_bloom,
                  {"--method full"});
    std::vector<Error> warnings;
    const auto outcome =
        try_sync(wallet, {closed.get()}, by(Method::either), [&](const sync::Notice& notice) {
            if (const auto* warning = std::get_if<sync::notice::Warning>(&notice))
                warnings.push_back(warning->error);
        });
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_TRUE(outcome.whole_blocks);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, errc::no_bloom);
    expect_equal_to_bitcoind(*closed, wallet, 600);
}

TEST_F(WholeBlocks, AreTheProgramsOnRequest) {
    const auto closed = start_node(0, {.bloom = false});
    StoryWallet wallet(folder());
    wallet.create();
    closed->mine(3, wallet.address(0));
    const auto peer = p2p::to_string(closed->endpoint());
    EXPECT_EQ(run_program(wallet, {"sync", "--peer", peer}).exit_code, 1);
    const std::vector<std::pair<std::string, std::string>> ways{
        {"--privacy", "full"}, {"--method", "full"}, {"--method", "auto"}};
    for (const auto& [option, value] : ways) {
        const std::vector<std::string> arguments{"sync", "--peer", peer, option, value};
        const auto ran = run_program(wallet, arguments);
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(ran.json().at("method").as_string(), "full");
        EXPECT_EQ(ran.json().at("balance").at("immature").to_number<Amount>(), 150 * coin);
    }
}

} // namespace headlight::stories
