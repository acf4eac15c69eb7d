// Commands for events: what they get, that each event comes once, and what a crash leaves.
#include "client/hooks.hpp"

#include "chain/memory_archive.hpp"
#include "tests/support/files.hpp"
#include "tests/support/ledger_parts.hpp"
#include "tests/support/mining.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace headlight::client {
namespace {

namespace fs = std::filesystem;
using namespace headlight::wallet;
using std::chrono::milliseconds;
using sync::notice::Phase;

class HooksTest : public ::testing::Test {
  protected:
    HooksTest() {
        paths = {folder.path(), &regtest(), "my.wallet"};
        fs::create_directories(paths.wallets());
        EXPECT_TRUE(wallet->add(raw_descriptor(our_script(0)), 20, {}, false));
        grow(1);
        start();
    }

    fs::path log() const { return folder / "log"; }
    std::vector<std::string> lines() const {
        std::ifstream file(log());
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);)
            all.push_back(line);
        std::ranges::sort(all); // commands run beside each other
        return all;
    }
    HookCommands commands() const {
        const auto to = " >> " + shell_quoted(log().string());
        return {"echo tx %s %b %h %w $HEADLIGHT_STATUS" + to, "echo block %s %h %w" + to};
    }

    void start() {
        hooks.emplace(paths, commands());
        hooks->attach(*wallet, archive);
    }
    /// Until nothing is on its way, and with it noted.
    void settle() {
        at_tip();
        EXPECT_FALSE(hooks->tick());
        for (int tries = 0; hooks->open_commands() > 0 && tries < 1'000; ++tries) {
            std::this_thread::sleep_for(milliseconds(20));
            EXPECT_FALSE(hooks->tick());
        }
    }
    void stop() {
        hooks->on(sync::notice::Finished{});
        EXPECT_FALSE(hooks->finish());
        hooks.reset();
    }
    void at_tip() { hooks->on(sync::notice::Progress{.phase = Phase::at_tip}); }

    void grow(int blocks, std::int32_t from = -1, std::uint32_t salt = 0) {
        chain::HeaderTree tree(regtest(), archive);
        auto parent = from < 0 ? tree.tip() : tree.at(from);
        for (int i = 0; i < blocks; ++i) {
            const auto header = tests::mine(regtest(), parent.hash, parent.header.time + 600,
                                            regtest().genesis.bits, salt);
            tree.accept(header, header.time);
            parent = *tree.find(chain::hash_of(header));
        }
        archive.apply(tree.unsaved());
        wallet->set_scan({archive.tip_height(), archive.at(archive.tip_height()).hash});
    }
    std::string hash(std::int32_t height) const { return archive.at(height).hash.to_string(); }
    void tell(const LedgerDelta& delta) {
        for (const auto& event : delta.events)
            hooks->on(sync::notice::Transaction{event});
    }
    Payment see(std::uint32_t number) {
        auto payment = make_payment({foreign_coin(number)}, {{our_script(0), 5}});
        tell(wallet->ledger().record(payment.tx, payment.txid, now));
        return payment;
    }
    void confirm(const Payment& payment, std::int32_t height) {
        const Confirmation at{height, archive.at(height).hash, 1, 1, 2, {}};
        tell(wallet->ledger().confirm(payment.tx, payment.txid, at, now));
    }
    std::string tx_line(const Payment& payment, const std::string& rest) const {
        return "tx " + payment.txid.to_string() + " " + rest;
    }

    std::int64_t now = 1'700'000'000;
    tests::TemporaryFolder folder;
    Paths paths;
    chain::MemoryArchive archive;
    std::unique_ptr<Wallet> wallet = Wallet::create(regtest(), 7, now);
    std::optional<Hooks> hooks;
};

TEST(FillIn, PutsEachValueInItsPlaceOnce) {
    const HookValues values{.subject = "%w", .block = "B", .height = -1, .wallet = "'x'"};
    EXPECT_EQ(fill_in("a %s|%b|%h|%w|%%|%x|%", values), "a %w|B|-1|'x'|%%|%x|%");
    EXPECT_EQ(fill_in("%%s", values), "%%w");
    EXPECT_EQ(fill_in("", values), "");
}

TEST(ShellQuoted, IsOneWordWhateverIsInIt) {
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's $(x)"), "'it'\\''s $(x)'");
}

TEST_F(HooksTest, TellWhereATransactionStands) {
    const auto payment = see(1);
    settle();
    EXPECT_EQ(lines(), std::vector{tx_line(payment, "unconfirmed -1 my.wallet pending")});
    grow(1);
    confirm(payment, 2);
    settle();
    EXPECT_EQ(lines().back(),
              "tx " + payment.txid.to_string() + " unconfirmed -1 my.wallet pending");
    EXPECT_EQ(std::ranges::count(lines(), tx_line(payment, hash(2) + " 2 my.wallet confirmed")), 1);
    tell(wallet->ledger().undo_above(1));
    settle();
    EXPECT_EQ(std::ranges::count(lines(), tx_line(payment, "unconfirmed -1 my.wallet pending")), 2);
}

