// The header file: appending, reorganising, healing, and every way to break it.
#include "store_help.hpp"

#include "chain/header_tree.hpp"
#include "wallet/store/crc32.hpp"
#include "wallet/store/header_file.hpp"
#include "wallet/store/header_record.hpp"

#include <ctime>
#include <random>

namespace headlight::wallet::store {
namespace {

using chain::ChainedHeader;
using Mode = HeaderFile::Mode;

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// A chain of linked headers; the file does not look at their proof of work.
std::vector<ChainedHeader> extend(const std::vector<ChainedHeader>& from, std::size_t height,
                                  std::size_t count, std::uint32_t salt = 0) {
    std::vector<ChainedHeader> chain(from.begin(),
                                     from.begin() + static_cast<std::ptrdiff_t>(height) + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& parent = chain.back();
        ChainedHeader next{parent.header, {}, parent.height + 1, {}};
        next.header.previous = parent.hash;
        next.header.time += 600;
        next.header.nonce = salt;
        next.hash = chain::hash_of(next.header);
        next.work = parent.work + chain::work_of(next.header.bits);
        chain.push_back(next);
    }
    return chain;
}

std::vector<ChainedHeader> make_chain(std::size_t count, std::uint32_t salt = 0) {
    const auto& genesis = regtest().genesis;
    return extend({{genesis, regtest().genesis_hash, 0, chain::work_of(genesis.bits)}}, 0, count,
                  salt);
}

chain::HeaderChange change(const std::vector<ChainedHeader>& chain, std::int32_t fork,
                           std::size_t end = SIZE_MAX) {
    return {fork,
            {chain.begin() + fork + 1,
             chain.begin() + static_cast<std::ptrdiff_t>(std::min(end, chain.size()))}};
}

std::vector<ChainedHeader> content(const HeaderFile& file) {
    std::vector<ChainedHeader> chain;
    for (std::int32_t height = 0; height <= file.tip_height(); ++height) {
        chain.push_back(file.at(height));
        EXPECT_EQ(file.find(chain.back().hash), height);
    }
    return chain;
}

class HeaderFileTest : public ::testing::Test {
  protected:
    HeaderFile::Opened open(Mode mode = Mode::read_write) {
        auto opened = HeaderFile::open(path, regtest(), mode);
        EXPECT_TRUE(opened.has_value()) << to_string(opened.error());
        return std::move(*opened);
    }
    /// Writes a file with these headers and returns its bytes.
    Bytes written(const std::vector<ChainedHeader>& chain) {
        {
            auto file = open().file;
            EXPECT_TRUE(file->apply(change(chain, file->tip_height())));
        }
        return read_file(path);
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "regtest/headers";
};

TEST(Crc32, IsZlibs) {
    EXPECT_EQ(crc32({}), 0u);
    EXPECT_EQ(crc32(as_bytes("123456789")), 0xcbf43926u);
    EXPECT_EQ(crc32(as_bytes("The quick brown fox jumps over the lazy dog")), 0x414fa339u);
    EXPECT_EQ(crc32(as_bytes("56789"), crc32(as_bytes("1234"))), 0xcbf43926u);
}

TEST_F(HeaderFileTest, AMissingFileIsAnEmptyOne) {
    {
        const auto reader = open(Mode::read_only);
        EXPECT_EQ(reader.file->tip_height(), -1);
        EXPECT_FALSE(std::filesystem::exists(path));
    }
    const auto writer = open();
    EXPECT_EQ(writer.file->tip_height(), -1);
    EXPECT_EQ(writer.notice, "");
    EXPECT_EQ(writer.file->find(regtest().genesis_hash), std::nullopt);
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(std::filesystem::status(path.parent_path()).permissions(),
              std::filesystem::perms(0700));
}

TEST_F(HeaderFileTest, KeepsWhatWasAppended) {
    const auto chain = make_chain(2500);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(chain, -1, 1)));
        ASSERT_TRUE(file->apply(change(chain, 0, 1000)));
        EXPECT_EQ(file->tip_height(), 999);
        ASSERT_TRUE(file->apply(change(chain, 999)));
        ASSERT_TRUE(file->apply({}));
        EXPECT_EQ(content(*file), chain);
    }
    const auto again = open();
    EXPECT_EQ(again.notice, "");
    EXPECT_EQ(content(*again.file), chain);
    EXPECT_EQ(again.file->find(chain::Hash256{}), std::nullopt);
}

