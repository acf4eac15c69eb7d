// conform's arguments, and what it says without a node. The checks have tests of their own.
#include "tests/unit/cli/program.hpp"

#include <boost/json/array.hpp>

namespace headlight::tests {
namespace {

using Conform = Program;

TEST_F(Conform, ListsItsChecksWithoutANode) {
    const auto all = run({"conform", "--list"});
    EXPECT_EQ(all.code, 0);
    EXPECT_NE(all.out.find("filterload.size-36001\n"), std::string::npos);
    const auto some = run({"conform", "--list", "--json", "--only", "filteradd"}).json();
    ASSERT_TRUE(some.is_array());
    EXPECT_GT(some.as_array().size(), 5U);
    for (const auto& check : some.as_array()) {
        EXPECT_EQ(check.at("group"), "filteradd");
        EXPECT_EQ(check.as_object().size(), 4U);
    }
}

TEST_F(Conform, RefusesWhatMakesNoSense) {
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"conform"},
             {"conform", "127.0.0.1:1", "--only", "nothing"},
             {"conform", "127.0.0.1:1", "--tap", "--json"},
             {"conform", "127.0.0.1:1", "--rpc", "ftp://u:p@127.0.0.1:1"},
             {"conform", "127.0.0.1:1", "--rpc", "http://127.0.0.1:1"},
             {"conform", "127.0.0.1:1", "--rpc", "http://u:p@127.0.0.1:1", "--rpc-cookie", "x"},
             {"conform", "127.0.0.1:1", "--rpc", "http://u:p@:1"}}) {
        const auto ran = run(arguments);
        EXPECT_EQ(ran.code, 2) << arguments.back();
        EXPECT_TRUE(ran.out.empty());
        EXPECT_FALSE(ran.err.empty());
    }
}

TEST_F(Conform, MakesBlocksOnRegtestOnly) {
    network_ = "main";
    const auto ran = run({"--json", "conform", "127.0.0.1:1", "--rpc", "http://u:p@127.0.0.1:1"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.error().at("code"), "bad-argument");
}

TEST_F(Conform, SaysThatNobodyListens) {
    const auto node = run({"--json", "conform", "127.0.0.1:1"});
    EXPECT_EQ(node.code, 1);
    EXPECT_EQ(node.error().at("code"), "no-peer");
    const auto rpc = run({"--json", "conform", "127.0.0.1:1", "--rpc", "http://u:p@127.0.0.1:1"});
    EXPECT_EQ(rpc.code, 1);
    EXPECT_EQ(rpc.error().at("code"), "no-peer");
    const auto cookie =
        run({"--json", "conform", "127.0.0.1:1", "--rpc-cookie", (folder_ / "none").string()});
    EXPECT_EQ(cookie.code, 1);
    EXPECT_EQ(cookie.error().at("code"), "io");
}

} // namespace
} // namespace headlight::tests