TEST_F(HooksTest, NothingIsToldTwiceOverAnOrderlyRestart) {
    see(1);
    settle();
    const auto told = lines();
    ASSERT_EQ(told.size(), 1U);
    stop();
    start();
    settle();
    stop();
    EXPECT_EQ(lines(), told);
}

TEST_F(HooksTest, WhatCameWhileNobodyFollowedIsToldNext) {
    const auto seen = see(1);
    settle();
    stop();
    const auto other = make_payment({foreign_coin(2)}, {{our_script(0), 7}});
    wallet->ledger().record(other.tx, other.txid, now);
    grow(2);
    wallet->ledger().confirm(seen.tx, seen.txid, {2, archive.at(2).hash, 1, 1, 2, {}}, now);
    start();
    settle();
    EXPECT_EQ(lines().size(), 5U); // two blocks as well
    EXPECT_EQ(std::ranges::count(lines(), tx_line(seen, hash(2) + " 2 my.wallet confirmed")), 1);
    EXPECT_EQ(std::ranges::count(lines(), tx_line(other, "unconfirmed -1 my.wallet pending")), 1);
    EXPECT_EQ(std::ranges::count(lines(), "block " + hash(2) + " 2 my.wallet"), 1);
    EXPECT_EQ(std::ranges::count(lines(), "block " + hash(3) + " 3 my.wallet"), 1);
    stop();
}

// Without finish(): what was noted stays noted, and the rest is told again.
TEST_F(HooksTest, ACrashRepeatsAtMostWhatWasNotNoted) {
    const auto first = see(1);
    settle();
    const auto second = see(2);
    for (int tries = 0; lines().size() < 2 && tries < 200; ++tries)
        std::this_thread::sleep_for(milliseconds(20)); // it ran, and no tick came
    hooks.reset();
    start();
    settle();
    EXPECT_EQ(std::ranges::count(lines(), tx_line(first, "unconfirmed -1 my.wallet pending")), 1);
    EXPECT_EQ(std::ranges::count(lines(), tx_line(second, "unconfirmed -1 my.wallet pending")), 2);
}

TEST_F(HooksTest, WhatTheWalletHeldBeforeTheFirstTimeIsNoNews) {
    stop();
    fs::remove(paths.wallets() / "my.wallet.told");
    const auto old = make_payment({foreign_coin(1)}, {{our_script(0), 5}});
    wallet->ledger().record(old.tx, old.txid, now);
    start();
    settle();
    EXPECT_TRUE(lines().empty());
    grow(1);
    confirm(old, 2);
    settle();
    EXPECT_EQ(lines().size(), 2U); // its block as well
}

TEST_F(HooksTest, AReorganisationTellsTheNewBranchOnce) {
    at_tip();
    EXPECT_FALSE(hooks->tick()); // block 1 is where it begins
    grow(2);
    hooks->on(sync::notice::Block{2, {}, -1});
    settle();
    EXPECT_EQ(lines().size(), 2U);
    const auto old = hash(3);
    grow(3, 2, 5);
    ASSERT_NE(hash(3), old);
    hooks->on(sync::notice::Block{5, {}, 2});
    settle();
    hooks->on(sync::notice::Block{5, {}, -1});
    settle();
    EXPECT_EQ(lines().size(), 5U);
    for (std::int32_t height = 2; height <= 5; ++height)
        EXPECT_EQ(std::ranges::count(lines(), "block " + hash(height) + " " +
                                                  std::to_string(height) + " my.wallet"),
                  1);
    stop();
    start();
    settle();
    EXPECT_EQ(lines().size(), 5U);
}

TEST_F(HooksTest, AForkBelowWhereItBeganTellsTheWholeBranch) {
    grow(2);
    at_tip();
    EXPECT_FALSE(hooks->tick()); // block 3 is where it begins
    grow(4, 1, 5);
    settle();
    EXPECT_EQ(lines().size(), 4U);
    for (std::int32_t height = 2; height <= 5; ++height)
        EXPECT_EQ(std::ranges::count(lines(), "block " + hash(height) + " " +
                                                  std::to_string(height) + " my.wallet"),
                  1);
}

TEST_F(HooksTest, OfManyMissedBlocksTheLatestAreTold) {
    at_tip();
    EXPECT_FALSE(hooks->tick());
    grow(limits::told_blocks_kept + 50);
    settle();
    const auto all = lines();
    EXPECT_EQ(all.size(), static_cast<std::size_t>(limits::told_blocks_kept));
    EXPECT_EQ(std::ranges::count(all, "block " + hash(archive.tip_height()) + " " +
                                          std::to_string(archive.tip_height()) + " my.wallet"),
              1);
}