TEST_F(HeaderFileTest, AReorganisationPersists) {
    const auto first = make_chain(300);
    const auto second = extend(first, 290, 15, 1);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(first, -1)));
        ASSERT_TRUE(file->apply(change(second, 290)));
        EXPECT_EQ(content(*file), second);
        EXPECT_EQ(file->find(first[295].hash), std::nullopt);
    }
    EXPECT_EQ(content(*open().file), second);
    const auto third = extend(first, 300, 20); // and back
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(third, 290)));
        EXPECT_EQ(file->find(first[295].hash), 295);
        EXPECT_EQ(content(*file), third);
    }
    const auto again = open();
    EXPECT_EQ(again.notice, "");
    EXPECT_EQ(content(*again.file), third);
}

TEST_F(HeaderFileTest, AShorterBranchWithMoreWorkIsKept) { // pitfalls C1
    const auto first = make_chain(100);
    auto second = first;
    second.resize(96);
    ChainedHeader heavy{second.back().header, {}, 96, {}};
    heavy.header.previous = second.back().hash;
    heavy.header.bits = 0x1d00ffff;
    heavy.hash = chain::hash_of(heavy.header);
    heavy.work = second.back().work + chain::work_of(heavy.header.bits);
    second.push_back(heavy);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(first, -1)));
        ASSERT_TRUE(file->apply(change(second, 95)));
        EXPECT_EQ(file->tip_height(), 96);
        EXPECT_EQ(file->find(first[97].hash), std::nullopt);
    }
    EXPECT_EQ(content(*open().file), second);
}

TEST_F(HeaderFileTest, RefusesWhatNoTreeSays) {
    const auto chain = make_chain(50);
    const auto file = open().file;
    EXPECT_FALSE(file->apply(change(chain, 0))); // genesis is missing
    auto alien = chain;
    alien[0].hash.bytes[3] ^= 1;
    EXPECT_FALSE(file->apply(change(alien, -1, 1)));
    ASSERT_TRUE(file->apply(change(chain, -1)));
    EXPECT_FALSE(file->apply(change(chain, -1)));
    EXPECT_FALSE(file->apply(change(extend(chain, 40, 10, 1), 40))); // no more work
    EXPECT_FALSE(file->apply(change(extend(chain, 50, 9), 51)));
    auto gap = change(extend(chain, 50, 9), 50);
    gap.headers.erase(gap.headers.begin() + 3);
    const auto refused = file->apply(gap);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::bad_argument);
    EXPECT_EQ(content(*file), chain);
    const auto reader = HeaderFile::open(path, regtest(), Mode::read_only);
    EXPECT_FALSE(reader->file->apply(change(extend(chain, 50, 9), 50)));
}

TEST_F(HeaderFileTest, ATornTailIsCutAtEveryByte) { // pitfalls D8
    const auto chain = make_chain(20);
    const auto whole = written(chain);
    ASSERT_EQ(whole.size(), preamble_bytes + 21 * record_bytes);
    const auto shorter = std::vector(chain.begin(), chain.end() - 1);
    for (auto size = whole.size() - record_bytes + 1; size < whole.size(); ++size) {
        write_file(path, ByteView(whole).first(size));
        {
            const auto reader = open(Mode::read_only);
            EXPECT_NE(reader.notice, "");
            EXPECT_EQ(reader.file->tip_height(), 19);
            EXPECT_EQ(std::filesystem::file_size(path), size);
        }
        const auto healed = open();
        EXPECT_NE(healed.notice.find(path.string()), std::string::npos);
        EXPECT_EQ(content(*healed.file), shorter) << size;
        ASSERT_TRUE(healed.file->apply(change(chain, 19)));
        EXPECT_EQ(read_file(path), whole);
    }
}

TEST_F(HeaderFileTest, ATailOfRubbishIsATornOne) { // pitfalls D8
    const auto chain = make_chain(20);
    auto bytes = written(chain);
    bytes.resize(bytes.size() + 5 * record_bytes + 17); // zeros, as a file system may leave them
    write_file(path, bytes);
    const auto healed = open();
    EXPECT_NE(healed.notice, "");
    EXPECT_EQ(content(*healed.file), chain);
}

TEST_F(HeaderFileTest, AReorganisationCutShortNeverHappened) { // pitfalls D1
    const auto first = make_chain(40);
    const auto second = extend(first, 30, 20, 1);
    written(first);
    const auto before = std::filesystem::file_size(path);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(second, 30)));
    }
    const auto whole = read_file(path);
    for (auto size = before; size <= whole.size(); size += record_bytes / 2) {
        write_file(path, ByteView(whole).first(size));
        const auto file = open().file;
        const auto have = content(*file);
        if (have == first) continue;
        // From the eleventh record on the new branch has more work.
        ASSERT_EQ(have, std::vector(second.begin(), second.begin() + file->tip_height() + 1));
        EXPECT_GT(file->tip_height(), 40);
    }
}

