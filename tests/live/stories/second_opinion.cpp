// Two real nodes, of which one is asked for what the other one scanned: their answers differ where
// auto-update has grown their filters apart, and nobody is to blame for that.
#include "tests/live/stories/fixture.hpp"

namespace headlight::stories {

class SecondOpinion : public Story {};

TEST_F(SecondOpinion, OfTwoRealNodesBlamesNobody) {
    const auto other = start_node();
    other->connect(node());
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    const Signer signer(node(), wallet);
    for (std::uint32_t i = 0; i < 4; ++i) {
        const auto paid = node().transaction(node().pay(wallet.address(i), coin / 4));
        mine(2);
        // One with change and one without: the last matches by its outpoint alone.
        std::vector<chain::TxOut> outputs{{coin / 8, script_of(strangers_address())}};
        if (i % 2) outputs.push_back({coin / 16, wallet.script(AccountKind::wpkh, 1, i)});
        node().send_raw(signer.spend({output_to(paid, script_of(wallet.address(i)))}, outputs));
        mine(2);
    }
    wait_for_tip(*other, node().best_hash());
    const auto outcome = try_sync(wallet, {&node(), other.get()}, [](client::SyncOptions& options) {
        options.config.cross_check = 1.0;
    });
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(outcome.statistics.omissions, 0);
    EXPECT_EQ(outcome.statistics.unchecked, 0);
    EXPECT_EQ(outcome.statistics.cross_checked, node().height());
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
