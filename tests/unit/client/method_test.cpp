// The method of a sync: what is remembered of a filter's choices, and when blocks come whole.
#include "bip37/sizing.hpp"
#include "chain/limits.hpp"
#include "chain/script.hpp"
#include "client/client.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/client/fake_node.hpp"
#include "wallet/address.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

using client::Method;
using wallet::store::WalletDb;

constexpr double usual_rate = 0.0005;

class SyncMethod : public ::testing::Test {
  protected:
    SyncMethod() {
        paths_.datadir = folder_.path();
        paths_.network = &chain::network(chain::NetworkId::regtest);
        EXPECT_TRUE(client::create_wallet(paths_, {}, 0));
    }

    client::SyncOutcome sync(const FakeNode& node, std::optional<Method> method,
                             client::FilterChoice filter = {}, std::int64_t timeout_ms = 20'000) {
        client::SyncOptions options;
        options.config.peers = {node.endpoint()};
        options.method = method;
        options.filter = filter;
        options.timeout_ms = timeout_ms;
        notices_.clear();
        return client::run_sync(paths_, std::move(options),
                                [this](const sync::Notice& notice) { notices_.push_back(notice); });
    }
    template <class Wanted>
    std::vector<Wanted> told() const {
        std::vector<Wanted> all;
        for (const auto& notice : notices_)
            if (const auto* one = std::get_if<Wanted>(&notice)) all.push_back(*one);
        return all;
    }
    wallet::FilterParameters stored() const {
        return client::open_wallet(paths_, WalletDb::Mode::read_only).value().wallet->filter();
    }

    TemporaryFolder folder_;
    client::Paths paths_;
    std::vector<sync::Notice> notices_;
    const FakeNode node_;
    const FakeNode without_bloom_{chain::NetworkId::regtest, p2p::services::network};
};

TEST_F(SyncMethod, RemembersWhatIsChosenForTheFilter) {
    EXPECT_EQ(stored().fp_rate, 0);
    ASSERT_FALSE(sync(node_, Method::bip37).error);
    EXPECT_EQ(stored().fp_rate, usual_rate) << "the first run fixes the usual rate";
    ASSERT_FALSE(sync(node_, Method::bip37, {.fp_rate = 0.005}).error);
    EXPECT_EQ(stored().fp_rate, 0.005);
    ASSERT_FALSE(sync(node_, Method::bip37).error);
    EXPECT_EQ(stored().fp_rate, 0.005);
    EXPECT_EQ(stored().split, 1U);
}

TEST_F(SyncMethod, RemembersItOfARunThatFails) {
    client::SyncOptions options;
    options.config.peers = {FakeNode().endpoint(), FakeNode().endpoint()}; // gone
    options.filter = {.fp_rate = 0.001, .split = 2};
    ASSERT_TRUE(client::run_sync(paths_, options, {}).error);
    EXPECT_EQ(stored().fp_rate, 0.001);
    EXPECT_EQ(stored().split, 2U);
}

TEST_F(SyncMethod, RefusesASplitOverTooFewPeersAndForgetsIt) {
    const auto refused = sync(node_, Method::bip37, {.fp_rate = 0.001, .split = 2});
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->code, errc::bad_argument);
    EXPECT_NE(refused.error->cause.find("1 is named"), std::string::npos);
    EXPECT_NE(refused.error->cure.find("--split 1"), std::string::npos);
    EXPECT_EQ(stored().split, 1U);
    EXPECT_EQ(stored().fp_rate, 0) << "nothing of a run that was refused is kept";
    EXPECT_FALSE(sync(node_, std::nullopt).error);
}

TEST_F(SyncMethod, FullIsKeptUntilAFilterIsAskedFor) {
    ASSERT_FALSE(sync(node_, Method::full).error);
    const auto later = sync(node_, std::nullopt);
    ASSERT_FALSE(later.error);
    EXPECT_TRUE(later.whole_blocks);
    EXPECT_EQ(later.statistics.filterloads, 0) << "nothing is told for want of an option";
    EXPECT_EQ(sync(node_, Method::bip37).statistics.filterloads, 1);
    EXPECT_FALSE(sync(node_, std::nullopt).whole_blocks);
}

TEST_F(SyncMethod, FullTellsNothingAndChoosesNoFilter) {
    for (const auto* node : {&node_, &without_bloom_}) {
        const auto outcome = sync(*node, Method::full);
        ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
        EXPECT_TRUE(outcome.whole_blocks);
    }
    EXPECT_EQ(without_bloom_.filter_messages(), 0);
    EXPECT_EQ(stored().fp_rate, 0);
}

