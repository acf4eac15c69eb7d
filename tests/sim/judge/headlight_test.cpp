// headlight before its own judge: the program as people run it against headlight-simnode, honest
// and lying, and no check of clients fails.
#include "tests/sim/programs.hpp"

#include <csignal>

namespace headlight::tests {
namespace {

using std::chrono::seconds;

class BeforeItsJudge : public testing::Test, protected Programs {
  protected:
    void start_judge(const std::vector<std::string>& options) {
        std::vector<std::string> all{"--judge", "--record", file("record").string(), "--blocks",
                                     "150"};
        all.insert(all.end(), options.begin(), options.end());
        peer_ = start_node(all);
    }

    /// What the judge says of each check: "pass client.tweak" and so on, by id.
    std::map<std::string, std::string> judgement() {
        node.signal(SIGTERM);
        EXPECT_TRUE(node.wait(seconds(20)));
        const auto text = read_text_file(file("node"));
        const std::regex form("(pass|fail|differs|skipped) +(client\\.[a-z-]+)");
        std::map<std::string, std::string> verdicts;
        for (std::sregex_iterator it(text.begin(), text.end(), form), end; it != end; ++it)
            verdicts[(*it)[2]] = (*it)[1];
        for (const auto& [id, verdict] : verdicts)
            EXPECT_TRUE(verdict == "pass" || verdict == "skipped") << id << " " << verdict << text;
        return verdicts;
    }

    std::string peer_;
};

TEST_F(BeforeItsJudge, AnHonestNodeSeesNothingToBlame) {
    headlight({"create"});
    const auto address = first_address();
    start_judge({"--pay", address + ":5000@3", "--pay", address + ":7000@140"});
    headlight({"sync", "--peer", peer_});
    headlight({"sync", "--peer", peer_});
    const auto verdicts = judgement();
    EXPECT_GE(verdicts.size(), 25U);
    for (const auto* id :
         {"client.tweak", "client.filter-coins", "client.filter-elements", "client.relay-off",
          "client.pong", "client.filter-first", "client.no-witness", "client.filter-size"})
        EXPECT_EQ(verdicts.at(id), "pass") << id;
    EXPECT_NE(read_text_file(file("record")).find("\"command\":\"filterload\""), std::string::npos);
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
        headlight({"reset-chain"});
        headlight({"rescan", "--from", "0"});
        start_judge({"--fault", fault, "--pay", address + ":5000@3"});
        headlight({"sync", "--peer", peer_});
        EXPECT_EQ(judgement()[check], "pass") << read_text_file(file("node"));
    }
}

} // namespace
} // namespace headlight::tests
