// Bans on the disk: kept, ended, lifted, damaged.
#include "client/ban_file.hpp"
#include "tests/support/files.hpp"
#include "wallet/store/crc32.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;
using client::BanFile;
using sync::Ban;

constexpr std::int64_t today = 1'714'564'800;

const Ban first{{"192.0.2.1", 8333}, today + 100, "a header without its work"};
const Ban second{{"2001:db8::1", 18444}, today + 200, "a proof that does not hold"};
const Ban third{{"node.example", 8333}, today + 300, ""};

class FullDisk : public wallet::store::FileSystem {
  public:
    int write(int file, ByteView data, std::uint64_t at) override {
        FileSystem::write(file, data.first(data.size() / 2), at);
        return ENOSPC;
    }
};

class Bans : public testing::Test {
  protected:
    std::vector<Ban> read(std::int64_t now = today) {
        const auto got = file.read(now);
        EXPECT_TRUE(got) << to_string(got.error());
        notice = got->notice;
        return got->bans;
    }
    void keep_all() {
        for (const auto& ban : {first, second, third})
            ASSERT_TRUE(file.keep(ban, today));
    }
    std::string content() {
        const auto bytes = read_file(path);
        return {bytes.begin(), bytes.end()};
    }

    TemporaryFolder folder;
    fs::path path = folder / "regtest/bans";
    BanFile file{path};
    std::string notice;
};

TEST_F(Bans, AMissingFileHoldsNone) {
    EXPECT_TRUE(read().empty());
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(Bans, AreThereInTheNextRunAndEnd) {
    keep_all();
    EXPECT_EQ(read(), (std::vector{first, second, third}));
    EXPECT_EQ(notice, "");
    EXPECT_EQ(read(today + 99), (std::vector{first, second, third}));
    EXPECT_EQ(read(today + 100), (std::vector{second, third}));
    EXPECT_TRUE(read(today + 300).empty());
}

TEST_F(Bans, OfOnePeerTakesThePlaceOfAnEarlierOne) {
    keep_all();
    auto again = first;
    again.until += 1'000;
    again.reason = "once more";
    ASSERT_TRUE(file.keep(again, today + 250));
    EXPECT_EQ(read(today + 250), (std::vector{third, again}));
    EXPECT_EQ(std::ranges::count(content(), '\n'), 2); // what has ended is gone
}

TEST_F(Bans, AreTheirOwnersOnly) {
    keep_all();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
}

TEST_F(Bans, AreLiftedOneByOneOrTogether) {
    keep_all();
    EXPECT_EQ(file.lift(second.endpoint, today).value(), std::vector{second});
    EXPECT_TRUE(file.lift(second.endpoint, today).value().empty());
    EXPECT_EQ(read(), (std::vector{first, third}));
    EXPECT_EQ(file.lift({}, today).value(), (std::vector{first, third}));
    EXPECT_TRUE(read().empty());
}

TEST_F(Bans, KeepWordsOfAPeerOnOneLine) {
    auto ban = first;
    ban.reason = "it says \n00000000 99999999999 10.0.0.1:1 all\r\n\x1b[31m";
    ASSERT_TRUE(file.keep(ban, today));
    ASSERT_EQ(read().size(), 1u);
    EXPECT_EQ(read()[0].endpoint, first.endpoint);
    EXPECT_TRUE(std::ranges::all_of(read()[0].reason, [](char c) { return c >= ' '; }));
    EXPECT_EQ(notice, "");
}

TEST_F(Bans, AreKeptAsTheyWereWhenTheDiskIsFull) {
    keep_all();
    const auto before = content();
    FullDisk full;
    auto ban = first;
    ban.until += 5;
    const auto kept = BanFile(path, full).keep(ban, today);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, errc::disk_full);
    EXPECT_NE(to_string(kept.error()).find(path.string()), std::string::npos);
    EXPECT_EQ(content(), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1); // no draft
}

TEST_F(Bans, LeaveOutWhatIsNoLineOfTheirs) {
    fs::create_directories(path.parent_path());
    const auto line = [](const std::string& text) {
        const auto sum = wallet::store::crc32(as_bytes(text));
        char digits[9];
        std::snprintf(digits, sizeof digits, "%08x", sum);
        return std::string(digits) + " " + text + "\n";
    };
    const auto good = line(std::to_string(today + 1) + " 192.0.2.1:8333 why");
    const auto no_number = line("tomorrow 192.0.2.1:8333 why");
    const auto no_endpoint = line(std::to_string(today + 1) + " 192.0.2.1:99999 why");
    write_file(path, as_bytes("\n" + no_number + good + no_endpoint + "0 1 2\n"));
    EXPECT_EQ(read().size(), 1u);
    EXPECT_NE(notice.find(path.string()), std::string::npos) << notice;
    EXPECT_NE(notice.find("4 lines"), std::string::npos) << notice;
    write_file(path, Bytes(2'000'000, 'x'));
    EXPECT_TRUE(read().empty());
    EXPECT_NE(notice, "");
    ASSERT_TRUE(file.keep(first, today)); // and it is whole again
    EXPECT_EQ(read(), std::vector{first});
    EXPECT_EQ(notice, "");
}

TEST_F(Bans, AThousandTimesDamagedAreFoundOrHarmless) { // pitfalls D8
    keep_all();
    const std::vector all{first, second, third};
    const auto whole = read_file(path);
    int found = 0;
    for (std::uint32_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        auto bytes = whole;
        if (seed % 4 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        }
        write_file(path, bytes);
        const auto bans = read();
        for (const auto& ban : bans)
            EXPECT_EQ(std::ranges::count(all, ban), 1) << p2p::to_string(ban.endpoint);
        found += notice.empty() ? 0 : 1;
        if (bans.size() < all.size() && bytes.size() == whole.size()) {
            EXPECT_NE(notice, "");
        }
    }
    EXPECT_GT(found, 900);
}

} // namespace
} // namespace headlight::tests
