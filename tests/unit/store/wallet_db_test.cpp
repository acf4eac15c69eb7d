// The wallet file: what goes in comes out, whole or not at all, and damage is found.
#include "store_help.hpp"
#include "wallet_states.hpp"

#include "chain/limits.hpp"
#include "wallet/store/wallet_db.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <random>
#include <sqlite3.h>

namespace headlight::wallet::store {
namespace {

using Mode = WalletDb::Mode;

class WalletDbTest : public ::testing::Test {
  protected:
    std::unique_ptr<WalletDb> create(const WalletState& state) {
        auto made = WalletDb::create(path, state);
        EXPECT_TRUE(made.has_value()) << to_string(made.error());
        return std::move(*made);
    }
    std::unique_ptr<WalletDb> open(Mode mode = Mode::read_write) {
        auto opened = WalletDb::open(path, mode);
        EXPECT_TRUE(opened.has_value()) << to_string(opened.error());
        return std::move(*opened);
    }
    WalletState stored() { return open()->load().value(); }
    void run_sql(const std::string& sql) {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
    /// The error of opening and loading, or "".
    std::string trouble() {
        const auto opened = WalletDb::open(path, Mode::read_write);
        if (!opened) return std::string(opened.error().code) + " " + to_string(opened.error());
        const auto loaded = (*opened)->load();
        if (!loaded) return std::string(loaded.error().code) + " " + to_string(loaded.error());
        return {};
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "regtest/wallets/default.sqlite";
};

TEST_F(WalletDbTest, GivesBackWhatItWasGiven) {
    const auto state = make_state();
    EXPECT_EQ(create(state)->load().value(), state);
    EXPECT_EQ(stored(), state);
    EXPECT_EQ(open(Mode::read_only)->load().value(), state);
}

TEST_F(WalletDbTest, ADescriptorThatIsRemovedLeavesTheOthersTheirIds) {
    auto state = make_state();
    state.descriptors.push_back({2, "addr(third)", 20, {}, false, {{-1, 1}}});
    {
        const auto db = create(state);
        WalletChanges changes;
        changes.removed = {1};
        EXPECT_FALSE(changes.empty());
        ASSERT_TRUE(db->apply(changes));
    }
    state.descriptors.erase(state.descriptors.begin() + 1);
    EXPECT_EQ(stored(), state);
    WalletChanges more;
    more.descriptors = {{3, "addr(fourth)", 20, {}, false, {{-1, 1}}}};
    ASSERT_TRUE(open()->apply(more));
    state.descriptors.push_back(more.descriptors[0]);
    EXPECT_EQ(stored(), state);
    run_sql("DELETE FROM descriptors WHERE id=3"); // a row that is lost is no row that is removed
    EXPECT_NE(trouble().find("damaged"), std::string::npos);
}

TEST_F(WalletDbTest, AnEmptyWalletIsOneToo) {
    const WalletState empty;
    EXPECT_EQ(create(empty)->load().value(), empty);
}

TEST_F(WalletDbTest, AppliesChangesToWhatTheyName) {
    auto state = make_state();
    const auto wallet = create(state);
    WalletChanges changes;
    EXPECT_TRUE(wallet->apply(changes));
    state.descriptors[0].branches[0] = {50, 270};
    state.descriptors.push_back({2, "tr(third)", 20, {}, false, {{-1, 220}}});
    changes.descriptors = {state.descriptors[0], state.descriptors[2]};
    changes.erased = {state.transactions[3].txid};
    state.transactions.erase(state.transactions.begin() + 3);
    state.transactions[0].confirmation.reset();
    changes.transactions = {state.transactions[0], make_tx(50, true)};
    state.transactions.push_back(make_tx(50, true));
    std::ranges::sort(state.transactions, {}, &StoredTx::txid);
    changes.labels = {{"bcrt1q", ""}, {"new", "label"}};
    state.labels.erase("bcrt1q");
    state.labels["new"] = "label";
    changes.scan = state.scan = {78, numbered_hash(78)};
    changes.rescan = std::optional<Birthday>();
    state.rescan.reset();
    ASSERT_TRUE(wallet->apply(changes));
    EXPECT_EQ(wallet->load().value(), state);
    changes = {};
    changes.filter = state.filter = {1, 2};
    changes.checked_to = state.checked_to = 71;
    changes.checked_to = state.checked_to = 3;
    changes.scan_trail = state.scan_trail = {};
    changes.rescan_other = std::optional<Birthday>();
    state.rescan_other.reset();
    ASSERT_TRUE(wallet->apply(changes));
    EXPECT_EQ(wallet->load().value(), state);
}

TEST_F(WalletDbTest, IsReadableByItsOwnerOnly) {
    const auto wallet = create(make_state());
    WalletChanges changes;
    changes.scan = ScanPosition{80, {}};
    ASSERT_TRUE(wallet->apply(changes));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
        ++files; // the -wal and -shm files too
        EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0600)) << entry.path();
    }
    EXPECT_GE(files, 3u);
    EXPECT_EQ(std::filesystem::status(path.parent_path()).permissions(),
              std::filesystem::perms(0700));
}

TEST_F(WalletDbTest, AWalletCopiedWithWidePermissionsIsClosedToOthers) {
    create(make_state()).reset();
    std::filesystem::permissions(path, std::filesystem::perms(0644));
    open();
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
}

TEST_F(WalletDbTest, IsNeverOverwritten) {
    create(make_state()).reset();
    const auto before = read_file(path);
    const auto again = WalletDb::create(path, WalletState{});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, errc::wallet_exists);
    EXPECT_NE(again.error().message.find(path.string()), std::string::npos);
    EXPECT_EQ(read_file(path), before);
}

