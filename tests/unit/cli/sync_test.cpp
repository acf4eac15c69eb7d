// `sync` and `broadcast` over a real loopback socket: what goes to which stream, and the exit
// codes.
#include "tests/unit/cli/program.hpp"
#include "tests/unit/client/fake_node.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <fstream>
#include <iterator>
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

std::vector<boost::json::object> events_in(const std::string& text) {
    std::istringstream lines(text);
    std::vector<boost::json::object> events;
    for (std::string line; std::getline(lines, line);)
        events.push_back(boost::json::parse(line).as_object());
    return events;
}

std::string content(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(SyncCommand, EventsGoToTheEndOfAFileBesideTheResult) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto name = file("events", "{\"event\":\"before\"}\n");
    const auto ran = run({"sync", "--peer", peer(), "--json", "--events", name});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(ran.json().as_object().contains("height"));
    const auto events = events_in(content(name));
    ASSERT_GE(events.size(), 3U);
    EXPECT_EQ(events[0].at("event").as_string(), "before");
    for (std::size_t i = 1; i < events.size(); ++i)
        EXPECT_EQ(events[i].at("time").as_int64(), test_now);
    EXPECT_EQ(events[1].at("event").as_string(), "phase");
    EXPECT_EQ(events.back().at("event").as_string(), "finished");
}

TEST_F(SyncCommand, EventsOnStdoutTakeThePlaceOfTheResult) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "--events", "-"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto events = events_in(ran.out);
    EXPECT_EQ(events.front().at("event").as_string(), "phase");
    EXPECT_EQ(events.back().at("event").as_string(), "finished");
}

TEST_F(SyncCommand, AFileForEventsThatCannotBeIsSaidBeforeAnythingElse) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto ran = run({"sync", "--peer", peer(), "--json", "--events", folder_.path().string()});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error().at("code").as_string(), "io");
    const auto full =
        run({"sync", "--peer", peer(), "--follow", "--timeout", "1.5", "--events", "/dev/full"});
    EXPECT_NE(full.out.find("\"code\":\"disk-full\""), std::string::npos) << full.out;
}

TEST_F(SyncCommand, CommandsForEventsNeedAFollower) {
    ASSERT_EQ(run({"create"}).code, 0);
    EXPECT_EQ(run({"sync", "--peer", peer(), "--on-tx", "true"}).code, 2);
    EXPECT_EQ(run({"sync", "--peer", peer(), "--on-block", "true"}).code, 2);
}

TEST_F(SyncCommand, AFollowerTellsWhatEarlierRunsLeft) {
    ASSERT_EQ(run({"create"}).code, 0);
    const auto command = "echo %s %h %w >> '" + (folder_ / "told").string() + "'";
    const std::vector<std::string> follow{"sync",    "--peer", peer(),      "--follow",
                                          "--on-tx", command,  "--timeout", "0.5"};
    EXPECT_EQ(run(follow).code, 3);
    EXPECT_EQ(content((folder_ / "told").string()), "");
    chain::Transaction tx;
    tx.inputs.push_back(
        {.prevout = {chain::hash256(as_bytes("coin")), 0}, .script_sig = {}, .witness = {}});
    tx.outputs.push_back({1'000, script(0, 0)});
    ASSERT_EQ(run({"broadcast", to_hex(chain::serialize(tx)), "--peer", peer()}).code, 0);
    const auto line = chain::txid(tx).to_string() + " -1 default\n";
    EXPECT_EQ(run(follow).code, 3);
    EXPECT_EQ(content((folder_ / "told").string()), line);
    EXPECT_EQ(run(follow).code, 3);
    EXPECT_EQ(content((folder_ / "told").string()), line);
    const auto broken = run({"sync", "--peer", peer(), "--follow", "--on-tx", "exit 3", "--timeout",
                             "0.5", "--wallet", "default"});
    EXPECT_EQ(broken.out.find("exit 3"), std::string::npos) << "nothing is new";
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
