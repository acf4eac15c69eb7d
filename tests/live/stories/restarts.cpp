// Either side dying at random moments: the books at the end are bitcoind's own (pitfalls D1).
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include <csignal>
#include <iostream>
#include <random>
#include <thread>

namespace headlight::stories {

class Restarts : public Story {
  protected:
    // A chain long enough that a sync takes a while, with payments all over it.
    static void extend(Bitcoind& chain, const StoryWallet& wallet, int blocks) {
        std::uint32_t index = 0;
        for (int mined = 0; mined < blocks; mined += 25) {
            for (int i = 0; i < 3; ++i, ++index)
                chain.pay(wallet.address(all_kinds[index % 4], 0, index / 4), coin / 1'000);
            chain.mine(25, strangers_address());
        }
    }
};

namespace {

using std::chrono::milliseconds;

// Whatever the moment was: the files open, and nothing is confirmed beyond what is stored. (Headers
// are stored first, so that a reorganisation may be in them and not yet in the wallet.)
void expect_whole(const StoryWallet& wallet) {
    using wallet::store::HeaderFile;
    using wallet::store::WalletDb;
    const auto opened = client::open_wallet(wallet.paths(), WalletDb::Mode::read_only);
    ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
    const auto headers =
        HeaderFile::open(wallet.paths().headers(), wallet.network(), HeaderFile::Mode::read_only);
    ASSERT_TRUE(headers.has_value()) << to_string(headers.error());
    EXPECT_EQ(headers->notice, "");
    const auto& scan = opened->wallet->scan();
    EXPECT_LE(scan.height, headers->file->tip_height());
    const bool in_step = headers->file->find(scan.hash).has_value();
    for (const auto& entry : opened->wallet->ledger().history(0)) {
        if (!entry.height) continue;
        EXPECT_LE(*entry.height, scan.height);
        if (in_step) {
            EXPECT_EQ(headers->file->find(*entry.block), *entry.height);
        }
    }
}

} // namespace

TEST_F(Restarts, FiftyKillsOfHeadlightAtRandomMomentsLoseNothing) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    extend(node(), wallet, 600);
    const std::uint32_t seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    std::cout << "seed " << seed << "\n";
    std::mt19937 random(seed);
    const auto pick = [&](int below) {
        return static_cast<int>(random() % static_cast<unsigned>(below));
    };
    const auto peer = p2p::to_string(node().endpoint());
    const auto log = wallet.paths().datadir / "sync.log";

    int killed = 0;
    std::uint32_t fresh = 72;
    for (int round = 0; killed < 50 && round < 300; ++round) {
        auto process = start_program(wallet, {"sync", "--peer", peer}, log);
        if (!process.wait(milliseconds(5 + pick(250)))) {
            process.signal(SIGKILL);
            ASSERT_TRUE(process.wait(std::chrono::seconds(10)));
            ++killed;
        } else if (pick(3) == 0) {
            // It had finished: all of the work again, so that the next one is killed in its midst.
            ASSERT_EQ(run_program(wallet, {"rescan", "--from", "1"}).exit_code, 0);
        }
        expect_whole(wallet);
        if (HasFatalFailure()) return;
        if (round % 4 == 0) {
            pay_at_any_height(wallet.address(all_kinds[fresh % 4], 0, fresh / 4), coin / 1'000);
            ++fresh;
            mine(1);
        }
        if (round % 10 == 5) {
            node().invalidate(node().block_hash(node().height() - 1));
            mine(3);
        }
    }
    EXPECT_EQ(killed, 50);
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Restarts, FollowingIsKilledTooWhilePaymentsComeIn) {
    StoryWallet wallet(folder());
    wallet.create();
    std::mt19937 random(7);
    for (std::uint32_t round = 0; round < 6; ++round) {
        auto process =
            start_program(wallet, {"sync", "--follow", "--peer", p2p::to_string(node().endpoint())},
                          wallet.paths().datadir / "follow.log");
        for (std::uint32_t i = 0; i < 3; ++i) {
            node().pay(wallet.address(3 * round + i), coin / 500);
            if (i != 1) mine(1);
        }
        std::this_thread::sleep_for(milliseconds(random() % 300));
        process.signal(SIGKILL);
        process.wait(std::chrono::seconds(10));
        expect_whole(wallet);
    }
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), 18U);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Restarts, ANodeKilledInMidSyncIsASyncToBeContinued) {
    const auto mortal = start_node(110);
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    extend(*mortal, wallet, 300);
    flush(*mortal);
    for (int round = 0; round < 3; ++round) {
        bool killed = false;
        const auto outcome = try_sync(wallet, {mortal.get()}, {}, [&](const sync::Notice& notice) {
            const auto* progress = std::get_if<sync::notice::Progress>(&notice);
            if (killed || !progress || progress->headers < 1) return;
            killed = true;
            mortal->kill_hard();
        });
        EXPECT_TRUE(killed);
        if (outcome.error) {
            expect_failed(outcome, errc::no_peer, {"127.0.0.1"});
        }
        expect_whole(wallet);
        mortal->start_again().value();
    }
    sync(wallet, *mortal);
    expect_equal_to_bitcoind(*mortal, wallet);
}

TEST_F(Restarts, WhenANodeDiesInMidSyncTheOtherOneGoesOn) {
    const auto mortal = start_node();
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    extend(node(), wallet, 200);
    mortal->connect(node());
    wait_for_tip(*mortal, node().best_hash());
    bool killed = false;
    const auto outcome =
        try_sync(wallet, {mortal.get(), &node()}, {}, [&](const sync::Notice& notice) {
            if (killed || !begins_to_scan(notice)) return;
            killed = true;
            mortal->kill_hard();
        });
    EXPECT_TRUE(killed);
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    expect_equal_to_bitcoind(node(), wallet);
}

TEST_F(Restarts, ASignalKeepsWhatIsWholeAndExitsWith3) {
    StoryWallet wallet(folder());
    wallet.create();
    extend(node(), wallet, 50);
    // A node that never answers, so that the moment does not matter.
    const auto frozen = start_node();
    ::kill(frozen->pid(), SIGSTOP);
    const auto ran = run_program(
        wallet, {"sync", "--timeout", "1", "--peer", p2p::to_string(frozen->endpoint())});
    ::kill(frozen->pid(), SIGCONT);
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    sync(wallet, node());
    expect_equal_to_bitcoind(node(), wallet);
}

} // namespace headlight::stories
