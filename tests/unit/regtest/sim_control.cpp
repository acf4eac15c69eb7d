// A simulated node told what to do by lines of text.
#include "regtest/sim_control.hpp"

#include <gtest/gtest.h>

using namespace headlight;
using namespace headlight::regtest;

namespace {

constexpr std::string_view somebody = "bcrt1q5030jmzglm9d78kel6ngt7v3cu227t0gmcxfte";

class SimControlTest : public testing::Test {
  protected:
    std::string obey(const std::string& line) {
        const auto answer = control.obey(line, 0);
        EXPECT_TRUE(answer) << line << ": " << to_string(answer.error());
        return answer ? *answer : std::string();
    }
    std::string_view refused(const std::string& line) {
        const auto tip_before = node.tip().hash;
        const auto answer = control.obey(line, 0);
        EXPECT_FALSE(answer) << line;
        EXPECT_EQ(node.tip().hash, tip_before);
        return answer ? std::string_view() : answer.error().code;
    }
    static std::string paid(Amount amount) {
        return std::string(somebody) + ":" + std::to_string(amount);
    }

    ChainBuilder chain;
    SimNode node{chain};
    SimControl control{node};
};

TEST_F(SimControlTest, MinesWhatIsPendingIntoTheFirstBlock) {
    const auto txid = obey("pay " + paid(5'000));
    ASSERT_EQ(node.mempool().size(), 1U);
    EXPECT_EQ(node.mempool()[0].tx.outputs[0].amount, 5'000);
    const auto answer = obey(" mine  2 ");
    EXPECT_EQ(answer, "height 2 " + node.tip().hash.to_string());
    EXPECT_EQ(obey("tip"), answer);
    EXPECT_TRUE(node.mempool().empty());
    EXPECT_EQ(node.active()[1]->txids.at(1).to_string(), txid);
    EXPECT_EQ(node.active()[2]->txids.size(), 1U);
}

TEST_F(SimControlTest, SpendsACoinOfTheChainOrOfThePending) {
    const auto first = obey("pay " + paid(5'000) + " " + paid(7));
    obey("mine 1");
    const auto second = obey("spend " + first + ":1 " + paid(6));
    obey("spend " + second + ":0 " + paid(1) + " " + paid(2));
    ASSERT_EQ(node.mempool().size(), 2U);
    EXPECT_EQ(node.mempool()[0].tx.inputs[0].prevout.to_string(), first + ":1");
    EXPECT_EQ(node.mempool()[1].tx.inputs[0].prevout.to_string(), second + ":0");
    EXPECT_EQ(node.mempool()[1].tx.outputs.size(), 2U);
}

TEST_F(SimControlTest, ReorganisesToALongerEmptyBranch) {
    obey("mine 3");
    const auto txid = obey("pay " + paid(5'000));
    obey("mine 1");
    const auto old = node.tip().hash;
    obey("reorg 2");
    EXPECT_EQ(node.tip().height, 5);
    EXPECT_NE(node.active()[4]->hash, old);
    EXPECT_EQ(node.active()[2]->height, 2);
    ASSERT_EQ(node.mempool().size(), 1U);
    EXPECT_EQ(node.mempool()[0].txid.to_string(), txid);
}

TEST_F(SimControlTest, RefusesWhatItCannotDoAndDoesNothing) {
    for (const std::string line :
         {"", "hello", "tip now", "mine", "mine x", "mine -1", "mine 10001", "mine 1 2", "pay",
          "reorg 1", "spend 00:0", "spend 00:0 x:1"})
        EXPECT_EQ(refused(line), errc::bad_argument) << line;
    EXPECT_EQ(refused("pay " + std::string(somebody)), errc::bad_argument);
    EXPECT_EQ(refused("pay nobody:1"), errc::bad_checksum);
    EXPECT_EQ(refused("pay :1"), errc::bad_address);
    EXPECT_EQ(refused("pay " + paid(chain::max_money + 1)), errc::bad_argument);
    const auto txid = obey("pay " + paid(1));
    EXPECT_EQ(refused("spend " + txid + ":1 " + paid(1)), errc::not_found);
    EXPECT_EQ(refused("spend " + std::string(64, '0') + ":0 " + paid(1)), errc::not_found);
    EXPECT_EQ(node.mempool().size(), 1U);
}

} // namespace
