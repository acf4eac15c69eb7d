// Damage to the files of a synced wallet, and a sync after it: the header file heals itself, and
// the wallet comes out right or says at once that it is damaged.
#include "tests/sim/disk/disk_story.hpp"
#include "tests/support/files.hpp"

#include <random>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;

class DamagedFiles : public testing::Test {
  protected:
    void SetUp() override {
        std::optional<regtest::SimDisk> stored;
        for (const auto& step : story_.steps()) {
            const auto run = client_.run(step, stored);
            ASSERT_FALSE(run.error) << to_string(*run.error);
            stored = run.stored;
        }
        books_ = books(*stored);
        headers_ = read_file(client_.header_file());
        wallet_ = read_file(client_.wallet_file());
    }

    static void damage(Bytes& bytes, std::mt19937& random) {
        if (random() % 3 == 0) return bytes.resize(random() % bytes.size());
        for (auto flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
    }

    /// The last step again, on files that are there.
    StepRun sync() { return client_.run(story_.steps().back(), regtest::SimDisk{}, true); }

    TemporaryFolder folder_;
    DiskStory story_;
    DiskClient client_{story_, folder_.path()};
    std::string books_;
    Bytes headers_;
    Bytes wallet_;
};

TEST_F(DamagedFiles, OfHeadersAreFetchedAgainAndTheWalletIsRight) { // pitfalls D8
    for (std::uint32_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        auto broken = headers_;
        damage(broken, random);
        write_file(client_.wallet_file(), wallet_);
        write_file(client_.header_file(), broken);
        const auto run = sync();
        ASSERT_FALSE(run.error) << to_string(*run.error);
        const auto read = client_.read();
        ASSERT_TRUE(read) << to_string(read.error());
        ASSERT_EQ(books(**read), books_);
    }
}

TEST_F(DamagedFiles, OfTheWalletAreRightAfterASyncOrNamed) { // pitfalls D8
    int found = 0;
    for (std::uint32_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        auto broken = wallet_;
        damage(broken, random);
        write_file(client_.header_file(), headers_);
        write_file(client_.wallet_file(), broken);
        const auto run = sync();
        if (run.error) {
            ++found;
            EXPECT_EQ(run.error->code, errc::damaged) << to_string(*run.error);
            EXPECT_NE(to_string(*run.error).find(client_.wallet_file().string()),
                      std::string::npos);
            ASSERT_EQ(read_file(client_.wallet_file()), broken) << "damage is never tidied away";
            continue;
        }
        const auto read = client_.read();
        ASSERT_TRUE(read) << to_string(read.error());
        ASSERT_EQ(books(**read), books_);
    }
    EXPECT_GT(found, 400); // a small wallet leaves much of its pages free
}

} // namespace
} // namespace headlight::tests
