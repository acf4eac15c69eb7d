#include "chain/difficulty.hpp"
#include "chain/header_rules.hpp"
#include "tests/support/mining.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headlight::tests {
namespace {

using chain::NetworkId;
using chain::TimeAndBits;

std::uint32_t bits_of(const boost::json::value& object, std::string_view key) {
    return static_cast<std::uint32_t>(std::stoul(text(object, key), nullptr, 16));
}
std::uint32_t time_of(const boost::json::value& object, std::string_view key) {
    return static_cast<std::uint32_t>(object.at(key).to_number<std::int64_t>());
}
const chain::Network& network_of(const boost::json::value& object) {
    return *chain::find_network(text(object, "network"));
}

/// A branch of which only some heights are known; asking for another one fails the test.
chain::ReadAncestor known(std::map<std::int32_t, TimeAndBits> heights) {
    return [heights = std::move(heights)](std::int32_t height) {
        const auto found = heights.find(height);
        EXPECT_NE(found, heights.end()) << "height " << height << " is not to be asked";
        return found == heights.end() ? TimeAndBits{} : found->second;
    };
}

TEST(ProofOfWork, HoldsUpToTheTargetAndNotAbove) { // pitfalls C3
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& row : json.at("proof_of_work").as_array()) {
        const auto hash = chain::Hash256::from_string(text(row, "hash"));
        ASSERT_TRUE(hash);
        EXPECT_EQ(chain::check_proof_of_work(*hash, bits_of(row, "bits"), network_of(row)),
                  row.at("valid").as_bool())
            << text(row, "name");
    }
}

TEST(ProofOfWork, RefusesTargetsAboveEachNetworksLimit) {
    for (const auto& network : chain::all_networks()) {
        EXPECT_TRUE(chain::check_proof_of_work({}, network.pow_limit_bits, network));
        EXPECT_FALSE(chain::check_proof_of_work({}, network.pow_limit_bits + 0x01000000, network));
    }
    EXPECT_FALSE(chain::check_proof_of_work({}, 0x1e0377af, chain::network(NetworkId::signet)));
}

TEST(Retarget, GivesThePublishedBits) { // pitfalls C4, C5
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& row : json.at("retarget").as_array()) {
        SCOPED_TRACE(text(row, "name"));
        const auto& network = network_of(row);
        const auto old_bits = bits_of(row, "old_bits");
        const auto first_time = time_of(row, "first_block_time");
        const auto last_time = time_of(row, "last_block_time");
        const bool has_first = row.as_object().contains("first_block_bits");
        const auto first_bits = has_first ? bits_of(row, "first_block_bits") : old_bits;
        const auto branch =
            known({{6048, {first_time, first_bits}}, {8063, {last_time, old_bits}}});
        EXPECT_EQ(chain::required_bits(network, 8064, last_time + 600, branch),
                  bits_of(row, "expected_bits"));
    }
}

TEST(Retarget, OfEveryMainnetPeriodGivesTheRealBits) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "headers/retargets_mainnet.json");
    const auto& main = chain::network(NetworkId::main);
    for (const auto& row : json.at("cases").as_array()) {
        const auto height = row.at("height").to_number<std::int32_t>();
        SCOPED_TRACE(height);
        const auto last = chain::parse_block_header(hex(row, "last_header"));
        const auto next = chain::parse_block_header(hex(row, "new_header"));
        ASSERT_TRUE(last && next);
        EXPECT_EQ(next->previous, chain::hash_of(*last));
        EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(*last), last->bits, main));
        EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(*next), next->bits, main));
        EXPECT_EQ(last->bits, bits_of(row, "old_bits"));
        EXPECT_EQ(last->time, time_of(row, "period_last_time"));
        const auto branch = known({{height - 2016, {time_of(row, "period_first_time"), last->bits}},
                                   {height - 1, {last->time, last->bits}}});
        EXPECT_EQ(chain::required_bits(main, height, next->time, branch), next->bits);
        EXPECT_EQ(bits_of(row, "new_bits"), next->bits);
        EXPECT_GE(next->version, chain::least_version(main, height));
    }
}