TEST_F(WalletDbTest, AMissingOneIsNamed) {
    for (const auto mode : {Mode::read_only, Mode::read_write}) {
        const auto opened = WalletDb::open(path, mode);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, errc::wallet_missing);
        EXPECT_NE(opened.error().message.find(path.string()), std::string::npos);
        EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
    }
}

TEST_F(WalletDbTest, WhatACrashDuringCreationLeftIsNoWallet) {
    std::filesystem::create_directories(path.parent_path());
    write_file(path.string() + ".creating", as_bytes("half a wallet"));
    write_file(path.string() + "-wal", as_bytes("the log of a wallet deleted long ago"));
    EXPECT_FALSE(WalletDb::open(path, Mode::read_write));
    EXPECT_EQ(create(make_state())->load().value(), make_state());
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".creating"));
}

TEST_F(WalletDbTest, BelongsToOneWriterAndAnyReaders) {
    const auto wallet = create(make_state());
    const auto second = WalletDb::open(path, Mode::read_write);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, errc::in_use);
    EXPECT_NE(second.error().message.find(path.string()), std::string::npos);
    const int code = in_child([&] {
        const auto writer = WalletDb::open(path, Mode::read_write);
        if (writer || writer.error().code != errc::in_use) return 1;
        const auto reader = WalletDb::open(path, Mode::read_only);
        if (!reader) return 2;
        const auto state = (*reader)->load();
        return state && *state == make_state() ? 0 : 3;
    });
    EXPECT_EQ(code, 0);
    WalletChanges changes;
    changes.scan = ScanPosition{80, {}};
    EXPECT_TRUE(wallet->apply(changes));
    EXPECT_EQ(open(Mode::read_only)->load()->scan.height, 80);
    const auto refused = open(Mode::read_only)->apply(changes);
    EXPECT_FALSE(refused);
}

TEST_F(WalletDbTest, ANewerSchemaIsRefusedByName) {
    create(make_state()).reset();
    run_sql("PRAGMA user_version = 4");
    const auto what = trouble();
    EXPECT_NE(what.find("newer"), std::string::npos) << what;
    EXPECT_NE(what.find("schema 4"), std::string::npos) << what;
}

