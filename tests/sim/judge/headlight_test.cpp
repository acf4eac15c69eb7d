// headlight before its own judge: the program as people run it against headlight-simnode, honest
// and lying, and no check of clients fails.
#include "regtest/process.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace headlight::tests {
namespace {

using regtest::Process;
using std::chrono::seconds;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

class BeforeItsJudge : public testing::Test {
  protected:
    std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

    /// Runs headlight to its end; what it wrote.
    std::string headlight(std::vector<std::string> arguments) {
        std::vector<std::string> command{HEADLIGHT_PROGRAM, "--datadir", file("data").string(),
                                         "--network", "regtest"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const auto log = file("run-" + std::to_string(++runs_));
        auto process = Process::start(command, log).value();
        EXPECT_TRUE(process.wait(seconds(60))) << arguments.front() << " does not end";
        return text_of(log);
    }

    std::string first_address() {
        const std::regex form("bcrt1[a-z0-9]+");
        const auto text = headlight({"address"});
        std::smatch found;
        EXPECT_TRUE(std::regex_search(text, found, form)) << text;
        return found[0];
    }

    void start_node(const std::vector<std::string>& options) {
        std::vector<std::string> command{HEADLIGHT_SIMNODE,       "--judge",  "--record",
                                         file("record").string(), "--blocks", "150"};
        command.insert(command.end(), options.begin(), options.end());
        node_ = Process::start(command, file("node")).value();
        for (int tries = 0; tries < 200 && !text_of(file("node")).ends_with('\n'); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        peer_ = "127.0.0.1:" + std::to_string(std::stoi(text_of(file("node"))));
    }

    /// What the judge says of each check: "pass client.tweak" and so on, by id.
    std::map<std::string, std::string> judgement() {
        node_.signal(SIGTERM);
        EXPECT_TRUE(node_.wait(seconds(20)));
        const auto text = text_of(file("node"));
        const std::regex form("(pass|fail|differs|skipped) +(client\\.[a-z-]+)");
        std::map<std::string, std::string> verdicts;
        for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end; ++it)
            verdicts[(*it)[2]] = (*it)[1];
        for (const auto& [id, verdict] : verdicts)
            EXPECT_TRUE(verdict == "pass" || verdict == "skipped") << id << " " << verdict << text;
        return verdicts;
    }

    TemporaryFolder folder_;
    Process node_;
    std::string peer_;
    int runs_ = 0;
};

TEST_F(BeforeItsJudge, AnHonestNodeSeesNothingToBlame) {
    headlight({"create"});
    const auto address = first_address();
    start_node({"--pay", address + ":5000@3", "--pay", address + ":7000@140"});
    headlight({"sync", "--peer", peer_});
    headlight({"sync", "--peer", peer_});
    const auto verdicts = judgement();
    EXPECT_GE(verdicts.size(), 25U);
    for (const auto* id :
         {"client.tweak", "client.filter-coins", "client.filter-elements", "client.relay-off",
          "client.pong", "client.filter-first", "client.no-witness", "client.filter-size"})
        EXPECT_EQ(verdicts.at(id), "pass") << id;
    EXPECT_NE(text_of(file("record")).find("\"command\":\"filterload\""), std::string::npos);
}

TEST_F(BeforeItsJudge, ALyingNodeIsLeft) {
    const std::vector<std::pair<std::string, std::string>> lies{
        {"no-bloom", "client.filter-service"},
        {"wrong-root", "client.bad-proof"},
        {"bad-work", "client.bad-header"},
        {"omits-transaction", "client.withheld"}};
    headlight({"create"});
    const auto address = first_address();
    for (const auto& [fault, check] : lies) {
        SCOPED_TRACE(fault);
        std::filesystem::remove(file("node"));
        headlight({"reset-chain"});
        headlight({"rescan", "--from", "0"});
        start_node({"--fault", fault, "--pay", address + ":5000@3"});
        headlight({"sync", "--peer", peer_});
        EXPECT_EQ(judgement()[check], "pass") << text_of(file("node"));
    }
}

} // namespace
} // namespace headlight::tests