TEST_F(HeaderFileTest, ADamagedMiddleIsSaidOnceAndRebuilt) { // pitfalls D8
    const auto chain = make_chain(20);
    auto bytes = written(chain);
    bytes[preamble_bytes + 7 * record_bytes + 50] ^= 0x10;
    write_file(path, bytes);
    {
        const auto reader = open(Mode::read_only);
        EXPECT_NE(reader.notice, "");
        EXPECT_EQ(reader.file->tip_height(), 6);
        EXPECT_EQ(read_file(path), bytes);
    }
    {
        const auto rebuilt = open();
        EXPECT_EQ(rebuilt.file->tip_height(), -1);
        EXPECT_NE(rebuilt.notice.find("record 7"), std::string::npos) << rebuilt.notice;
        EXPECT_EQ(std::count(rebuilt.notice.begin(), rebuilt.notice.end(), '\n'), 0);
        EXPECT_EQ(read_file(path.string() + ".damaged"), bytes);
        ASSERT_TRUE(rebuilt.file->apply(change(chain, -1)));
        EXPECT_EQ(content(*rebuilt.file), chain);
    }
    EXPECT_EQ(open().notice, "");
}

/// A record that contradicts the others although its checksum holds.
TEST_F(HeaderFileTest, AFalseRecordIsDamage) {
    const auto chain = make_chain(20);
    const auto whole = written(chain);
    const auto spoil = [&](auto change_header) {
        auto header = chain[20];
        change_header(header);
        Bytes bytes(whole.begin(), whole.end() - record_bytes);
        append_record(bytes, header);
        write_file(path, bytes);
        return open().notice;
    };
    EXPECT_NE(spoil([](auto& h) { h.header.previous.bytes[0] ^= 1; }).find("link"),
              std::string::npos);
    EXPECT_NE(spoil([](auto& h) { h.work = h.work + h.work; }).find("work"), std::string::npos);
    EXPECT_NE(spoil([](auto& h) { h.height = 22; }).find("gap"), std::string::npos);
    EXPECT_NE(spoil([](auto& h) { h.height = -1; }).find("gap"), std::string::npos);
}

TEST_F(HeaderFileTest, AnotherNetworksFileIsNotRead) {
    const auto bytes = written(make_chain(20));
    const auto opened =
        HeaderFile::open(path, chain::network(chain::NetworkId::signet), Mode::read_write);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->file->tip_height(), -1);
    EXPECT_NE(opened->notice.find("another network"), std::string::npos);
}

TEST_F(HeaderFileTest, AThousandTruncationsAndFlipsAreFoundOrHarmless) { // pitfalls D8
    const auto first = make_chain(40);
    const auto second = extend(first, 30, 20, 1);
    written(first);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(second, 30)));
    }
    const auto whole = read_file(path);
    for (std::uint32_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        auto bytes = whole;
        if (seed % 2 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        }
        write_file(path, bytes);
        const auto opened = open();
        const auto have = content(*opened.file);
        // What is left is the beginning of a chain that was once stored.
        const auto begins = [&](const std::vector<ChainedHeader>& chain) {
            return have.size() <= chain.size() &&
                   std::equal(have.begin(), have.end(), chain.begin());
        };
        EXPECT_TRUE(begins(first) || begins(second));
        if (have != second && have != first && bytes.size() > preamble_bytes) {
            EXPECT_TRUE(have.empty() || !opened.notice.empty() ||
                        (bytes.size() - preamble_bytes) % record_bytes == 0);
        }
    }
}

TEST_F(HeaderFileTest, ManySupersededRecordsAreCompactedAway) {
    auto chain = make_chain(100);
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(chain, -1)));
        for (std::uint32_t round = 1; round <= limits::max_wasted_header_records / 100 + 2;
             ++round) {
            chain = extend(chain, chain.size() - 101, 101, round);
            ASSERT_TRUE(file->apply(change(chain, static_cast<std::int32_t>(chain.size()) - 102)));
        }
    }
    const auto before = std::filesystem::file_size(path);
    {
        const auto opened = open();
        EXPECT_EQ(opened.notice, "");
        EXPECT_EQ(content(*opened.file), chain);
        EXPECT_EQ(std::filesystem::file_size(path), preamble_bytes + chain.size() * record_bytes);
        EXPECT_LT(std::filesystem::file_size(path), before);
        const auto longer = extend(chain, chain.size() - 1, 5);
        ASSERT_TRUE(
            opened.file->apply(change(longer, static_cast<std::int32_t>(chain.size()) - 1)));
        chain = longer;
        const auto second = HeaderFile::open(path, regtest(), Mode::read_write);
        ASSERT_FALSE(second); // the lock went along
    }
    EXPECT_EQ(content(*open().file), chain);
}

