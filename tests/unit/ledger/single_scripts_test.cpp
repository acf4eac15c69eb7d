// Descriptors that are one script are kept as that alone: nobody can tell, but for the memory.
#include "ledger_help.hpp"

#include "chain/script.hpp"
#include "wallet/address.hpp"

#include <algorithm>
#include <malloc.h>
#include <map>

namespace headlight::wallet {
namespace {

constexpr std::uint32_t many = 50'000;

/// Scripts of every form that has an address, no two alike.
Bytes any_script(std::uint32_t number) {
    const auto hash = chain::sha256(as_bytes("script " + std::to_string(number)));
    const auto hash20 = ByteView(hash).first(20);
    switch (number % 6) {
    case 0:
        return chain::pkh_script(hash20);
    case 1:
        return chain::sh_script(hash20);
    case 2:
        return chain::witness_script(0, hash);
    case 3:
        return chain::witness_script(1, hash);
    case 4:
        return chain::witness_script(2, ByteView(hash).first(20 + number % 13));
    default:
        return chain::witness_script(0, hash20);
    }
}

/// Some are raw(); some scripts are there in both forms, or also as a descriptor with a key.
std::vector<Descriptor> many_descriptors() {
    std::vector<Descriptor> all;
    const auto add = [&](const std::string& text) {
        auto parsed = Descriptor::parse(text, regtest());
        if (parsed) all.push_back(std::move(*parsed));
        return parsed.has_value();
    };
    for (std::uint32_t i = 0; all.size() < many; ++i) {
        const auto script = any_script(i);
        if (i % 10 != 1) add("addr(" + *encode_address(script, regtest()) + ")");
        if (i % 10 < 3) add("raw(" + to_hex(script) + ")");
        // Every other number is a point of the curve.
        const auto key = "02" + to_hex(chain::sha256(script));
        if (i % 1'000 == 7 && add("pk(" + key + ")")) add("raw(21" + key + "ac)");
    }
    return all;
}

/// What a book of plain descriptors would say, from the descriptors themselves.
struct PlainBook {
    struct Item {
        DescriptorState state;
        Bytes script;
        std::size_t position;
    };
    std::map<std::uint32_t, Item> items; ///< by id
    std::map<Bytes, std::vector<ScriptRef>> places;

    void add(const Descriptor& descriptor, DescriptorState state) {
        const auto script = *descriptor.script_pubkey(0, 0);
        places[script].push_back({state.id, 0, 0});
        const auto id = state.id;
        items.emplace(id, Item{std::move(state), script, items.size()});
    }
};

void expect_equal(const ScriptBook& book, const PlainBook& plain, const char* when) {
    SCOPED_TRACE(when);
    ASSERT_EQ(book.size(), plain.items.size());
    EXPECT_TRUE(std::ranges::equal(book.descriptors(), plain.items, {}, {},
                                   [](const auto& item) { return item.second.state; }));
    for (const auto& [id, item] : plain.items) {
        const auto places = book.find(item.script);
        ASSERT_TRUE(std::ranges::equal(places, plain.places.at(item.script))) << id;
        ASSERT_EQ(book.position({id, 0, 0}), item.position);
        const auto script = book.at(item.position);
        ASSERT_EQ(script.ref, (ScriptRef{id, 0, 0}));
        ASSERT_TRUE(std::ranges::equal(script.script_pubkey, item.script));
        ASSERT_EQ(script.elements(), chain::filter_elements(item.script));
        ASSERT_TRUE(book.required(item.position));
        ASSERT_EQ(book.scripts_of(id), 1u);
        ASSERT_FALSE(book.position({id, 0, 1}));
        ASSERT_FALSE(book.position({id, 1, 0}));
    }
}

class SingleScripts : public ::testing::Test {
  protected:
    void SetUp() override {
        all = many_descriptors();
        ASSERT_GE(all.size(), many);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const Birthday birthday{i % 2 == 0 ? Birthday::Kind::height : Birthday::Kind::time,
                                    i / 1'000};
            const auto gap = 20 + i % 3;
            const auto added = book.add(all[i], gap, birthday, i % 7 == 0);
            ASSERT_TRUE(added && added->is_new && added->id == i) << all[i].text();
            plain.add(all[i], {i, all[i].text(), gap, birthday, i % 7 == 0, {{-1, 1}}});
        }
    }

    std::vector<Descriptor> all;
    ScriptBook book{regtest()};
    PlainBook plain;
};

TEST_F(SingleScripts, SayWhatPlainDescriptorsWould) {
    expect_equal(book, plain, "added");
    EXPECT_EQ(book.take_dirty().size(), all.size());
    for (std::uint32_t i = 0; i < all.size(); i += 101) {
        const auto again = book.add(all[i], 500, {}, false);
        EXPECT_TRUE(again && !again->is_new && !again->wider && again->id == i);
        EXPECT_EQ(book.id_of(all[i]), i);
        EXPECT_EQ(book.descriptor(i).text(), all[i].text());
        EXPECT_EQ(book.state(i).descriptor, all[i].text());
        EXPECT_TRUE(book.mark_used({i, 0, 0}));
        EXPECT_FALSE(book.mark_used({i, 0, 0}));
        plain.items.at(i).state.branches[0].highest_used = 0;
    }
    EXPECT_TRUE(book.find(foreign_script(1)).empty());
    EXPECT_EQ(book.birthdays().size(), (all.size() + 999) / 1'000 * 2);
    expect_equal(book, plain, "used");
    const auto dirty = book.take_dirty();
    EXPECT_EQ(dirty.size(), (all.size() + 100) / 101);
    EXPECT_TRUE(book.take_dirty().empty());
}

TEST_F(SingleScripts, AreLoadedAsTheyWereAlsoWithoutSomeInTheMiddle) {
    ScriptBook rest(regtest());
    PlainBook left;
    for (const auto& state : book.descriptors()) {
        const bool gone = state.id % 7 == 3 || (state.id > 20'000 && state.id < 30'000);
        if (gone) continue;
        ASSERT_TRUE(rest.load(state));
        left.add(all[state.id], state);
    }
    expect_equal(rest, left, "loaded");
    EXPECT_TRUE(rest.take_dirty().empty());
    EXPECT_FALSE(rest.position({3, 0, 0}));
    EXPECT_FALSE(rest.position({25'000, 0, 0}));
    EXPECT_FALSE(rest.id_of(all[25'000]));
    const auto last = book.state(static_cast<std::uint32_t>(all.size()) - 1);
    EXPECT_EQ(rest.load(last).error().code, errc::damaged); // it is there already
    auto twice = book.state(40'000);
    twice.id = last.id + 1;
    EXPECT_EQ(rest.load(twice).error().code, errc::damaged);
    const auto added = rest.add(all[25'000], 20, {}, false);
    EXPECT_TRUE(added && added->is_new && added->id == last.id + 1);
}

TEST(SingleScript, TextThatIsNotCanonicalIsReadAllTheSame) {
    const auto upper = "addr(BCRT1QSH0K4PWQYHW4F9NEGA6Q0LCKCZMLHGVFGMGP5J)";
    const auto descriptor = Descriptor::parse(upper, regtest()).value();
    for (const auto& text : {std::string(upper), descriptor.text(),
                             descriptor.text().substr(0, descriptor.text().find('#'))}) {
        ScriptBook book(regtest());
        ASSERT_TRUE(book.load({0, text, 20, {}, false, {{-1, 1}}})) << text;
        EXPECT_EQ(book.state(0).descriptor, descriptor.text());
        EXPECT_EQ(book.id_of(descriptor), 0u);
    }
    auto wrong = descriptor.text();
    wrong.back() = wrong.back() == 'q' ? 'p' : 'q';
    ScriptBook book(regtest());
    EXPECT_EQ(book.load({0, wrong, 20, {}, false, {{-1, 1}}}).error().code, errc::damaged);
}

TEST(SingleScript, OddStatesStayAsTheyWere) {
    const auto text = raw_descriptor(our_script(1)).text();
    for (const auto& branch : {BranchState{5, 1}, BranchState{-3, 1}, BranchState{0, 2}}) {
        ScriptBook book(regtest());
        const DescriptorState odd{4, text, 20, {}, true, {branch}};
        ASSERT_TRUE(book.load(odd));
        EXPECT_EQ(book.state(4), odd);
        EXPECT_EQ(book.id_of(raw_descriptor(our_script(1))), 4u);
        EXPECT_FALSE(book.add(raw_descriptor(our_script(1)), 20, {}, false)->is_new);
    }
}

TEST(SingleScript, TakesAHundredBytesAtMost) {
    const auto in_use = [] {
        const auto info = mallinfo2();
        return info.uordblks + info.hblkhd;
    };
    const auto before = in_use();
    ScriptBook book(regtest());
    for (std::uint32_t i = 0; i < 2 * many; ++i) {
        const auto address = encode_address(our_script(i), regtest()).value();
        const auto descriptor = Descriptor::parse("addr(" + address + ")", regtest()).value();
        ASSERT_TRUE(book.add(descriptor, 20, {}, false));
    }
    book.take_dirty();
    const auto each = (in_use() - before) / (2 * many);
    if (in_use() == before) GTEST_SKIP() << "a sanitizer counts memory elsewhere";
    EXPECT_LE(each, 100u);
    EXPECT_GE(each, 22u); // else it is not measured
}

} // namespace
} // namespace headlight::wallet
