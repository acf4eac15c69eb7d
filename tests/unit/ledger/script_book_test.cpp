// The script book: the gap limit, the head-room, the log.
#include "ledger_help.hpp"

#include "chain/script.hpp"
#include "wallet/hd_key.hpp"

#include <algorithm>
#include <chrono>

namespace headlight::wallet {
namespace {

Descriptor account(std::uint32_t number = 0) {
    const Bytes seed(32, 0x42);
    return Descriptor::parse(
               account_descriptor(master_key(seed).value(), AccountKind::wpkh, number, regtest())
                   .value(),
               regtest())
        .value();
}

Bytes bytes_of(const std::optional<DerivedScript>& script) {
    return {script.value().script_pubkey.begin(), script.value().script_pubkey.end()};
}

std::vector<std::uint32_t> required_indexes(const ScriptBook& book, std::uint32_t branch) {
    std::vector<std::uint32_t> indexes;
    for (std::size_t i = 0; i < book.size(); ++i) {
        if (book.at(i).ref.branch == branch && book.required(i)) {
            indexes.push_back(book.at(i).ref.index);
        }
    }
    return indexes;
}

TEST(ScriptBook, AGapOfTwentyMeansTwenty) { // pitfalls A10
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    EXPECT_EQ(required_indexes(book, 0).size(), 20u);
    book.mark_used({0, 0, 15}); // 15 unused ones before it
    EXPECT_EQ(required_indexes(book, 0).back(), 35u);
    EXPECT_EQ(required_indexes(book, 1).back(), 19u); // change is on its own
    EXPECT_EQ(book.descriptors()[0].branches[0].highest_used, 15);
}

TEST(ScriptBook, AnotherGapIsHonouredAndBounded) { // pitfalls A10
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 50, {}, true));
    EXPECT_EQ(required_indexes(book, 0).size(), 50u);
    for (const auto gap : {0u, limits::max_gap + 1}) {
        const auto refused = book.add(account(1), gap, {}, true);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, errc::bad_argument);
    }
    EXPECT_EQ(book.descriptors().size(), 1u);
}

TEST(ScriptBook, AKnownDescriptorTakesTheLargerGapOnly) {
    ScriptBook book(regtest());
    EXPECT_TRUE(book.add(account(), 20, {}, true)->is_new);
    EXPECT_FALSE(book.add(account(), 10, {}, false)->is_new);
    EXPECT_EQ(book.descriptors()[0].gap, 20u);
    book.take_dirty();
    EXPECT_FALSE(book.add(account(), 500, {}, false)->is_new);
    EXPECT_EQ(book.descriptors()[0].gap, 500u);
    EXPECT_EQ(required_indexes(book, 0).size(), 500u);
    EXPECT_TRUE(book.descriptors()[0].generated);
    EXPECT_EQ(book.take_dirty(), std::vector<std::uint32_t>{0});
}

TEST(ScriptBook, DerivesAheadRarelyAndInWholeBatches) { // pitfalls A9
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    EXPECT_EQ(book.size(), 2 * (20 + limits::script_headroom));
    int growths = 0;
    for (std::uint32_t index = 0; index < 1000; ++index) {
        const auto before = book.size();
        book.mark_used({0, 0, index});
        growths += book.size() != before;
        ASSERT_GE(book.descriptors()[0].branches[0].derived, index + 1 + 20);
    }
    EXPECT_LE(growths, 6);
}

TEST(ScriptBook, OneJumpDerivesWhateverItNeeds) { // pitfalls A2
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    const auto log_start = bytes_of(book.at(17));
    EXPECT_TRUE(book.mark_used({0, 1, 219}));
    EXPECT_FALSE(book.mark_used({0, 1, 219}));
    EXPECT_FALSE(book.mark_used({0, 1, 3}));
    EXPECT_EQ(required_indexes(book, 1).back(), 239u);
    EXPECT_EQ(bytes_of(book.at(17)), log_start); // the log only grows
}

TEST(ScriptBook, FindsEveryPlaceOfASharedScript) {
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    const auto script = bytes_of(book.script({0, 0, 7}));
    ASSERT_TRUE(book.add(raw_descriptor(script), 20, {}, false));
    const auto places = book.find(script);
    ASSERT_EQ(places.size(), 2u);
    EXPECT_EQ(places[0], (ScriptRef{0, 0, 7}));
    EXPECT_EQ(places[1], (ScriptRef{1, 0, 0}));
    EXPECT_TRUE(book.mark_used(script));
    EXPECT_EQ(book.descriptors()[0].branches[0].highest_used, 7);
    EXPECT_EQ(book.descriptors()[1].branches[0].highest_used, 0);
    EXPECT_TRUE(book.find(foreign_script(1)).empty());
}

TEST(ScriptBook, HoldsTheElementsOfEveryScript) { // pitfalls A8
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    for (std::size_t i = 0; i < book.size(); ++i) {
        EXPECT_EQ(book.at(i).elements(), chain::filter_elements(book.at(i).script_pubkey));
        EXPECT_EQ(book.at(i).elements().size(), 1u);
        const auto found = book.script(book.at(i).ref).value();
        EXPECT_EQ(found.ref, book.at(i).ref);
        EXPECT_EQ(found.script_pubkey.data(), book.at(i).script_pubkey.data());
    }
    EXPECT_FALSE(book.script({0, 0, 5000}));
    EXPECT_FALSE(book.script({0, 9, 0}));
    EXPECT_FALSE(book.script({9, 0, 0}));
}

