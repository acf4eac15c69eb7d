// Damage to a wallet's files: found when they are opened, or harmless. Harmless is what loads as a
// state that was once stored, whole. What is damaged stays on the disk as it is.
#include "store_help.hpp"
#include "wallet_states.hpp"

#include "wallet/store/wallet_db.hpp"

#include <map>
#include <random>
#include <sqlite3.h>

namespace headlight::wallet::store {
namespace {

constexpr auto for_change = WalletDb::Mode::read_write;

/// By the ending of the name: "", "-wal", "-shm".
using Files = std::map<std::string, Bytes>;

constexpr std::size_t sector_bytes = 512;
constexpr std::size_t page_bytes = 4'096;

/// One act of damage, decided by the random numbers alone.
void damage(Bytes& bytes, std::mt19937& random) {
    if (bytes.empty()) return;
    const auto at = [&](std::size_t unit) { return random() % (bytes.size() / unit + 1) * unit; };
    const auto flip = [&] {
        bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
    };
    const auto start = at(sector_bytes);
    const auto size = std::min<std::size_t>(sector_bytes, bytes.size() - start);
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(start);
    switch (random() % 8) {
    case 0:
        return bytes.resize(random() % bytes.size());
    case 1:
        return bytes.resize(std::min(at(page_bytes), bytes.size()));
    case 2: // a sector that was never written
        std::fill_n(place, size, std::uint8_t{0});
        return;
    case 3: // another sector's content
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(at(sector_bytes), bytes.size() - size)),
                    size, place);
        return;
    case 4:
        flip();
        flip();
        return;
    default:
        return flip();
    }
}

class Damage : public ::testing::Test {
  protected:
    static WalletState large_state() {
        auto state = make_state();
        for (std::uint32_t i = 100; i < 250; ++i)
            state.transactions.push_back(make_tx(i, i % 4 != 0));
        std::ranges::sort(state.transactions, {}, &StoredTx::txid);
        return state;
    }

    /// Change `i` of a wallet's life, applied to `state` as well.
    static WalletChanges next_change(std::uint32_t i, WalletState& state) {
        WalletChanges changes;
        const auto height = static_cast<std::int32_t>(100 + i);
        state.scan = {height, numbered_hash(i)};
        changes.scan = state.scan;
        const auto made = make_tx(1'000 + i, i % 2 == 0);
        changes.transactions.push_back(made);
        // One of before changes, and one goes.
        auto& older = state.transactions[7 * i % state.transactions.size()];
        older.last_seen += i;
        changes.transactions.push_back(older);
        const auto gone = state.transactions.begin() + 3;
        if (gone->txid != older.txid) {
            changes.erased = {gone->txid};
            state.transactions.erase(gone);
        }
        state.transactions.push_back(made);
        std::ranges::sort(state.transactions, {}, &StoredTx::txid);
        state.labels["height"] = std::to_string(height);
        changes.labels["height"] = state.labels["height"];
        return changes;
    }

    Files files() const {
        Files all;
        for (const auto* ending : {"", "-wal", "-shm"}) {
            const auto name = path.string() + ending;
            if (std::filesystem::exists(name)) all[ending] = read_file(name);
        }
        return all;
    }
    void put(const Files& all) {
        for (const auto* ending : {"", "-wal", "-shm"}) {
            const auto name = path.string() + ending;
            if (const auto found = all.find(ending); found != all.end())
                write_file(name, found->second);
            else
                std::filesystem::remove(name);
        }
    }

    /// Opens and loads what was put; counts what was found.
    void expect_found_or_harmless(const Files& put_there) {
        const auto before = put_there;
        if (const auto viewed = WalletDb::open(path, WalletDb::Mode::read_only)) {
            const auto loaded = (*viewed)->load();
            EXPECT_TRUE(!loaded || std::ranges::count(states, *loaded) == 1);
        }
        {
            const auto opened = WalletDb::open(path, for_change);
            auto loaded = opened ? (*opened)->load() : result<WalletState>(opened.error());
            if (loaded) {
                EXPECT_EQ(std::ranges::count(states, *loaded), 1)
                    << "scanned to " << loaded->scan.height << ", " << loaded->transactions.size()
                    << " transactions";
                return;
            }
            ++found;
            ++causes[loaded.error().cause];
            const auto text = to_string(loaded.error());
            EXPECT_TRUE(loaded.error().code == errc::damaged || loaded.error().code == errc::io)
                << text;
            EXPECT_NE(text.find(path.string()), std::string::npos) << text;
            EXPECT_FALSE(loaded.error().cure.empty()) << text;
        }
        // Whoever wants to save something from it has all of it.
        for (const auto* ending : {"", "-wal"}) {
            if (before.contains(ending)) {
                EXPECT_EQ(read_file(path.string() + ending), before.at(ending)) << ending;
            }
        }
    }

    void damage_a_thousand_times(const Files& whole, const std::string& ending) {
        for (std::uint32_t seed = 1; seed <= 1'000; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            std::mt19937 random(seed);
            auto broken = whole;
            damage(broken[ending], random);
            put(broken);
            expect_found_or_harmless(broken);
            if (HasFailure()) return;
        }
        RecordProperty("found", found);
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "regtest/wallets/default.sqlite";
    std::vector<WalletState> states; ///< all that was ever stored
    std::map<std::string, int> causes;
    int found = 0;
};

TEST_F(Damage, AThousandTimesToTheWalletFile) { // pitfalls D8
    states.push_back(large_state());
    WalletDb::create(path, states[0]).value()->load().value();
    damage_a_thousand_times(files(), "");
    EXPECT_GT(found, 700);
}

TEST_F(Damage, OfEveryBitOfTheFirstPageThatIsNotARow) { // pitfalls D8
    states.push_back(large_state());
    WalletDb::create(path, states[0]).value()->load().value();
    const auto whole = files();
    constexpr std::size_t header_bytes = 100 + 8 + 2 * 8; // of the file, of the page, its pointers
    for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
        SCOPED_TRACE("bit " + std::to_string(bit));
        auto broken = whole;
        broken[""][bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        put(broken);
        expect_found_or_harmless(broken);
    }
}

TEST_F(Damage, AThousandTimesToTheLogThatACrashLeft) { // pitfalls D8
    states.push_back(large_state());
    auto wallet = WalletDb::create(path, states[0]).value();
    for (std::uint32_t i = 1; i <= 6; ++i) {
        auto state = states.back();
        ASSERT_TRUE(wallet->apply(next_change(i, state)));
        states.push_back(state);
    }
    const auto left = files(); // as kill -9 leaves them
    wallet.reset();
    ASSERT_TRUE(left.contains("-wal"));
    damage_a_thousand_times(left, "-wal");
    EXPECT_EQ(found, 0) << "an earlier state is whole"; // the log alone holds what came later
}

/// The log is written back into the wallet file as far as no reader needs the older pages. A log
/// that loses its end after that lets old pages stand over newer ones.
TEST_F(Damage, AThousandTimesToALogThatWasWrittenBackInPart) { // pitfalls D8
    states.push_back(large_state());
    auto wallet = WalletDb::create(path, states[0]).value();
    sqlite3* reader = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &reader), SQLITE_OK);
    for (std::uint32_t i = 1; i <= 6; ++i) {
        auto state = states.back();
        ASSERT_TRUE(wallet->apply(next_change(i, state)));
        states.push_back(state);
        if (i != 3) continue;
        ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT * FROM meta", nullptr, nullptr, nullptr),
                  SQLITE_OK);
        sqlite3* writer_back = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &writer_back), SQLITE_OK);
        sqlite3_exec(writer_back, "PRAGMA wal_checkpoint(PASSIVE)", nullptr, nullptr, nullptr);
        sqlite3_close(writer_back);
    }
    const auto left = files(); // as kill -9 leaves them
    wallet.reset();
    sqlite3_close(reader);
    damage_a_thousand_times(left, "-wal");
    EXPECT_GT(found, 100);
}