TEST_F(HooksTest, BeforeTheTipNoBlockIsTold) {
    at_tip();
    EXPECT_FALSE(hooks->tick());
    hooks->on(sync::notice::Progress{.phase = Phase::blocks});
    grow(3);
    hooks->on(sync::notice::Block{3, {}, 1});
    EXPECT_FALSE(hooks->tick());
    EXPECT_FALSE(hooks->finish());
    EXPECT_TRUE(lines().empty());
}

TEST_F(HooksTest, AFailureIsSaidAndNotRepeated) {
    hooks.emplace(paths, HookCommands{"exit 7", ""});
    hooks->attach(*wallet, archive);
    see(1);
    see(2);
    std::optional<Error> said;
    for (int tries = 0; !said && tries < 100; ++tries) {
        std::this_thread::sleep_for(milliseconds(100)); // both have ended by then, mostly
        said = hooks->tick();
    }
    ASSERT_TRUE(said);
    EXPECT_NE(said->message.find("'exit 7' failed"), std::string::npos) << said->message;
    EXPECT_EQ(said->cause, "its exit code is 7");
    hooks->on(sync::notice::Finished{});
    hooks->finish();
    hooks.emplace(paths, HookCommands{"exit 7", ""});
    hooks->attach(*wallet, archive);
    EXPECT_FALSE(hooks->finish());
}

TEST_F(HooksTest, WithoutAFileToNoteItInNothingIsRun) {
    hooks.reset();
    fs::remove_all(paths.wallets());
    start();
    see(1);
    const auto said = hooks->tick();
    ASSERT_TRUE(said);
    EXPECT_EQ(said->code, errc::io);
    EXPECT_FALSE(hooks->tick()) << "once is enough";
    EXPECT_FALSE(hooks->finish());
    EXPECT_TRUE(lines().empty());
}

TEST_F(HooksTest, ATornOrStrangeLineOfTheFileIsAsIfItWereNotThere) {
    const auto payment = see(1);
    settle();
    stop();
    {
        std::ofstream file(paths.wallets() / "my.wallet.told", std::ios::app);
        file << "rubbish\nblock xyz 1\ntx " << std::string(64, 'a') << " nonsense\ntx "
             << payment.txid.to_string() << " gone"; // cut before its end
    }
    start();
    settle();
    EXPECT_EQ(lines().size(), 1U);
}

TEST(CommandRunner, RunsAFewAtOnceAndAllOfThem) {
    CommandRunner runner;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t id = 0; id < 12; ++id)
        runner.run({id, "sleep 0.2"});
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(200)) << "nobody waits";
    std::vector<EndedCommand> ended;
    for (int tries = 0; ended.size() < 12 && tries < 200; ++tries) {
        std::this_thread::sleep_for(milliseconds(50));
        for (auto& one : runner.take_ended())
            ended.push_back(std::move(one));
    }
    EXPECT_EQ(ended.size(), 12U);
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(600)); // 12 / 4 rounds
    for (const auto& one : ended)
        EXPECT_FALSE(one.error);
}

TEST(CommandRunner, EndsWhatHangsWhenItEnds) {
    CommandRunner runner;
    runner.run({1, "trap '' TERM; sleep 600 & wait"}); // in a group with its child
    std::this_thread::sleep_for(milliseconds(200));
    const auto start = std::chrono::steady_clock::now();
    runner.finish(milliseconds(100));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    const auto ended = runner.take_ended();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_TRUE(ended[0].ended_by_us);
}

TEST(CommandRunner, LetsWhatIsQuickEndByItself) {
    CommandRunner runner;
    runner.run({1, "sleep 0.3"});
    std::this_thread::sleep_for(milliseconds(100));
    runner.finish(milliseconds(10'000));
    const auto ended = runner.take_ended();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_FALSE(ended[0].ended_by_us);
}

TEST(CommandRunner, GivesAChildNoneOfOurFilesAndNothingOfTheManagers) {
    const auto file = wallet::store::FileDescriptor(dup(0)); // not closed on exec
    setenv("NOTIFY_SOCKET", "/somewhere", 1);
    CommandRunner runner;
    runner.run({1,
                "test -z \"$NOTIFY_SOCKET\" && test \"$MINE\" = 'a b' && "
                "test ! -e /proc/self/fd/" +
                    std::to_string(file.get()),
                {"MINE=a b"}});
    runner.run({2, "kill -9 $$"});
    std::vector<EndedCommand> ended;
    for (int tries = 0; ended.size() < 2 && tries < 100; ++tries) {
        std::this_thread::sleep_for(milliseconds(50));
        for (auto& one : runner.take_ended())
            ended.push_back(std::move(one));
    }
    unsetenv("NOTIFY_SOCKET");
    ASSERT_EQ(ended.size(), 2U);
    std::ranges::sort(ended, {}, &EndedCommand::id);
    EXPECT_FALSE(ended[0].error) << to_string(*ended[0].error);
    ASSERT_TRUE(ended[1].error);
    EXPECT_EQ(ended[1].error->cause, "signal 9 ended it");
}

} // namespace
} // namespace headlight::client
