// The wallet as a whole: scan positions, rescans, agreeing with the chain, changes.
#include "ledger_help.hpp"

#include "chain/memory_archive.hpp"
#include "tests/support/mining.hpp"
#include "wallet/wallet.hpp"

namespace headlight::wallet {
namespace {

using Kind = Birthday::Kind;

/// A regtest chain that can be cut and grown on.
class Chain {
  public:
    Chain() : tree(regtest(), archive) {}

    void grow(int blocks, std::uint32_t salt = 0) { grow_from(tree.tip_height(), blocks, salt); }
    void grow_from(std::int32_t height, int blocks, std::uint32_t salt) {
        auto parent = tree.at(height);
        for (int i = 0; i < blocks; ++i) {
            const auto header = tests::mine(regtest(), parent.hash, parent.header.time + 600,
                                            regtest().genesis.bits, salt);
            const auto report = tree.accept(header, header.time);
            ASSERT_NE(report.verdict, chain::HeaderVerdict::invalid) << report.reason;
            parent = *tree.find(chain::hash_of(header));
        }
    }
    ScanPosition position(std::int32_t height) const { return {height, tree.at(height).hash}; }
    Confirmation in(std::int32_t height) const {
        return {height, tree.at(height).hash, tree.at(height).header.time, 1, 2, {}};
    }