TEST(ScriptBook, TheNextReceiveIndexFollowsTheHighestUsedOfTheGeneratedDescriptor) {
    ScriptBook book(regtest());
    EXPECT_EQ(book.next_receive(), std::nullopt);
    ASSERT_TRUE(book.add(raw_descriptor(our_script(1)), 20, {}, false));
    EXPECT_EQ(book.next_receive(), std::nullopt);
    ASSERT_TRUE(book.add(account(1), 20, {}, false));
    EXPECT_EQ(book.next_receive(), (ScriptRef{1, 0, 0}));
    ASSERT_TRUE(book.add(account(0), 20, {}, true));
    book.mark_used({2, 0, 4});
    book.mark_used({2, 1, 9});
    EXPECT_EQ(book.next_receive(), (ScriptRef{2, 0, 5}));
}

TEST(ScriptBook, ARestartDerivesWhatWasDerived) {
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    ASSERT_TRUE(book.add(raw_descriptor(our_script(1)), 20, {}, false));
    book.mark_used({0, 0, 130});
    ScriptBook again(regtest());
    for (const auto& state : book.descriptors())
        ASSERT_TRUE(again.load(state));
    EXPECT_TRUE(std::ranges::equal(again.descriptors(), book.descriptors()));
    EXPECT_EQ(again.size(), book.size());
    EXPECT_TRUE(again.take_dirty().empty());
    for (std::size_t i = 0; i < book.size(); ++i) {
        EXPECT_FALSE(again.find(book.at(i).script_pubkey).empty());
    }
}

TEST(ScriptBook, AStateThatContradictsItselfIsDamage) {
    ScriptBook source(regtest());
    ASSERT_TRUE(source.add(account(), 20, {}, true));
    const auto good = source.descriptors()[0];
    std::vector<DescriptorState> bad(6, good);
    bad[0].branches.push_back({});
    bad[1].branches.pop_back();
    bad[2].branches[0].highest_used = bad[2].branches[0].derived;
    bad[3].branches[1].highest_used = -2;
    bad[4].gap = 0;
    bad[5].descriptor = "wpkh(rubbish)";
    for (const auto& state : bad) {
        ScriptBook book(regtest());
        const auto loaded = book.load(state);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().code, errc::damaged);
    }
}

TEST(ScriptBook, HoldsAHundredThousandAddresses) {
    ScriptBook book(regtest());
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        ASSERT_TRUE(book.add(raw_descriptor(our_script(i)), 20, {}, false));
    }
    for (std::uint32_t i = 0; i < 100'000; i += 100) {
        EXPECT_TRUE(book.mark_used(our_script(i)));
        EXPECT_TRUE(book.required(i));
    }
    EXPECT_EQ(book.size(), 100'000u);
    EXPECT_FALSE(book.add(raw_descriptor(our_script(77'777)), 20, {}, false)->is_new);
    // Quadratic work would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(ScriptBook, AGapJumpedInsideOneTransactionIsFoundWhole) { // pitfalls A2
    ScriptBook far(regtest());
    ASSERT_TRUE(far.add(account(), 1000, {}, true));
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    Ledger ledger(book);
    std::vector<std::pair<Bytes, Amount>> outputs;
    for (std::uint32_t index = 0; index < 900; ++index) {
        outputs.emplace_back(bytes_of(far.script({0, 0, index})), 1);
    }
    const auto payment = make_payment({foreign_coin(1)}, outputs);
    const auto delta = ledger.confirm(payment.tx, payment.txid, in_block(5), 0);
    EXPECT_EQ(delta.coins_added.size(), 900u);
    EXPECT_EQ(ledger.balance(5).confirmed, 900);
    EXPECT_EQ(book.descriptors()[0].branches[0].highest_used, 899);
}

TEST(ScriptBook, ALaterPaymentRevealsOutputsOfAnEarlierTransaction) { // pitfalls A2
    ScriptBook far(regtest());
    ASSERT_TRUE(far.add(account(), 1000, {}, true));
    ScriptBook book(regtest());
    ASSERT_TRUE(book.add(account(), 20, {}, true));
    Ledger ledger(book);
    const auto script = [&](std::uint32_t index) { return bytes_of(far.script({0, 0, index})); };
    const auto early = make_payment({foreign_coin(1)}, {{script(0), 1}, {script(350), 2}});
    const auto later = make_payment({foreign_coin(2)}, {{script(219), 4}});
    ledger.confirm(early.tx, early.txid, in_block(5), 0);
    EXPECT_EQ(ledger.balance(5).confirmed, 1);
    const auto delta = ledger.confirm(later.tx, later.txid, in_block(6), 0);
    EXPECT_EQ(delta.coins_added.size(), 2u);
    EXPECT_EQ(ledger.balance(6).confirmed, 7);
}

} // namespace
} // namespace headlight::wallet
