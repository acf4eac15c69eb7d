// The filter policy: one element a script, sizes in steps, and a rate that is ours.
#include "sync/filter_policy.hpp"

#include "chain/script.hpp"
#include "wallet/hd_key.hpp"

#include <gtest/gtest.h>

namespace headlight::sync {
namespace {

using wallet::AccountKind;

const chain::Network& policy_network() { return chain::network(chain::NetworkId::regtest); }

std::unique_ptr<wallet::Wallet> wallet_of(std::initializer_list<AccountKind> kinds) {
    const auto master = wallet::master_key(Bytes(32, 5));
    auto made = wallet::Wallet::create(policy_network(), 99, 0);
    for (const auto kind : kinds) {
        const auto text = wallet::account_descriptor(*master, kind, 0, policy_network());
        EXPECT_TRUE(made->add(*wallet::Descriptor::parse(*text, policy_network()), 20, {}, true));
    }
    return made;
}

TEST(FilterPolicy, AScriptIsOneElementAndNothingElseIsInTheFilter) {
    for (const auto kind :
         {AccountKind::pkh, AccountKind::sh_wpkh, AccountKind::wpkh, AccountKind::tr}) {
        const auto wallet = wallet_of({kind});
        const auto filter = filter_of(*wallet, 0.0005);
        bip37::BloomFilter pushes(filter.data().size(), filter.hash_functions(), 99,
                                  bip37::UpdateFlags::all);
        const auto& book = wallet->scripts();
        ASSERT_EQ(book.size(), 440u);
        for (std::size_t i = 0; i < book.size(); ++i) {
            const auto pushed = chain::data_pushes(book.at(i).script_pubkey);
            ASSERT_EQ(pushed.size(), 1u);
            pushes.insert(pushed[0]);
        }
        EXPECT_EQ(filter, pushes) << "a bit more would be a key beside its hash, or the like";
        EXPECT_EQ(elements_of(*wallet), book.size());
    }
}

TEST(FilterPolicy, SizesAreStepsWithHeadRoomThatNeverShrink) {
    EXPECT_EQ(size_class_for(440, 0), 1'000u);
    EXPECT_EQ(size_class_for(1'000, 1'000), 1'000u);
    EXPECT_EQ(size_class_for(1'001, 1'000), 2'000u);
    EXPECT_EQ(size_class_for(10, 2'000), 2'000u) << "a smaller one would tell what went";
    EXPECT_EQ(filter_size_for(440, 1'000, 0.0005), filter_size_for(999, 1'000, 0.0005));
    EXPECT_EQ(filter_size_for(1'000'000, 0, 0.0005).bytes, limits::max_filter_bytes);
}

TEST(FilterPolicy, TheSameWalletGivesTheSameBytesAndTheTweakIsItsOwn) {
    const auto wallet = wallet_of({AccountKind::wpkh, AccountKind::tr});
    const auto again = *wallet::Wallet::load(wallet->state(), policy_network());
    EXPECT_EQ(filter_of(*wallet, 0.005), filter_of(*again, 0.005));
    EXPECT_EQ(filter_of(*wallet, 0.005).tweak(), 99u);
    EXPECT_NE(filter_of(*wallet, 0.005), filter_of(*wallet, 0.0005));
}

TEST(FilterPolicy, EveryLevelIsARateThatMayBeChosen) {
    static_assert(fp_rate_of(PrivacyLevel::low) < fp_rate_of(PrivacyLevel::medium));
    static_assert(fp_rate_of(PrivacyLevel::medium) < fp_rate_of(PrivacyLevel::high));
    static_assert(least_fp_rate < fp_rate_of(PrivacyLevel::low));
    static_assert(fp_rate_of(PrivacyLevel::high) < most_fp_rate);
    const auto wallet = wallet_of({AccountKind::wpkh});
    for (const double rate : {least_fp_rate, most_fp_rate}) {
        const auto filter = filter_of(*wallet, rate);
        EXPECT_GT(filter.false_positive_rate(), 0);
        EXPECT_LT(filter.false_positive_rate(), rate);
    }
}

} // namespace
} // namespace headlight::sync