    chain::MemoryArchive archive;
    chain::HeaderTree tree;
};

std::unique_ptr<Wallet> new_wallet() {
    auto wallet = Wallet::create(regtest(), 7, 1'700'000'000, "d34db33f");
    EXPECT_TRUE(wallet->add(raw_descriptor(our_script(0)), 20, {Kind::height, 0}, false));
    return wallet;
}

void scan_to(Wallet& wallet, const Chain& chain, std::int32_t height) {
    while (wallet.scan().height < height) {
        wallet.set_scan(chain.position(wallet.scan().height + 1));
    }
}

TEST(Wallet, TheTrailIsDenseThenDoublingAndEndsInTheEarliest) { // pitfalls D5, D1
    const auto wallet = new_wallet();
    for (std::int32_t height = 0; height <= 5000; ++height) {
        wallet->set_scan({height, block_hash(height)});
    }
    const auto trail = wallet->state().scan_trail;
    EXPECT_LT(trail.size(), 50u);
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_EQ(trail[i].height, 4999 - static_cast<int>(i));
    EXPECT_EQ(trail.back().height, 0);
    for (std::size_t i = 1; i < trail.size(); ++i) {
        const auto near = 5000 - trail[i - 1].height;
        EXPECT_LE(5000 - trail[i].height, 4 * near + 4) << "a hole in the trail";
        EXPECT_EQ(trail[i].hash, block_hash(trail[i].height));
    }
    wallet->set_scan({100, block_hash(100)}); // back: what lies above is no longer true
    for (const auto& at : wallet->state().scan_trail)
        EXPECT_LT(at.height, 100);
}

TEST(Wallet, ANewDescriptorIsScannedForFromItsBirthday) { // pitfalls D6, D7
    auto wallet = Wallet::create(regtest(), 7, 0);
    EXPECT_EQ(wallet->rescan(), std::nullopt);
    wallet->add(raw_descriptor(our_script(1)), 20, {Kind::height, 500}, false).value();
    EXPECT_EQ(wallet->rescan(), (Birthday{Kind::height, 500}));
    wallet->add(raw_descriptor(our_script(2)), 20, {Kind::height, 300}, false).value();
    wallet->add(raw_descriptor(our_script(3)), 20, {Kind::height, 900}, false).value();
    EXPECT_EQ(wallet->rescan(), (Birthday{Kind::height, 300}));
    wallet->clear_rescan();
    EXPECT_EQ(wallet->rescan(), std::nullopt);
    wallet->add(raw_descriptor(our_script(3)), 20, {Kind::height, 1}, false).value();
    EXPECT_EQ(wallet->rescan(), std::nullopt); // known already
}

TEST(Wallet, AHeightAndATimeAreBothKeptUntilTheyAreResolved) { // pitfalls D5
    auto wallet = Wallet::create(regtest(), 7, 0);
    wallet->request_rescan({Kind::time, 1'600'000'000});
    wallet->request_rescan({Kind::height, 40});
    wallet->request_rescan({Kind::time, 1'500'000'000});
    wallet->request_rescan({Kind::height, 50});
    auto again = Wallet::load(wallet->state(), regtest()).value();
    EXPECT_EQ(again->rescan(), (Birthday{Kind::time, 1'500'000'000}));
    again->clear_rescan();
    EXPECT_EQ(again->rescan(), (Birthday{Kind::height, 40}));
    again->clear_rescan();
    EXPECT_EQ(again->rescan(), std::nullopt);
}

TEST(Wallet, AgreesWithAChainThatOnlyGrew) {
    Chain chain;
    chain.grow(30);
    const auto wallet = new_wallet();
    scan_to(*wallet, chain, 30);
    chain.grow(5);
    const auto delta = wallet->reconcile(chain.tree);
    EXPECT_TRUE(delta.events.empty());
    EXPECT_EQ(wallet->scan(), chain.position(30));
}

TEST(Wallet, FallsBackToTheLastPositionThatIsOnTheChain) { // pitfalls D2
    Chain chain;
    chain.grow(60);
    const auto wallet = new_wallet();
    wallet->clear_rescan();
    scan_to(*wallet, chain, 60);
    const auto kept = make_payment({foreign_coin(1)}, {{our_script(0), 10}});
    const auto undone = make_payment({foreign_coin(2)}, {{our_script(0), 20}});
    wallet->ledger().confirm(kept.tx, kept.txid, chain.in(40), 0);
    wallet->ledger().confirm(undone.tx, undone.txid, chain.in(58), 0);
    chain.grow_from(55, 10, 99); // 65 is the new tip
    ASSERT_EQ(chain.tree.tip_height(), 65);
    const auto delta = wallet->reconcile(chain.tree);
    EXPECT_EQ(wallet->scan(), chain.position(55));
    ASSERT_EQ(delta.events.size(), 1u);
    EXPECT_EQ(delta.events[0].txid, undone.txid);
    EXPECT_EQ(wallet->ledger().balance(65), (Balance{10, 20, 0}));
    EXPECT_EQ(wallet->rescan(), std::nullopt);
    // Once more: nothing changes.
    EXPECT_TRUE(wallet->reconcile(chain.tree).events.empty());
}

TEST(Wallet, ADeepForkFallsBackNoFurtherThanTheTrailMustAndNeverShort) {
    Chain chain;
    chain.grow(400);
    const auto wallet = new_wallet();
    scan_to(*wallet, chain, 400);
    chain.grow_from(250, 200, 5);
    wallet->reconcile(chain.tree);
    EXPECT_LE(wallet->scan().height, 250);
    EXPECT_GE(wallet->scan().height, 100);
    EXPECT_EQ(wallet->scan(), chain.position(wallet->scan().height));
}

TEST(Wallet, AScanAboveAHealedHeaderFileRollsBackToIt) { // design: durable
    Chain chain;
    chain.grow(40);
    const auto wallet = new_wallet();
    scan_to(*wallet, chain, 40);
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(0), 10}});
    wallet->ledger().confirm(payment.tx, payment.txid, chain.in(38), 0);
    Chain shorter;
    for (std::int32_t height = 1; height <= 36; ++height) {
        const auto header = chain.tree.at(height).header;
        shorter.tree.accept(header, header.time);
    }
    wallet->reconcile(shorter.tree);
    EXPECT_EQ(wallet->scan(), shorter.position(36));
    EXPECT_EQ(wallet->ledger().status(payment.txid), TxStatus::pending);
}

TEST(Wallet, WithNothingSharedEverythingIsScannedAgainFromTheEarliestBirthday) { // pitfalls C10, D7
    auto wallet = Wallet::create(regtest(), 7, 0);
    wallet->add(raw_descriptor(our_script(1)), 20, {Kind::height, 30}, false).value();
    wallet->add(raw_descriptor(our_script(2)), 20, {Kind::time, 1'400'000'000}, false).value();
    wallet->clear_rescan();
    wallet->clear_rescan();
    Chain chain;
    chain.grow(50);
    wallet->set_scan(chain.position(29));
    scan_to(*wallet, chain, 50);
    Chain other;
    other.grow(50, 77);
    wallet->reconcile(other.tree);
    EXPECT_EQ(wallet->scan(), ScanPosition{});
    EXPECT_TRUE(wallet->state().scan_trail.empty());
    EXPECT_EQ(wallet->rescan(), (Birthday{Kind::height, 30}));
    wallet->clear_rescan();
    EXPECT_EQ(wallet->rescan(), (Birthday{Kind::time, 1'400'000'000}));
}

TEST(Wallet, UndoingMovesTheScanBackToTheFork) { // pitfalls D2
    Chain chain;
    chain.grow(30);
    const auto wallet = new_wallet();
    scan_to(*wallet, chain, 30);
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(0), 10}});
    wallet->ledger().confirm(payment.tx, payment.txid, chain.in(28), 0);
    const auto delta = wallet->undo_above(25, chain.tree.at(25).hash);
    EXPECT_EQ(wallet->scan(), chain.position(25));
    EXPECT_EQ(delta.events.size(), 1u);
    wallet->undo_above(27, chain.tree.at(27).hash); // above the scan already
    EXPECT_EQ(wallet->scan(), chain.position(25));
}

TEST(Wallet, TellsOnlyWhatChanged) {
    auto wallet = new_wallet();
    auto changes = wallet->take_changes();
    EXPECT_EQ(changes.descriptors.size(), 1u);
    EXPECT_TRUE(changes.rescan.has_value());
    EXPECT_FALSE(changes.filter.has_value());
    EXPECT_TRUE(wallet->take_changes().empty());

    wallet->set_filter({7, 1000});
    wallet->set_label("txid", "rent");
    wallet->set_scan({5, block_hash(5)});
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(0), 10}});
    wallet->ledger().record(payment.tx, payment.txid, 9);
    changes = wallet->take_changes();
    EXPECT_EQ(changes.filter, (FilterParameters{7, 1000}));
    EXPECT_EQ(changes.labels.at("txid"), "rent");
    EXPECT_EQ(changes.scan, (ScanPosition{5, block_hash(5)}));
    EXPECT_TRUE(changes.scan_trail.has_value());
    EXPECT_EQ(changes.transactions.size(), 1u);
    EXPECT_EQ(changes.descriptors.size(), 1u); // used now
    EXPECT_FALSE(changes.rescan.has_value());

    wallet->set_filter({7, 1000});
    wallet->set_scan({5, block_hash(5)});
    wallet->ledger().record(payment.tx, payment.txid, 9);
    EXPECT_TRUE(wallet->take_changes().empty());

    wallet->set_label("txid", "");
    EXPECT_EQ(wallet->take_changes().labels.at("txid"), "");
    EXPECT_TRUE(wallet->labels().empty());
}

TEST(Wallet, AStateLoadsToTheSameState) {
    auto wallet = new_wallet();
    wallet->set_label("a", "b");
    wallet->set_filter({7, 1000});
    for (std::int32_t height = 0; height < 40; ++height) {
        wallet->set_scan({height, block_hash(height)});
    }
    const auto payment = make_payment({foreign_coin(1)}, {{our_script(0), 10}});
    wallet->ledger().confirm(payment.tx, payment.txid, in_block(7), 9);
    auto again = Wallet::load(wallet->state(), regtest()).value();
    EXPECT_EQ(again->state(), wallet->state());
    EXPECT_TRUE(again->take_changes().empty());
    EXPECT_EQ(again->fingerprint(), "d34db33f");
    EXPECT_EQ(again->ledger().balance(9), wallet->ledger().balance(9));
}

TEST(Wallet, AnotherNetworksStateIsRefusedByName) {
    const auto state = new_wallet()->state();
    const auto loaded = Wallet::load(state, chain::network(chain::NetworkId::signet));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, errc::wrong_network);
    EXPECT_NE(to_string(loaded.error()).find("regtest"), std::string::npos);
}

TEST(Wallet, AStoredDescriptorThatDoesNotParseIsDamage) {
    auto state = new_wallet()->state();
    state.descriptors[0].descriptor += "x";
    const auto loaded = Wallet::load(state, regtest());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, errc::damaged);
}

} // namespace
} // namespace headlight::wallet