TEST_F(WalletDbTest, AnOlderSchemaIsReadAndBroughtUpToDate) {
    create(make_state()).reset();
    run_sql("DELETE FROM meta WHERE name IN ('seal', 'checked_to', 'parts');"
            "PRAGMA user_version = 1");
    auto state = make_state();
    state.checked_to = -1;
    state.filter = {.tweak = state.filter.tweak, .size_class = state.filter.size_class};
    EXPECT_EQ(open(Mode::read_only)->load().value(), state);
    EXPECT_EQ(stored(), state);
    EXPECT_EQ(open(Mode::read_only)->load().value(), state);
    run_sql("DELETE FROM transactions WHERE rowid = 3");
    EXPECT_EQ(trouble().substr(0, 8), "damaged ");
}

TEST_F(WalletDbTest, FilterPartsThatMeanNothingAreDamaged) {
    const auto trouble_with = [&](auto change) {
        std::filesystem::remove_all(path.parent_path());
        auto state = make_state();
        change(state.filter);
        create(state).reset();
        return trouble().substr(0, 8);
    };
    using Filter = FilterParameters;
    EXPECT_EQ(trouble_with([](Filter& f) { f.shards = 0; }), "damaged ");
    EXPECT_EQ(trouble_with([](Filter& f) { f.shards = limits::max_shards + 1; }), "damaged ");
    EXPECT_EQ(trouble_with([](Filter& f) { f.split = 0; }), "damaged ");
    EXPECT_EQ(trouble_with([](Filter& f) { f.split = limits::max_split + 1; }), "damaged ");
    for (const double rate : {-0.001, 1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(trouble_with([&](Filter& f) { f.fp_rate = rate; }), "damaged ") << rate;
    EXPECT_EQ(trouble_with([](Filter& f) { f.groups = {{"", 0}}; }), "damaged ");
    EXPECT_EQ(trouble_with([](Filter& f) { f.groups = {{"a:1", limits::max_split}}; }), "damaged ");
    const std::string long_name(limits::max_endpoint_bytes + 1, 'a');
    EXPECT_EQ(trouble_with([&](Filter& f) { f.groups = {{long_name, 0}}; }), "damaged ");
    const auto with_peers = [](std::size_t count) {
        return [count](Filter& f) {
            for (std::size_t i = 0; f.groups.size() < count; ++i)
                f.groups["peer" + std::to_string(i) + ":8333"] = 1;
        };
    };
    EXPECT_EQ(trouble_with(with_peers(limits::max_grouped_peers)), "");
    EXPECT_EQ(trouble_with(with_peers(limits::max_grouped_peers + 1)), "damaged ");
}

TEST_F(WalletDbTest, WhatIsNoWalletIsDamaged) { // pitfalls D8
    std::filesystem::create_directories(path.parent_path());
    for (const auto text : {"", "not a database at all, whatever its name says"}) {
        write_file(path, as_bytes(text));
        EXPECT_EQ(trouble().substr(0, 8), "damaged ");
        EXPECT_EQ(read_file(path).size(), std::string_view(text).size()); // and never deleted
    }
    std::filesystem::remove(path);
    run_sql("CREATE TABLE other(a)");
    EXPECT_EQ(trouble().substr(0, 8), "damaged ");
}

TEST_F(WalletDbTest, AChangedTableOrValueIsDamaged) { // pitfalls D8
    const auto fresh = [&] {
        std::filesystem::remove_all(path.parent_path());
        create(make_state()).reset();
    };
    for (const auto* sql : {
             "CREATE TRIGGER t AFTER INSERT ON labels BEGIN DELETE FROM transactions; END",
             "ALTER TABLE labels ADD COLUMN extra TEXT",
             "DROP TABLE labels",
             "UPDATE descriptors SET gap = 21 WHERE id = 0",
             "UPDATE transactions SET first_seen = first_seen + 1",
             "UPDATE transactions SET block = NULL WHERE height IS NOT NULL",
             "UPDATE transactions SET height = NULL",
             "UPDATE labels SET label = 'other'",
             "UPDATE meta SET value = x'00' WHERE name = 'scan'",
             "DELETE FROM meta WHERE name = 'rescan'",
             "DELETE FROM meta WHERE name = 'seal'",
             "DELETE FROM descriptors WHERE id = 0",
             "DELETE FROM descriptors WHERE id = 1",
             "DELETE FROM transactions WHERE rowid = 3",
             "DELETE FROM labels WHERE name = 'bcrt1q'",
             "INSERT INTO labels SELECT 'twice', label, crc FROM labels LIMIT 1",
             "PRAGMA user_version = 1",
             "PRAGMA user_version = 2",
             "DELETE FROM meta WHERE name = 'parts'; PRAGMA user_version = 2",
         }) {
        fresh();
        run_sql(sql);
        EXPECT_EQ(trouble().substr(0, 8), "damaged ") << sql;
    }
}

void expect_numbered(const WalletState& state) {
    const auto i = static_cast<std::uint32_t>(state.scan.height);
    EXPECT_EQ(state.scan.hash, numbered_hash(i));
    EXPECT_EQ(state.scan_trail.at(0).height, state.scan.height - 1);
    EXPECT_EQ(state.descriptors.at(0).branches.at(0).highest_used, i);
    EXPECT_EQ(state.filter.tweak, i);
    EXPECT_EQ(state.labels.at("count"), std::to_string(i));
    EXPECT_EQ(state.transactions.size(), 5 * i);
}

TEST_F(WalletDbTest, KilledAtAnyMomentItIsBeforeOrAfterAChange) { // pitfalls D1
    WalletState state;
    state.network = "regtest";
    {
        const auto wallet = create(state);
        ASSERT_TRUE(wallet->apply(numbered_change(1)));
    }
    std::mt19937 random(20240701);
    for (int round = 0; round < 25; ++round) {
        SCOPED_TRACE(round);
        int channel[2];
        ASSERT_EQ(::pipe(channel), 0);
        const auto child = ::fork();
        if (child == 0) {
            auto wallet = WalletDb::open(path, Mode::read_write);
            if (!wallet) ::_exit(1);
            auto i = static_cast<std::uint32_t>((*wallet)->load()->scan.height);
            for (;;) {
                ++i;
                if (!(*wallet)->apply(numbered_change(i))) ::_exit(2);
                if (::write(channel[1], &i, sizeof i) != sizeof i) ::_exit(3); // told as durable
            }
        }
        ::close(channel[1]);
        std::uint32_t told = 0;
        ASSERT_EQ(::read(channel[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
        ::usleep(static_cast<useconds_t>(random() % 15'000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status));
        std::uint32_t later = 0;
        while (::read(channel[0], &later, sizeof later) == sizeof later)
            told = later;
        ::close(channel[0]);
        const auto found = stored();
        expect_numbered(found);
        EXPECT_GE(found.scan.height, static_cast<std::int32_t>(told)); // what was told is kept
        EXPECT_LE(found.scan.height, static_cast<std::int32_t>(told) + 1);
    }
}

TEST_F(WalletDbTest, KilledWhileItIsMadeItIsNotThereOrWhole) { // pitfalls D1
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const auto child = ::fork();
        if (child == 0) {
            const auto made = WalletDb::create(path, make_state());
            ::_exit(made ? 0 : 1);
        }
        ::usleep(static_cast<useconds_t>(random() % 20'000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (std::filesystem::exists(path)) {
            EXPECT_EQ(stored(), make_state());
            std::filesystem::remove(path);
        }
    }
    EXPECT_EQ(create(make_state())->load().value(), make_state());
}

} // namespace
} // namespace headlight::wallet::store
