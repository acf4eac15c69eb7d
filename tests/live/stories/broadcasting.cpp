// Signed transactions announced by headlight, and payments proved.
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <boost/json/serialize.hpp>

#include <fstream>

namespace headlight::stories {

class Broadcasting : public Story {
  protected:
    // A wallet with one confirmed coin, and a signed payment out of it.
    struct Ready {
        StoryWallet wallet;
        chain::Transaction tx;
    };
    Ready ready() const {
        Ready made{StoryWallet(folder()), {}};
        made.wallet.create();
        const auto paid = node().transaction(node().pay(made.wallet.address(0), coin));
        mine(1);
        sync(made.wallet, node());
        const Signer signer(node(), made.wallet);
        made.tx = signer.spend({output_to(paid, script_of(made.wallet.address(0)))},
                               {{coin / 4, script_of(node().new_address())},
                                {coin / 2, made.wallet.script(AccountKind::wpkh, 1, 0)}});
        return made;
    }

    static client::SyncOutcome announce(const StoryWallet& wallet, const chain::Transaction& tx,
                                        const std::vector<const Bitcoind*>& nodes) {
        return try_sync(wallet, nodes,
                        [&](client::SyncOptions& options) { options.config.broadcast = tx; });
    }
};

TEST_F(Broadcasting, OneNodeTakesItAndShowsIt) {
    const auto [wallet, tx] = ready();
    const auto outcome = announce(wallet, tx, {&node()});
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(node().mempool(), std::vector{chain::txid(tx)});
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{0, coin / 2, 0}));
    expect_equal_to_bitcoind(node(), wallet);
    mine(1);
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Broadcasting, OfTwoConnectedNodesOneTakesItAndTheOtherShowsIt) {
    const auto other = start_node();
    other->connect(node());
    const auto [wallet, tx] = ready();
    wait_for_tip(*other, node().best_hash());
    const auto outcome = announce(wallet, tx, {other.get(), &node()});
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(node().mempool(), std::vector{chain::txid(tx)});
    EXPECT_EQ(other->mempool(), std::vector{chain::txid(tx)});
    mine(1);
}

TEST_F(Broadcasting, AnInvalidOneIsNeverCalledSent) {
    auto [wallet, tx] = ready();
    tx.inputs[0].witness[0][10] ^= 1;
    const auto outcome = announce(wallet, tx, {&node()});
    expect_failed(outcome, errc::not_accepted, {chain::txid(tx).to_string()});
    EXPECT_TRUE(node().mempool().empty());
    EXPECT_EQ(wallet.books().balance, (wallet::Balance{coin, 0, 0}));
}

TEST_F(Broadcasting, TheProgramTakesHexAndNamesWhoShowedIt) {
    const auto [wallet, tx] = ready();
    const auto peer = p2p::to_string(node().endpoint());
    const auto ran = run_program(wallet, {"broadcast", to_hex(serialize(tx)), "--peer", peer});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("txid").as_string(), chain::txid(tx).to_string());
    EXPECT_EQ(ran.json().at("accepted_by").as_array().size(), 1U);
    EXPECT_EQ(run_program(wallet, {"balance"}).json().at("unconfirmed"), coin / 2);
    mine(1);
}

TEST_F(Broadcasting, AProofOfAConfirmedPaymentConvincesWhoHasTheHeaders) {
    StoryWallet wallet(folder()), other(folder("other"));
    wallet.create();
    other.create();
    std::vector<chain::Hash256> paid;
    for (std::uint32_t i = 0; i < 5; ++i)
        paid.push_back(node().pay(wallet.address(i), coin / 50));
    mine(2);
    sync(wallet, node());
    sync(other, node());
    const auto file = folder("proof.json");
    for (const auto& txid : paid) {
        const auto proof = run_program(wallet, {"proof", txid.to_string()});
        ASSERT_EQ(proof.exit_code, 0) << proof.err;
        std::ofstream(file) << proof.out;
        const auto verified = run_program(other, {"verify", file.string()});
        ASSERT_EQ(verified.exit_code, 0) << verified.err;
        EXPECT_EQ(verified.json().at("valid"), true);
        EXPECT_EQ(verified.json().at("confirmations"), 2);
        EXPECT_EQ(proof.json().at("block").as_string(),
                  node().block_hash(node().height() - 1).to_string());

        auto forged = proof.json().as_object();
        forged["position"] = forged.at("position").to_number<int>() ^ 1;
        std::ofstream(file) << boost::json::serialize(forged);
        EXPECT_EQ(run_program(other, {"verify", file.string()}).exit_code, 1);
    }
    // Once its block is gone from the chain, the proof proves nothing.
    const auto proof = run_program(wallet, {"proof", paid.front().to_string()});
    std::ofstream(file) << proof.out;
    node().invalidate(node().block_hash(node().height() - 1));
    mine(3);
    sync(other, node());
    EXPECT_EQ(run_program(other, {"verify", file.string()}).exit_code, 1);
}

} // namespace headlight::stories
