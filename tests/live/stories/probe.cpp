// `headlight probe`: what one look at a real node tells.
#include "tests/live/stories/fixture.hpp"
#include "tests/live/stories/program.hpp"

#include "regtest/free_port.hpp"

#include <boost/json/array.hpp>

namespace headlight::stories {

class Probe : public Story {
  protected:
    Ran probe(const p2p::Endpoint& endpoint) {
        return run_program(wallet_, {"probe", p2p::to_string(endpoint)});
    }
    StoryWallet wallet_{folder()};
};

TEST_F(Probe, ANodeThatServesFilteredBlocksIsFit) {
    const auto ran = probe(node().endpoint());
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const auto found = ran.json().as_object();
    EXPECT_EQ(found.at("filtered_blocks").as_string(), "served");
    EXPECT_TRUE(found.at("serves_us").as_bool());
    EXPECT_EQ(found.at("height").to_number<std::int32_t>(), node().height());
    EXPECT_TRUE(found.at("agent").as_string().starts_with("/Satoshi"));
    const auto& services = found.at("services").as_array();
    EXPECT_NE(std::find(services.begin(), services.end(), "NODE_BLOOM"), services.end());
    EXPECT_GT(found.at("latency_ms").as_double(), 0);
    EXPECT_TRUE(found.at("feefilter").is_int64());
}

TEST_F(Probe, ANodeWithoutTheServiceIsNamedWithTheCure) {
    const auto closed = start_node(0, {.bloom = false});
    const auto ran = probe(closed->endpoint());
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.err.find("peerbloomfilters=1"), std::string::npos) << ran.err;
    EXPECT_FALSE(ran.json().at("serves_us").as_bool()) << "what was found is told all the same";
}

TEST_F(Probe, NobodyThereIsSaid) {
    const auto ran = probe({"127.0.0.1", regtest::free_port()});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.err.find("cannot be spoken to"), std::string::npos) << ran.err;
}

} // namespace headlight::stories
