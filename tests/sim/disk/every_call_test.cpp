// Whatever call of the store fails, and wherever the process dies or the power goes: what was told
// as stored is there, what was under way is there whole or not at all, and the next run makes the
// wallet what it is in a run that nothing interrupted.
#include "tests/sim/disk/disk_story.hpp"
#include "tests/support/files.hpp"

#include <algorithm>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;
using regtest::SimDisk;
using Kind = DiskFault::Kind;

std::vector<chain::Hash256> hashes(const SimDisk& disk) {
    std::vector<chain::Hash256> all;
    for (std::int32_t height = 0; height <= disk.headers.tip_height(); ++height)
        all.push_back(disk.headers.at(height).hash);
    return all;
}

wallet::WalletState sorted(wallet::WalletState state) {
    std::ranges::sort(state.transactions, {}, &wallet::StoredTx::txid);
    return state;
}

bool same_wallet(const SimDisk& a, const SimDisk& b) {
    return sorted(a.wallet) == sorted(b.wallet);
}

class EveryCall : public testing::Test {
  protected:
    /// What is on the disk before and after a step that nothing interrupts.
    struct Told {
        std::optional<SimDisk> before;
        std::map<fs::path, Bytes> files;
        std::string books_after;
        int calls = 0;
    };

    EveryCall() { tell_undisturbed(); }

    void tell_undisturbed() {
        std::optional<SimDisk> stored;
        for (const auto& step : story_.steps()) {
            auto& told = told_.emplace_back();
            told.before = stored;
            told.files = files();
            client_.disk().begin({});
            const auto run = client_.run(step, stored);
            ASSERT_FALSE(run.error) << step.name << ": " << to_string(*run.error);
            told.calls = client_.disk().calls();
            stored = run.stored;
            told.books_after = books(*stored);
            const auto read = client_.read();
            ASSERT_TRUE(read) << to_string(read.error());
            ASSERT_TRUE(same_wallet(**read, *stored)) << step.name;
            calls_ += told.calls;
        }
    }

    std::map<fs::path, Bytes> files() const {
        std::map<fs::path, Bytes> all;
        for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
            if (entry.is_regular_file()) all[entry.path()] = read_file(entry.path());
        }
        return all;
    }
    void put_back(const std::map<fs::path, Bytes>& files) {
        fs::remove_all(folder_.path() / "regtest");
        for (const auto& [path, bytes] : files) {
            fs::create_directories(path.parent_path());
            write_file(path, bytes);
        }
    }

    /// Nothing that was told is lost, and nothing is there by half.
    void expect_kept(const StepRun& run, const SimDisk& found) {
        const auto& ahead = run.under_way;
        const bool wallet_is_old = run.stored && same_wallet(found, *run.stored);
        const bool wallet_is_ahead = !wallet_is_old && ahead && same_wallet(found, *ahead);
        ASSERT_TRUE(wallet_is_ahead || wallet_is_old)
            << "the wallet is neither what was stored nor what was about to be:\n"
            << books(found);
        const auto headers = hashes(found);
        const auto old = run.stored ? hashes(*run.stored) : std::vector<chain::Hash256>{};
        const auto wanted = ahead ? hashes(*ahead) : old;
        // Of an append that is cut short, the first whole records may stay.
        const bool is_begun = headers.size() > old.size() && headers.size() <= wanted.size() &&
                              std::equal(headers.begin(), headers.end(), wanted.begin());
        EXPECT_TRUE(headers == old || is_begun)
            << headers.size() << " headers, between " << old.size() << " and " << wanted.size();
        EXPECT_TRUE(headers == wanted || !wallet_is_ahead) << "the wallet overtook its headers";
    }

    void strike(std::size_t number, DiskFault fault) {
        const auto& step = story_.steps()[number];
        const auto& told = told_[number];
        SCOPED_TRACE(step.name + ", call " + std::to_string(fault.call) + ", seed " +
                     std::to_string(fault.seed));
        put_back(told.files);
        client_.disk().begin(fault);
        const auto run = client_.run(step, told.before);
        ASSERT_TRUE(client_.disk().struck());
        check_error(fault, run);
        const bool is_dead = client_.disk().is_dead();
        client_.disk().restart();

        const auto found = client_.read();
        ASSERT_TRUE(found) << to_string(found.error());
        if (*found) {
            EXPECT_TRUE(run.stored || is_dead) << "a wallet that nobody was told of";
            expect_kept(run, **found);
        } else {
            ASSERT_FALSE(run.stored) << "the wallet is gone";
        }
        const auto again = client_.run(step, *found, true);
        ASSERT_FALSE(again.error) << to_string(*again.error);
        EXPECT_EQ(books(*again.stored), told.books_after);
    }

    void check_error(const DiskFault& fault, const StepRun& run) {
        if (!run.error || client_.disk().is_dead()) return; // nobody is left to be told
        const auto wanted = fault.error == ENOSPC ? errc::disk_full : errc::io;
        const auto text = to_string(*run.error);
        EXPECT_EQ(run.error->code, wanted) << text;
        EXPECT_NE(text.find(folder_.path().string()), std::string::npos) << text;
        EXPECT_FALSE(run.error->cure.empty()) << text;
        if (fault.error == ENOSPC) {
            EXPECT_NE(text.find("No space left on device"), std::string::npos) << text;
        }
    }

    void strike_everywhere(DiskFault fault, std::uint64_t seeds = 1) {
        for (std::size_t step = 0; step < told_.size() && !HasFatalFailure(); ++step) {
            for (int call = 0; call < told_[step].calls && !HasFailure(); ++call) {
                for (fault.seed = 1; fault.seed <= seeds; ++fault.seed) {
                    fault.call = call;
                    strike(step, fault);
                }
            }
        }
        RecordProperty("calls", calls_);
    }

    TemporaryFolder folder_;
    DiskStory story_;
    DiskClient client_{story_, folder_.path()};
    std::vector<Told> told_;
    int calls_ = 0;
};

TEST_F(EveryCall, MayFailOnce) { strike_everywhere({.kind = Kind::once, .error = EIO}); }

TEST_F(EveryCall, MayFindTheDiskFull) { strike_everywhere({.kind = Kind::full, .error = ENOSPC}); }

TEST_F(EveryCall, MayBeTheLastOneOfTheProcess) { strike_everywhere({.kind = Kind::death}); }

TEST_F(EveryCall, MayBeTheLastOneBeforeThePowerGoes) {
    strike_everywhere({.kind = Kind::power}, 3);
}

} // namespace
} // namespace headlight::tests