TEST_F(Damage, OfTheSharedMemoryThatACrashLeftIsHarmless) { // pitfalls D8
    states.push_back(large_state());
    auto wallet = WalletDb::create(path, states[0]).value();
    auto state = states.back();
    ASSERT_TRUE(wallet->apply(next_change(1, state)));
    states = {state};
    const auto left = files(); // as kill -9 leaves them
    wallet.reset();
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        auto broken = left;
        for (int times = 0; times < 20; ++times)
            damage(broken["-shm"], random);
        put(broken);
        expect_found_or_harmless(broken);
    }
    EXPECT_EQ(found, 0);
}

TEST_F(Damage, OfAPageThatIsAnOlderOne) { // a write that the disk swallowed
    std::vector<Files> versions;
    states.push_back(large_state());
    WalletDb::create(path, states[0]).value()->load().value();
    versions.push_back(files());
    for (std::uint32_t i = 1; i <= 4; ++i) {
        auto state = states.back();
        {
            const auto wallet = WalletDb::open(path, for_change).value();
            ASSERT_TRUE(wallet->load());
            ASSERT_TRUE(wallet->apply(next_change(i, state)));
        }
        states.push_back(state);
        versions.push_back(files());
        ASSERT_FALSE(versions.back().contains("-wal")); // a closed wallet is in one file
    }
    int tried = 0;
    for (const auto& older : versions) {
        for (const auto& newer : versions) {
            const auto size = std::min(older.at("").size(), newer.at("").size());
            for (std::size_t at = 0; at + page_bytes <= size; at += page_bytes) {
                auto broken = newer;
                const auto* from = older.at("").data() + at;
                if (std::equal(from, from + page_bytes, broken[""].data() + at)) continue;
                std::copy_n(from, page_bytes, broken[""].data() + at);
                SCOPED_TRACE("page " + std::to_string(at / page_bytes));
                put(broken);
                expect_found_or_harmless(broken);
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 50);
    EXPECT_GT(causes["rows are missing, or are older than the others"], 0);
}

} // namespace
} // namespace headlight::wallet::store
