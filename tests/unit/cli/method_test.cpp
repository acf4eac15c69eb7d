// --method, --privacy, --fp-rate and --split: what they come to, what contradicts, what is
// remembered and shown.
#include "cli/arguments.hpp"
#include "tests/unit/cli/program.hpp"
#include "tests/unit/client/fake_node.hpp"

#include <boost/json/object.hpp>

namespace headlight::tests {
namespace {

using client::Method;

class MethodOption : public Program {
  protected:
    MethodOption() { EXPECT_EQ(run({"create"}).code, 0); }

    static cli::command::Sync sync_of(std::vector<std::string> options) {
        options.insert(options.begin(), "sync");
        return std::get<cli::command::Sync>(parse(options).value().command);
    }
    Ran sync(const FakeNode& node, std::vector<std::string> options) {
        options.insert(options.begin(), {"sync", "--peer", p2p::to_string(node.endpoint())});
        return run(options);
    }

    const FakeNode node_;
    const FakeNode without_bloom_{chain::NetworkId::regtest, p2p::services::network};
};

TEST_F(MethodOption, IsBip37UnlessSaidOtherwise) {
    EXPECT_FALSE(sync_of({}).method) << "as it was chosen last";
    EXPECT_EQ(sync_of({"--privacy", "low"}).method, Method::bip37);
    EXPECT_EQ(sync_of({"--split", "2"}).method, Method::bip37);
    EXPECT_EQ(sync_of({"--method", "bip37"}).method, Method::bip37);
    EXPECT_EQ(sync_of({"--method", "full"}).method, Method::full);
    EXPECT_EQ(sync_of({"--method", "auto"}).method, Method::either);
    EXPECT_EQ(sync_of({"--privacy", "full"}).method, Method::full);
    EXPECT_EQ(sync_of({"--privacy", "full", "--method", "full"}).method, Method::full);
    EXPECT_EQ(sync_of({"--privacy", "high", "--method", "auto"}).filter.fp_rate, 0.005);
    EXPECT_EQ(sync_of({}).filter.split, std::nullopt);
    EXPECT_EQ(sync_of({"--split", "8"}).filter.split, 8U);
}

TEST_F(MethodOption, ContradictionsAreNamed) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
        {{"--method", "half"}, "--method cannot be 'half'"},
        {{"--privacy", "full", "--method", "bip37"},
         "--privacy full and --method bip37 exclude each other"},
        {{"--privacy", "full", "--method", "auto"},
         "--privacy full and --method auto exclude each other"},
        {{"--privacy", "full", "--fp-rate", "0.01"}, "--fp-rate says nothing to --privacy full"},
        {{"--method", "full", "--fp-rate", "0.01"}, "--fp-rate says nothing to --method full"},
        {{"--method", "full", "--privacy", "low"}, "--privacy says nothing to --method full"},
        {{"--method", "full", "--split", "2"}, "--split says nothing to --method full"},
        {{"--privacy", "low", "--fp-rate", "0.01"}, "--fp-rate and --privacy exclude each other"},
        {{"--split", "0"}, "--split cannot be '0'"},
        {{"--split", "9"}, "--split cannot be '9'"}};
    for (auto [options, message] : wrong) {
        options.insert(options.begin(), "sync");
        const auto ran = run(options);
        EXPECT_EQ(ran.code, 2) << message;
        EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
    }
    EXPECT_NE(run({"privacy", "--privacy", "full"}).err.find("leaves no filter"),
              std::string::npos);
}

TEST_F(MethodOption, WhatIsChosenForTheFilterHoldsUntilChosenAnew) {
    const auto shown = [this](const std::string& view) {
        return run({view, "--json"}).json().at("filter").as_object();
    };
    for (const char* view : {"status", "privacy"})
        EXPECT_EQ(shown(view).at("chosen_fp_rate").to_number<double>(), 0.0005) << view;
    ASSERT_EQ(sync(node_, {"--privacy", "high"}).code, 0);
    ASSERT_EQ(sync(node_, {}).code, 0);
    for (const char* view : {"status", "privacy"}) {
        EXPECT_EQ(shown(view).at("chosen_fp_rate").to_number<double>(), 0.005) << view;
        EXPECT_EQ(shown(view).at("split").to_number<int>(), 1) << view;
    }
    EXPECT_EQ(shown("status").at("bytes"), shown("privacy").at("bytes"));
    EXPECT_NE(run({"status"}).out.find("a rate of 0.005"), std::string::npos);
    EXPECT_EQ(run({"privacy", "--json"}).json(),
              run({"privacy", "--privacy", "high", "--json"}).json());
    EXPECT_NE(run({"privacy", "--json"}).json(),
              run({"privacy", "--privacy", "low", "--json"}).json());
}

TEST_F(MethodOption, ASplitIsRemembered) {
    const FakeNode second;
    sync(node_, {"--peer", p2p::to_string(second.endpoint()), "--split", "2"});
    EXPECT_EQ(run({"status", "--json"}).json().at("filter").at("split").to_number<int>(), 2);
    EXPECT_NE(run({"status"}).out.find("2 filters of this size, 1 for each of 2"),
              std::string::npos);
    EXPECT_NE(run({"privacy"}).out.find("1 for each of 2 groups"), std::string::npos);
    const auto half = run({"privacy", "--json"}).json();
    const auto all = run({"privacy", "--split", "1", "--json"}).json();
    EXPECT_EQ(half.at("all").at("scripts").to_number<double>(), 220);
    EXPECT_EQ(all.at("all").at("scripts").to_number<double>(), 440);
    EXPECT_LT(half.at("filter").at("elements").to_number<int>(), 300) << "of the fuller part";
    EXPECT_NE(half.at("filter").at("tweak"), all.at("filter").at("tweak"));
    EXPECT_EQ(half.at("filter").at("bytes"),
              run({"status", "--json"}).json().at("filter").at("bytes"));
}

TEST_F(MethodOption, FullReportsThatNoFilterWasSent) {
    const auto json = sync(without_bloom_, {"--method", "full", "--json"});
    ASSERT_EQ(json.code, 0) << json.err;
    EXPECT_EQ(json.json().at("method").as_string(), "full");
    EXPECT_EQ(json.json().at("filterloads").to_number<int>(), 0);
    EXPECT_TRUE(json.json().at("note").is_null()) << "one peer is enough";
    const auto text = sync(without_bloom_, {"--privacy", "full"});
    ASSERT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("whole, and no filter sent"), std::string::npos) << text.out;
    EXPECT_EQ(text.err.find("With one peer"), std::string::npos) << text.err;
}

TEST_F(MethodOption, AutoSaysThatItTakesWholeBlocks) {
    const auto ran = sync(without_bloom_, {"--method", "auto", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("method").as_string(), "full");
    EXPECT_NE(ran.out.find("whole blocks are fetched"), std::string::npos) << ran.out;
    const auto refused = sync(without_bloom_, {"--json"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.error().at("code").as_string(), "no-bloom");
    EXPECT_EQ(sync(node_, {"--method", "auto", "--json"}).json().at("method").as_string(), "bip37");
}

} // namespace
} // namespace headlight::tests
