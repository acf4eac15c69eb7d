// `sync` and `broadcast` over a real loopback socket: what goes to which stream, and the exit
// codes.
#include "tests/unit/cli/program.hpp"
#include "tests/unit/client/fake_node.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <sstream>

namespace headlight::tests {
namespace {

class SyncCommand : public Program {
  protected:
    std::string peer() const { return p2p::to_string(node_.endpoint()); }
    static std::string dead_peer() {
        const FakeNode gone;
        return p2p::to_string(gone.endpoint());
    }
    FakeNode node_;
};

TEST_F(SyncCommand, PrintsOneJsonValueAndNothingElse) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    const auto did = ran.json().as_object();
    for (const char* member : {"height", "tip", "headers", "scanned_blocks", "rescanned_blocks",
                               "filterloads", "transactions_new", "bytes_received", "bytes_sent",
                               "seconds", "reorganised", "peers", "note"})
        EXPECT_TRUE(did.contains(member)) << member;
    EXPECT_TRUE(did.at("reorganised").is_null());
    EXPECT_EQ(ran.out.find("E-"), std::string::npos) << "fractions are decimal: " << ran.out;
    const auto& one = did.at("peers").as_array().at(0);
    EXPECT_EQ(one.at("address").as_string(), peer());
    EXPECT_EQ(one.at("agent").as_string(), "/fake/");
    EXPECT_GT(one.at("bytes_received").to_number<int>(), 0);
    EXPECT_TRUE(run({"status", "--json"}).json().at("synced").as_bool());
}

TEST_F(SyncCommand, KeepsProgressAndRemarksOffStdout) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "-v"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out.substr(0, 11), "Scanned to ");
    EXPECT_NE(ran.err.find("With one peer scanning"), std::string::npos);
    EXPECT_EQ(ran.err.find("pending payments"), std::string::npos) << ran.err;
    terminal_ = true;
    const auto seen = run({"sync", "--peer", peer()});
    EXPECT_EQ(seen.out.find('\x1b'), std::string::npos);
}

TEST_F(SyncCommand, RemarksOnOmissionOnlyWhenOnePeerWasAsked) {
    ASSERT_EQ(run({"create"}).code, 0);
    const FakeNode other;
    const auto ran = run({"sync", "--peer", peer(), "--peer", p2p::to_string(other.endpoint())});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err.find("With one peer scanning"), std::string::npos) << ran.err;
}

TEST_F(SyncCommand, FailsWithTheCauseWhenNobodyListens) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", dead_peer(), "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.error().at("code").as_string(), "no-peer");
    EXPECT_FALSE(ran.error().at("cure").as_string().empty());
    const auto dead = dead_peer();
    const auto text = run({"sync", "--peer", dead}).err;
    EXPECT_NE(text.find("cannot connect to " + dead + ": Connection refused. Start"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("With one peer"), std::string::npos);
}

TEST_F(SyncCommand, SaysWhenTheChainWasReorganised) {
    ASSERT_EQ(run({"create"}).code, 0);
    pay(script(0, 0), 5'000); // of a chain that this node does not have
    ASSERT_EQ(run({"reset-chain"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.json().at("reorganised").as_int64(), 0);
    EXPECT_TRUE(run({"sync", "--peer", peer(), "--json"}).json().at("reorganised").is_null());
}

TEST_F(SyncCommand, FollowPrintsOneObjectALineAndEndsWithWhatItDid) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "--follow", "--timeout", "0.4"});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_NE(ran.err.find("--timeout"), std::string::npos);
    std::istringstream lines(ran.out);
    std::vector<boost::json::object> events;
    for (std::string line; std::getline(lines, line);)
        events.push_back(boost::json::parse(line).as_object());
    ASSERT_GE(events.size(), 2U);
    for (const auto& event : events)
        EXPECT_TRUE(event.contains("event"));
    EXPECT_EQ(events.back().at("event").as_string(), "finished");
    EXPECT_TRUE(events.back().contains("filterloads"));
}

TEST_F(SyncCommand, BroadcastNamesWhoShowsTheTransaction) {
    chain::Transaction tx;
    tx.inputs.push_back(
        {.prevout = {chain::hash256(as_bytes("coin")), 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({1'000, Bytes{0x51}});
    const auto hex = to_hex(chain::serialize(tx));
    for (const auto& source : {hex, file("tx", hex + "\n"), std::string("-")}) {
        const auto ran = run({"broadcast", source, "--peer", peer(), "--json"}, hex);
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(ran.json().at("txid").as_string(), chain::txid(tx).to_string());
        EXPECT_EQ(ran.json().at("accepted_by").as_array().at(0).as_string(), peer());
    }
}

TEST_F(SyncCommand, BroadcastSpendsTheWalletsCoins) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto paid = pay(script(0, 0), 5'000);
    chain::Transaction tx;
    tx.inputs.push_back({.prevout = {paid, 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({4'000, Bytes{0x51}});
    ASSERT_EQ(run({"broadcast", to_hex(chain::serialize(tx)), "--peer", peer()}).code, 0);
    EXPECT_EQ(run({"balance", "--json"}).json().at("total").as_int64(), 0);
    EXPECT_EQ(run({"history", "--json"}).json().as_array().size(), 2U);
}

TEST_F(SyncCommand, BroadcastRefusesWhatIsNoTransaction) {
    for (const char* text : {"00", "xyz", ""}) {
        const auto ran = run({"broadcast", "-", "--peer", peer(), "--json"}, text);
        EXPECT_EQ(ran.code, 1);
        EXPECT_EQ(ran.error().at("code").as_string(), "malformed") << ran.err;
    }
    EXPECT_EQ(run({"broadcast", (folder_ / "none").string(), "--json"}).error().at("code"), "io");
}

} // namespace
} // namespace headlight::tests