TEST(Retarget, NeverMovesMoreThanFourfold) {
    const auto& main = chain::network(NetworkId::main);
    const std::uint32_t start = 1'500'000'000;
    const auto after = [&](std::int64_t seconds) {
        return chain::retarget(main, 0x1b0404cb, start,
                               static_cast<std::uint32_t>(start + seconds));
    };
    EXPECT_EQ(after(1'209'600), 0x1b0404cbu);
    EXPECT_EQ(after(302'400), after(302'399));
    EXPECT_EQ(after(302'400), after(-5));
    EXPECT_NE(after(302'400), after(303'000));
    EXPECT_EQ(after(4'838'400), after(4'838'401));
    EXPECT_NE(after(4'838'400), after(4'838'000));
    EXPECT_EQ(after(4'838'400), 0x1b10132cu);
}

TEST(TwentyMinutes, MakeMinimumBitsDueOnTestnet3) { // pitfalls C5
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    const auto raw = read_vector_file("headers/testnet3_0_6999.bin");
    if (!raw) GTEST_SKIP() << "no header run of testnet3";
    const auto& testnet3 = chain::network(NetworkId::testnet3);
    chain::Reader reader(*raw);
    std::vector<chain::BlockHeader> run;
    while (reader.remaining() > 0)
        run.push_back(chain::read_block_header(reader));
    const auto ancestor = [&](std::int32_t height) {
        const auto& header = run.at(static_cast<std::size_t>(height));
        return TimeAndBits{header.time, header.bits};
    };
    for (const auto& row : json.at("testnet_min_difficulty").at("cases").as_array()) {
        const auto height = row.at("height").to_number<std::int32_t>();
        const auto time = time_of(row, "time");
        EXPECT_EQ(ancestor(height - 1).time, time_of(row, "prev_time"));
        EXPECT_EQ(ancestor(height - 1).bits, bits_of(row, "prev_bits"));
        EXPECT_EQ(chain::required_bits(testnet3, height, time, ancestor),
                  bits_of(row, "expected_bits"))
            << height;
    }
}

TEST(TwentyMinutes, StartAtTwelveHundredAndOneSeconds) {
    for (const auto id : {NetworkId::testnet3, NetworkId::testnet4}) {
        const auto& network = chain::network(id);
        const auto branch = known({{5000, {10'000, 0x1c00ffff}}});
        EXPECT_EQ(chain::required_bits(network, 5001, 11'200, branch), 0x1c00ffffu);
        EXPECT_EQ(chain::required_bits(network, 5001, 11'201, branch), 0x1d00ffffu);
    }
    const auto branch = known({{5000, {10'000, 0x1c00ffff}}});
    EXPECT_EQ(chain::required_bits(chain::network(NetworkId::main), 5001, 99'999, branch),
              0x1c00ffffu);
}

TEST(TwentyMinutes, LookBackNoFurtherThanThePeriodsFirstBlock) {
    std::map<std::int32_t, TimeAndBits> heights;
    for (std::int32_t height = 4032; height <= 4040; ++height)
        heights[height] = {1000, 0x1d00ffff};
    const auto& testnet3 = chain::network(NetworkId::testnet3);
    EXPECT_EQ(chain::required_bits(testnet3, 4041, 1001, known(heights)), 0x1d00ffffu);
    heights[4035].bits = 0x1c00ffff;
    EXPECT_EQ(chain::required_bits(testnet3, 4041, 1001, known(heights)), 0x1c00ffffu);
}

TEST(Bip94, AsksAPeriodToStartAtMostTenMinutesBack) { // pitfalls C5
    const auto& testnet4 = chain::network(NetworkId::testnet4);
    EXPECT_TRUE(chain::period_starts_in_time(testnet4, 2016, 9'400, 10'000));
    EXPECT_FALSE(chain::period_starts_in_time(testnet4, 2016, 9'399, 10'000));
    EXPECT_TRUE(chain::period_starts_in_time(testnet4, 2017, 1, 10'000));
    const auto& testnet3 = chain::network(NetworkId::testnet3);
    EXPECT_TRUE(chain::period_starts_in_time(testnet3, 2016, 1, 10'000));
}

TEST(Bip94, IgnoresAMinimumBlockAtThePeriodsEnd) {
    const auto branch = known({{2016, {0, 0x1c00ffff}}, {4031, {1'209'600, 0x1d00ffff}}});
    EXPECT_EQ(chain::required_bits(chain::network(NetworkId::testnet4), 4032, 1'300'000, branch),
              0x1c00ffffu);
    EXPECT_EQ(chain::required_bits(chain::network(NetworkId::testnet3), 4032, 1'300'000, branch),
              0x1d00ffffu);
}

TEST(MedianTime, IsTheMiddleOfElevenOrOfWhatThereIs) {
    const std::vector<std::uint32_t> times{50, 10, 40, 20, 30, 90, 80, 70, 60, 15, 25, 35};
    const auto ancestor = [&](std::int32_t height) {
        return TimeAndBits{times.at(static_cast<std::size_t>(height)), 0};
    };
    EXPECT_EQ(chain::median_time_past(0, ancestor), 50);
    EXPECT_EQ(chain::median_time_past(1, ancestor), 50); // of two, the later one, as deployed
    EXPECT_EQ(chain::median_time_past(2, ancestor), 40);
    EXPECT_EQ(chain::median_time_past(10, ancestor), 40);
    EXPECT_EQ(chain::median_time_past(11, ancestor), 35); // the first time has left the window
}

TEST(LeastVersion, RisesWithTheBuriedSoftForks) {
    const auto& main = chain::network(NetworkId::main);
    EXPECT_LT(chain::least_version(main, 227'930), 1);
    EXPECT_EQ(chain::least_version(main, 227'931), 2);
    EXPECT_EQ(chain::least_version(main, 363'725), 3);
    EXPECT_EQ(chain::least_version(main, 388'381), 4);
    EXPECT_EQ(chain::least_version(chain::network(NetworkId::testnet4), 1), 4);
    EXPECT_LT(chain::least_version(chain::network(NetworkId::regtest), 1'000'000), 1);
}

TEST(LeastVersion, RefusesTheForkOfJuly2015) { // SPV wallets followed six blocks of it
    HEADLIGHT_VECTORS_OR_SKIP(json, "headers/forks.json");
    const auto& fork = json.as_array().at(0);
    const auto& main = chain::network(NetworkId::main);
    const auto height = fork.at("fork_first_height").to_number<std::int32_t>();
    ASSERT_EQ(height, 363'731);
    auto parent = std::optional<chain::Hash256>();
    for (const auto& each : fork.at("headers").as_array()) {
        const auto header = chain::parse_block_header(hex(each.as_string()));
        ASSERT_TRUE(header);
        EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(*header), header->bits, main));
        if (parent) {
            EXPECT_EQ(header->previous, *parent);
            EXPECT_GE(header->version, chain::least_version(main, height));
        } else {
            EXPECT_LT(header->version, chain::least_version(main, height));
        }
        parent = chain::hash_of(*header);
    }
}

} // namespace
} // namespace headlight::tests