TEST_F(SyncMethod, Bip37FailsWhereNobodyFilters) {
    const auto outcome = sync(without_bloom_, Method::bip37);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::no_bloom);
    EXPECT_FALSE(outcome.whole_blocks);
}

TEST_F(SyncMethod, EitherIsBip37WhereAPeerFilters) {
    const auto outcome = sync(node_, Method::either);
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_FALSE(outcome.whole_blocks);
    EXPECT_GT(node_.filter_messages(), 0);
    EXPECT_TRUE(told<sync::notice::Warning>().empty());
}

TEST_F(SyncMethod, EitherWarnsAndFetchesWholeBlocksWhereNobodyFilters) {
    const auto outcome = sync(without_bloom_, Method::either);
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_TRUE(outcome.whole_blocks);
    EXPECT_EQ(without_bloom_.filter_messages(), 0);
    const auto warnings = told<sync::notice::Warning>();
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].error.code, errc::no_bloom);
    EXPECT_TRUE(warnings[0].error.message.starts_with("whole blocks are fetched"));
    const auto ends = told<sync::notice::Finished>();
    ASSERT_EQ(ends.size(), 1U) << "the run ends once";
    EXPECT_FALSE(ends[0].error);
}

TEST_F(SyncMethod, EitherKeepsItsTimeLimitOverBothRuns) {
    client::SyncOptions options;
    options.config.peers = {without_bloom_.endpoint()};
    options.config.follow = true;
    options.method = Method::either;
    options.timeout_ms = 1'000;
    const auto outcome = client::run_sync(paths_, options, {});
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, errc::timeout) << to_string(*outcome.error);
    EXPECT_TRUE(outcome.whole_blocks);
    EXPECT_LT(outcome.seconds, 5);
}

/// A wallet of so many addresses, in memory.
std::unique_ptr<wallet::Wallet> watching(std::size_t addresses) {
    const auto& network = chain::network(chain::NetworkId::regtest);
    auto made = client::new_wallet(network, {}, 0);
    for (std::size_t i = 0; i < addresses; ++i) {
        Bytes program(20);
        for (std::size_t byte = 0; byte < 4; ++byte)
            program[byte] = static_cast<std::uint8_t>(i >> (8 * byte));
        const auto address = wallet::encode_address(chain::witness_script(0, program), network);
        const auto descriptor = wallet::Descriptor::parse("addr(" + *address + ")", network);
        EXPECT_TRUE(made->add(*descriptor, 20, {}, false));
    }
    return made;
}

TEST(FilterCapacity, IsWhatAllPartsHoldAtTheChosenRate) {
    const auto wallet = watching(20'000);
    client::remember(*wallet, {.fp_rate = 0.000001});
    EXPECT_FALSE(client::too_many_for_filters(*wallet));
    // no rate may be as low, but it makes a small wallet too large
    client::remember(*wallet, {.fp_rate = 1e-100});
    const auto most = bip37::capacity(limits::max_filter_bytes, 1e-100) * limits::max_shards;
    ASSERT_LT(most, 20'000U);
    const auto error = client::too_many_for_filters(*wallet);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, errc::too_large);
    EXPECT_EQ(error->cause, "20000 elements, where 16 filters hold " + std::to_string(most) +
                                " at the chosen rate");
    EXPECT_NE(error->cure.find("--method full"), std::string::npos);
    client::remember(*wallet, {.split = 8});
    EXPECT_FALSE(client::too_many_for_filters(*wallet));
}

TEST_F(SyncMethod, TooManyScriptsFailWithBip37AndComeWholeWithEither) {
    {
        auto opened = client::open_wallet(paths_, WalletDb::Mode::read_write).value();
        const auto many = watching(5'000);
        for (const auto& state : many->scripts().descriptors()) {
            const auto descriptor =
                wallet::Descriptor::parse(state.descriptor, *paths_.network).value();
            ASSERT_TRUE(opened.wallet->add(descriptor, 20, {}, false));
        }
        ASSERT_TRUE(opened.save());
    }
    constexpr double absurd = 1e-300; // at which 16 filters hold fewer
    const auto refused = sync(node_, Method::bip37, {.fp_rate = absurd});
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->code, errc::too_large);
    const auto outcome = sync(node_, Method::either, {.fp_rate = absurd});
    ASSERT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_TRUE(outcome.whole_blocks);
    EXPECT_EQ(told<sync::notice::Warning>().size(), 1U);
}

} // namespace
} // namespace headlight::tests
