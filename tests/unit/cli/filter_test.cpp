// `filter` and `privacy`: the figures, the payloads, and what is refused.
#include "tests/unit/cli/program.hpp"

#include "bip37/messages.hpp"
#include "chain/memory_archive.hpp"
#include "cli/arguments.hpp"
#include "sync/filter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>

namespace headlight::tests {
namespace {

class FilterCommands : public Program {
  protected:
    std::string made(const std::vector<std::string>& options, const std::string& items) {
        std::vector<std::string> arguments{"filter", "make"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto ran = run(arguments, items);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.out.substr(0, ran.out.find('\n'));
    }
    static bip37::BloomFilter decoded(const std::string& payload) {
        return bip37::decode_filterload(from_hex(payload).value()).value().filter;
    }
};

TEST_F(FilterCommands, PlanKeepsToTheFormulasAndTheLimits) {
    const auto plan = run({"filter", "plan", "--items", "20031", "--fp", "1e-3", "--json"}).json();
    EXPECT_NEAR(plan.at("exact").at("bits").as_double(), 287'994, 10);
    EXPECT_NEAR(plan.at("exact").at("functions").as_double(), 9.966, 0.001);
    EXPECT_EQ(plan.at("filters").as_int64(), 1);
    EXPECT_EQ(plan.at("bytes").as_int64(), 35'999);
    EXPECT_EQ(plan.at("functions").as_int64(), 9);
    EXPECT_NEAR(plan.at("fp_rate").as_double(), 0.001022, 0.000001);
    EXPECT_EQ(plan.at("evaluations").at("member").as_int64(), 9);
    const auto fill = plan.at("fill").as_double();
    EXPECT_NEAR(plan.at("evaluations").at("stranger").as_double(), 1 / (1 - fill), 0.01);
    const auto& memory = plan.at("memory");
    EXPECT_EQ(memory.at("filters").to_number<double>(), 35'999);
    EXPECT_EQ(memory.at("hash_set").to_number<double>(), 20'031 * 56);
    EXPECT_EQ(memory.at("bitmap").to_number<double>(), 536'870'912);
    EXPECT_NE(run({"filter", "plan", "--items", "20031", "--fp", "1e-3"}).out.find("35999 bytes"),
              std::string::npos);
}

TEST_F(FilterCommands, PlanSaysHowManyFiltersItTakes) {
    const auto by_rate =
        run({"filter", "plan", "--items", "100000", "--fp", "0.001", "--json"}).json();
    EXPECT_EQ(by_rate.at("filters").as_int64(), 5);
    EXPECT_EQ(by_rate.at("items_per_filter").as_int64(), 20'000);
    EXPECT_LE(by_rate.at("bytes").as_int64(), 36'000);
    EXPECT_NEAR(by_rate.at("any_fp_rate").as_double(), 5 * by_rate.at("fp_rate").as_double(),
                0.0001);
    const auto by_size =
        run({"filter", "plan", "--items", "100000", "--bytes", "100000", "--json"}).json();
    EXPECT_EQ(by_size.at("filters").as_int64(), 3);
    EXPECT_EQ(by_size.at("bytes").as_int64(), 33'334);
    EXPECT_NE(run({"filter", "plan", "--items", "100000", "--fp", "0.001"}).out.find("5, since"),
              std::string::npos);
}

TEST_F(FilterCommands, PlanEndsForEveryNumber) {
    for (const char* items : {"1", "7", "1000000000000"}) {
        for (const char* rate : {"1e-300", "0.5", "0.999999"})
            EXPECT_EQ(run({"filter", "plan", "--items", items, "--fp", rate}).code, 0);
        for (const char* bytes : {"1", "36000", "1000000000000"})
            EXPECT_EQ(run({"filter", "plan", "--items", items, "--bytes", bytes}).code, 0);
    }
}

TEST_F(FilterCommands, MakeHoldsEachLineAndTestSaysSo) {
    const auto payload = made({"--fp", "0.0001", "--tweak", "7"}, "alice\n\nbob \ncarol\r\n");
    const auto filter = decoded(payload);
    EXPECT_EQ(filter.tweak(), 7u);
    EXPECT_EQ(filter.flags(), bip37::UpdateFlags::all);
    for (const char* item : {"alice", "bob ", "carol"})
        EXPECT_TRUE(filter.contains(as_bytes(item))) << item;
    EXPECT_EQ(run({"filter", "test", payload}, "alice\nmallory\nbob \n").out,
              "maybe  alice\nno     mallory\nmaybe  bob \n");
    const auto answers =
        run({"filter", "test", "@" + file("payload", payload + "\n"), "--json"}, "carol\nx\n")
            .json()
            .as_array();
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].at("item").as_string(), "6361726f6c");
    EXPECT_TRUE(answers[0].at("maybe").as_bool());
    EXPECT_FALSE(answers[1].at("maybe").as_bool());
}

TEST_F(FilterCommands, HexItemsAreBytes) {
    const auto payload = made({"--hex", "--tweak", "1", "--flags", "pubkey"}, "00ff\n  ABCD\n");
    const auto filter = decoded(payload);
    EXPECT_TRUE(filter.contains(Bytes{0x00, 0xff}));
    EXPECT_TRUE(filter.contains(Bytes{0xab, 0xcd}));
    EXPECT_EQ(filter.flags(), bip37::UpdateFlags::p2pubkey_only);
    EXPECT_EQ(run({"filter", "test", payload, "--hex"}, "abcd\n1234\n").out,
              "maybe  abcd\nno     1234\n");
    const auto wrong = run({"filter", "make", "--hex", "--json"}, "00\n\nxyz\n");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_EQ(wrong.error().at("code").as_string(), "malformed");
    EXPECT_NE(wrong.err.find("line 3"), std::string::npos) << wrong.err;
}

TEST_F(FilterCommands, MakeTakesASizeAndARandomTweak) {
    const auto first = decoded(made({"--bytes", "100"}, "a\nb\n"));
    const auto second = decoded(made({"--bytes", "100"}, "a\nb\n"));
    EXPECT_EQ(first.data().size(), 100u);
    EXPECT_NE(first.tweak(), second.tweak());
    const auto told = run({"filter", "make", "--json", "--tweak", "4294967295"}, "a\n").json();
    EXPECT_EQ(told.at("items").as_int64(), 1);
    EXPECT_EQ(decoded(std::string(told.at("payload").as_string())).tweak(), 4'294'967'295u);
    EXPECT_EQ(run({"filter", "make"}, "\n\n").code, 1);
}

TEST_F(FilterCommands, ShowTellsWhatIsInIt) {
    std::string items;
    for (int i = 0; i < 500; ++i)
        items += "item " + std::to_string(i) + "\n";
    const auto payload = made({"--fp", "0.01", "--tweak", "3", "--flags", "none"}, items);
    const auto shown = run({"filter", "show", payload, "--json"}).json();
    EXPECT_EQ(shown.at("bytes").as_int64(), 599);
    EXPECT_EQ(shown.at("functions").as_int64(), 6);
    EXPECT_EQ(shown.at("tweak").as_int64(), 3);
    EXPECT_EQ(shown.at("flags").as_string(), "none");
    EXPECT_NEAR(shown.at("elements").to_number<double>(), 500, 25);
    EXPECT_NEAR(shown.at("fp_rate").as_double(), std::pow(shown.at("fill").as_double(), 6), 1e-9);
    EXPECT_NE(run({"filter", "show", payload}).out.find("599"), std::string::npos);
    const auto everything = run({"filter", "show", "00000000000000000000", "--json"});
    EXPECT_EQ(everything.code, 0) << everything.err;
    EXPECT_TRUE(everything.json().at("elements").is_null());
}

TEST_F(FilterCommands, WhatIsNoFilterIsRefused) {
    for (const char* payload : {"xyz", "", "00", "0"}) {
        const auto ran = run({"filter", "show", payload, "--json"});
        EXPECT_EQ(ran.code, 1) << payload;
        EXPECT_EQ(ran.error().at("code").as_string(), "malformed");
    }
    EXPECT_EQ(
        run({"filter", "show", "@" + (folder_ / "none").string(), "--json"}).error().at("code"),
        "io");
    const std::vector<std::vector<std::string>> misused{
        {"filter"},
        {"filter", "mak"},
        {"filter", "make", "--fp", "0"},
        {"filter", "make", "--fp", "nan"},
        {"filter", "make", "--fp", "0.1", "--bytes", "5"},
        {"filter", "make", "--bytes", "36001"},
        {"filter", "make", "--flags", "some"},
        {"filter", "make", "--tweak", "4294967296"},
        {"filter", "plan", "--items", "10"},
        {"filter", "plan", "--fp", "0.1"},
        {"filter", "plan", "--items", "0", "--fp", "0.1"},
        {"filter", "test", "@-"},
        {"privacy", "--scripts", "-1"},
        {"privacy", "--fp-rate", "0.5"},
        {"sync", "--fp-rate", "0.0000001"},
        {"sync", "--fp-rate", "nan"},
        {"sync", "--privacy", "none"},
        {"sync", "--privacy", "low", "--fp-rate", "0.1"}};
    for (const auto& arguments : misused)
        EXPECT_EQ(run(arguments).code, 2) << arguments.back();
    EXPECT_NE(run({"filter", "mak"}).err.find("Did you mean 'make'?"), std::string::npos);
    EXPECT_NE(run({"filter", "plan", "--foo"}).err.find("`headlight filter plan --help`"),
              std::string::npos);
}

// --------------------------------------------------------------------------------------- privacy

class PrivacyCommand : public Program {
  protected:
    boost::json::value privacy(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"privacy", "--json"});
        const auto ran = run(options);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.json();
    }
};

double real(const boost::json::value& value) { return value.to_number<double>(); }

TEST_F(PrivacyCommand, IsAboutTheFilterThatTheNextSyncLoads) {
    ASSERT_EQ(run({"create"}).code, 0);
    pay(script(0, 0), 5'000);
    const auto told = privacy().at("filter");
    auto opened = client::open_wallet(paths(), wallet::store::WalletDb::Mode::read_write).value();
    const chain::MemoryArchive archive;
    sync::Context context(*paths().network, archive, *opened.wallet, {});
    const auto loaded = sync::FilterKeeper(context).make()->sent;
    EXPECT_EQ(told.at("bytes").to_number<std::size_t>(), loaded.data().size());
    EXPECT_EQ(told.at("functions").to_number<std::uint32_t>(), loaded.hash_functions());
    EXPECT_EQ(told.at("tweak").to_number<std::uint32_t>(), loaded.tweak());
    EXPECT_DOUBLE_EQ(real(told.at("fill")), loaded.fill_ratio());
    EXPECT_DOUBLE_EQ(real(told.at("fp_rate")), loaded.false_positive_rate());
    EXPECT_EQ(told.at("elements").as_int64(), 441) << "220 scripts a chain, and a coin";
    EXPECT_EQ(run({"status", "--json"}).json().at("filter").at("bytes"), told.at("bytes"));
}

TEST_F(PrivacyCommand, GuessesFollowFromOursAndThoseByChance) {
    ASSERT_EQ(run({"create"}).code, 0);
    pay(script(0, 0), 5'000);
    pay(script(0, 0), 6'000);
    pay(script(1, 3), 7'000);
    const auto told = privacy({"--scripts", "1000000000000"});
    const double rate = real(told.at("filter").at("fp_rate"));
    const double by_chance = 1e12 * rate;
    EXPECT_NEAR(real(told.at("by_chance")), by_chance, 1e-3);
    const auto& used = told.at("used");
    EXPECT_EQ(real(used.at("scripts")), 2);
    EXPECT_NEAR(real(used.at("one")), 2 / (2 + by_chance), 1e-12);
    EXPECT_NEAR(real(used.at("pair")), 2 / (2 + by_chance) / (1 + by_chance), 1e-12);
    EXPECT_EQ(real(used.at("triple")), 0);
    EXPECT_EQ(real(told.at("all").at("scripts")), 440);
    EXPECT_EQ(real(told.at("with_coin").at("scripts")), 2);
    EXPECT_NEAR(real(told.at("with_coin").at("by_chance")), by_chance * rate, 1e-6);
    const auto& traffic = told.at("traffic");
    EXPECT_NEAR(real(traffic.at("transactions_per_block")), 3'000 * 8 * rate, 1e-4);
    EXPECT_NEAR(real(traffic.at("bytes_per_day")), 144 * real(traffic.at("bytes_per_block")), 1e-6);
    EXPECT_EQ(real(told.at("refresh").at("elements_until_next_class")), 1'000 - 443);
}

TEST_F(PrivacyCommand, MoreStrangersMatchAtAHigherLevel) {
    ASSERT_EQ(run({"create"}).code, 0);
    double before = 0;
    for (const char* level : {"low", "medium", "high"}) {
        const auto told = privacy({"--privacy", level});
        EXPECT_GT(real(told.at("by_chance")), 10 * before) << level;
        before = real(told.at("by_chance"));
    }
    EXPECT_EQ(privacy({"--privacy", "medium"}), privacy());
    EXPECT_EQ(privacy({"--fp-rate", "0.005"}), privacy({"--privacy", "high"}));
    const auto text = run({"privacy"}).out;
    for (const char* part : {"1977 bytes", "used so far", "strangers", "one wallet's"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(PrivacyCommand, ALevelIsARateOfTheSync) {
    const auto rate = [](std::vector<std::string> options) {
        options.insert(options.begin(), "sync");
        return std::get<cli::command::Sync>(parse(options).value().command).filter.fp_rate;
    };
    EXPECT_EQ(rate({}), std::nullopt);
    EXPECT_EQ(rate({"--privacy", "low"}), 0.00005);
    EXPECT_EQ(rate({"--privacy", "medium"}), 0.0005);
    EXPECT_EQ(rate({"--privacy", "high"}), 0.005);
    EXPECT_EQ(rate({"--fp-rate", "1e-3"}), 0.001);
}

TEST_F(PrivacyCommand, SaysWhatWholeBlocksCostInstead) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto told = privacy();
    EXPECT_EQ(real(told.at("full").at("bytes_per_block")), 900'000);
    EXPECT_EQ(real(told.at("full").at("bytes_per_day")), 129'600'000);
    EXPECT_NE(run({"privacy"}).out.find("900,000 bytes a block and 129,600,000 a day"),
              std::string::npos);
}

} // namespace
} // namespace headlight::tests
