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

// Kills the program at random moments, over and over.
class Killer {
  public:
    Killer(const StoryWallet& wallet, const Bitcoind& node, std::uint32_t seed)
        : wallet_(wallet), peer_(p2p::to_string(node.endpoint())), random_(seed) {}

    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

    /// A scan of the whole chain. The moments spread over what such a run takes here, its end and
    /// the storing of what it found included. False: it was quicker, and had ended.
    bool kill_scan() {
        if (run_program(wallet_, {"rescan", "--from", "1"}).exit_code != 0)
            throw std::logic_error("no rescan");
        const auto start = std::chrono::steady_clock::now();
        auto process = launch({"sync", "--peer", peer_});
        if (!process.wait(milliseconds(1 + pick(typical_ms_ * 5 / 4)))) return kill(process);
        const auto taken = std::chrono::steady_clock::now() - start;
        typical_ms_ = static_cast<int>(std::chrono::ceil<milliseconds>(taken).count());
        return false;
    }

    /// A run at the tip, while `meanwhile` changes the chain.
    bool kill_following(const std::function<void()>& meanwhile) {
        auto process = launch({"sync", "--follow", "--peer", peer_});
        std::this_thread::sleep_for(milliseconds(pick(typical_ms_)));
        meanwhile();
        std::this_thread::sleep_for(milliseconds(pick(30)));
        return kill(process);
    }

  private:
    regtest::Process launch(const std::vector<std::string>& arguments) const {
        return start_program(wallet_, arguments, wallet_.paths().datadir / "killed.log");
    }

    static bool kill(regtest::Process& process) {
        process.signal(SIGKILL);
        return process.wait(std::chrono::seconds(10));
    }

    const StoryWallet& wallet_;
    std::string peer_;
    std::mt19937 random_;
    int typical_ms_ = 200;
};

} // namespace

TEST_F(Restarts, FiftyKillsOfHeadlightAtRandomMomentsLoseNothing) {
    StoryWallet wallet(folder());
    wallet.create({.kinds = all_kinds});
    extend(node(), wallet, 600);
    std::uint32_t paid = 72; // by extend()
    const auto grow = [&] {
        pay_at_any_height(wallet.address(all_kinds[paid % 4], 0, paid / 4), coin / 1'000);
        ++paid;
        mine(1);
    };
    const auto reorganise = [&] {
        node().invalidate(node().block_hash(node().height() - 1));
        mine(3);
    };
    const std::uint32_t seed = std::random_device{}();
    std::cout << "seed " << seed << "\n";
    Killer killer(wallet, node(), seed);

    int killed = 0;
    for (int round = 0; killed < 50 && round < 200; ++round) {
        if (round % 2 == 0)
            killed += killer.kill_scan();
        else
            killed += killer.kill_following(round % 6 == 5 ? std::function<void()>(reorganise)
                                                           : std::function<void()>(grow));
        expect_whole(wallet);
        if (HasFailure()) return;
    }
    EXPECT_EQ(killed, 50);
    sync(wallet, node());
    EXPECT_EQ(wallet.books().history.size(), paid);
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