TEST_F(HeaderFileTest, AFailureAtAnyCallLeavesWhatWasThere) { // pitfalls D1, D8
    const auto first = make_chain(30);
    const auto second = extend(first, 30, 10);
    const auto third = extend(second, 35, 10, 1);
    const std::vector<chain::HeaderChange> script{change(first, -1), change(second, 30),
                                                  change(third, 35)};
    const std::vector<std::vector<ChainedHeader>> states{{}, first, second, third};
    for (const bool for_good : {false, true}) {
        for (const int error : {ENOSPC, EIO}) {
            bool reached = true;
            for (int n = 0; reached; ++n) {
                SCOPED_TRACE("call " + std::to_string(n));
                std::filesystem::remove(path);
                FailingFileSystem system(n, error, for_good);
                auto opened = HeaderFile::open(path, regtest(), Mode::read_write, system);
                std::size_t done = 0;
                if (opened) {
                    for (const auto& step : script) {
                        const auto applied = opened->file->apply(step);
                        if (!applied) {
                            EXPECT_EQ(applied.error().code,
                                      error == ENOSPC ? errc::disk_full : errc::io);
                            EXPECT_FALSE(applied.error().cure.empty());
                            EXPECT_EQ(content(*opened->file), states[done]);
                            system.heal();
                            ASSERT_TRUE(opened->file->apply(step)); // the disk has room again
                        }
                        ++done;
                        EXPECT_EQ(content(*opened->file), states[done]);
                    }
                }
                reached = system.calls() > n;
                opened = Error{errc::io, "closed"};
                const auto again = HeaderFile::open(path, regtest(), Mode::read_write);
                ASSERT_TRUE(again);
                EXPECT_EQ(content(*again->file), states[done]);
            }
        }
    }
}

TEST_F(HeaderFileTest, AFailureWithoutRepairIsGoneAfterARestart) { // pitfalls D8
    const auto first = make_chain(30);
    const auto second = extend(first, 30, 10);
    written(first);
    for (int n = 0; n < 3; ++n) {
        FailingFileSystem system(n, EIO, false);
        {
            const auto opened = HeaderFile::open(path, regtest(), Mode::read_write, system);
            const auto& file = opened->file;
            const auto applied = file->apply(change(second, 30));
            EXPECT_EQ(applied.has_value(), n == 2);
        }
        EXPECT_EQ(content(*open().file), n == 2 ? second : first);
    }
}

TEST_F(HeaderFileTest, BelongsToOneWriterAndAnyReaders) {
    const auto chain = make_chain(30);
    const auto file = open().file;
    ASSERT_TRUE(file->apply(change(chain, -1)));
    const auto second = HeaderFile::open(path, regtest(), Mode::read_write);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, errc::in_use);
    EXPECT_NE(second.error().message.find(path.string()), std::string::npos);
    const int code = in_child([&] {
        const auto writer = HeaderFile::open(path, regtest(), Mode::read_write);
        if (writer || writer.error().code != errc::in_use) return 1;
        if (remove_header_file(path) || !std::filesystem::exists(path)) return 2;
        const auto reader = HeaderFile::open(path, regtest(), Mode::read_only);
        return reader && reader->file->tip_height() == 30 ? 0 : 3;
    });
    EXPECT_EQ(code, 0);
    // The reader that came and went took no lock along.
    EXPECT_TRUE(file->apply(change(extend(chain, 30, 1), 30)));
}

TEST_F(HeaderFileTest, CanBeDeleted) { // reset-chain
    written(make_chain(3));
    EXPECT_TRUE(remove_header_file(path));
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(remove_header_file(path));
}

TEST_F(HeaderFileTest, AppendsAHundredThousandHeadersQuickly) {
    const auto chain = make_chain(100'000);
    const auto start = std::clock();
    {
        const auto file = open().file;
        ASSERT_TRUE(file->apply(change(chain, -1, 2000)));
        for (std::int32_t height = 1999; height < 100'000; height += 2000) {
            ASSERT_TRUE(
                file->apply(change(chain, height, static_cast<std::size_t>(height) + 2001)));
        }
        EXPECT_EQ(file->tip_height(), 100'000);
    }
    const auto appended = std::clock();
    const auto file = open().file;
    EXPECT_EQ(file->at(77'777), chain[77'777]);
    RecordProperty("append_ms", static_cast<int>((appended - start) * 1000 / CLOCKS_PER_SEC));
    RecordProperty("open_ms", static_cast<int>((std::clock() - appended) * 1000 / CLOCKS_PER_SEC));
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10); // generous: sanitizers
}

} // namespace
} // namespace headlight::wallet::store
