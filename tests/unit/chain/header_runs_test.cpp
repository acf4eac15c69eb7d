// Real chains through the header tree: every run of tests/data/vectors/headers, and the published
// work at its checkpoints.
#include "chain/difficulty.hpp"
#include "chain/header_rules.hpp"
#include "chain/header_tree.hpp"
#include "chain/memory_archive.hpp"
#include "tests/support/vectors.hpp"
#include "tests/unit/chain/window_archive.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

using chain::BlockHeader;
using chain::ChainedHeader;
using chain::HeaderTree;
using chain::HeaderVerdict;

constexpr std::int64_t today = 2'000'000'000; // after every header of the vectors

std::vector<BlockHeader> read_run(const std::string& file) {
    const auto raw = read_vector_file("headers/" + file);
    std::vector<BlockHeader> run;
    if (!raw) return run;
    chain::Reader reader(*raw);
    while (reader.remaining() > 0)
        run.push_back(chain::read_block_header(reader));
    EXPECT_TRUE(reader.finish("a run of headers"));
    return run;
}

std::int32_t height_in(const boost::json::value& object, std::string_view key) {
    return object.at(key).to_number<std::int32_t>();
}

/// What is published about heights of a network: hash and cumulative work.
struct Published {
    std::map<std::int32_t, std::string> hashes;
    std::map<std::int32_t, std::string> work;
};

Published published(const std::string& network) {
    Published out;
    if (const auto json = read_vector_json("headers/period_end_hashes.json")) {
        if (const auto* rows = json->at("networks").as_object().if_contains(network)) {
            for (const auto& row : rows->as_array()) {
                out.hashes[height_in(row, "height")] = text(row, "hash");
            }
        }
    }
    if (const auto json = read_vector_json("headers/checkpoints_" + network + ".json")) {
        for (const auto& row : json->at("checkpoints").as_array()) {
            const auto header = chain::parse_block_header(hex(row, "header"));
            out.hashes[height_in(row, "height")] = chain::hash_of(*header).to_string();
            out.work[height_in(row, "height")] = text(row, "chainwork");
        }
    }
    if (const auto json = read_vector_json("difficulty.json")) {
        for (const auto& row : json->at("chainwork").as_array()) {
            if (text(row, "network") == network) {
                out.work[height_in(row, "height")] = text(row, "chainwork");
            }
        }
    }
    return out;
}

/// Accepts a run from genesis, storing now and then, and holds it against what is published.
void run_from_genesis(const boost::json::value& row, bool real) {
    const auto run = read_run(text(row, "file"));
    ASSERT_EQ(run.size(), row.at("count").to_number<std::size_t>());
    const auto known = published(text(row, "network"));
    chain::MemoryArchive archive;
    HeaderTree tree(*chain::find_network(text(row, "network")), archive);
    EXPECT_EQ(tree.accept(run[0], today).verdict, HeaderVerdict::duplicate);
    for (std::size_t i = 1; i < run.size(); ++i) {
        const auto report = tree.accept(run[i], today);
        ASSERT_EQ(report.verdict, HeaderVerdict::extended) << i << ": " << report.reason;
        if (i % 1000 == 0) {
            archive.apply(tree.unsaved());
            tree.saved(tree.tip().hash);
        }
        const auto height = tree.tip_height();
        if (real && known.hashes.contains(height)) {
            EXPECT_EQ(tree.tip().hash.to_string(), known.hashes.at(height));
        }
        if (real && known.work.contains(height)) {
            EXPECT_EQ(tree.tip().work.to_string(), known.work.at(height));
        }
    }
    EXPECT_EQ(tree.tip().hash.to_string(), text(row, "last_hash"));
    EXPECT_EQ(tree.tip_height(), height_in(row, "last_height"));
}

/// A retarget's first header that lies before the run.
void put_period_starts(WindowArchive& archive, const std::string& file) {
    const auto json = read_vector_json("headers/" + file.substr(0, file.size() - 4) + ".json");
    for (const auto& row : json->at("verified").at("retargets").as_array()) {
        const auto header = text(row, "period_start_header");
        if (header.empty()) continue;
        const auto start = height_in(row, "height") - chain::period_blocks;
        archive.put(start, *chain::parse_block_header(hex(header)));
    }
}

/// Accepts a run that starts in the middle of a chain, its first eleven headers taken as given.
void run_from_the_middle(const boost::json::value& row) {
    const auto file = text(row, "file");
    const auto run = read_run(file);
    ASSERT_EQ(run.size(), row.at("count").to_number<std::size_t>());
    const auto& network = *chain::find_network(text(row, "network"));
    const auto first = height_in(row, "first_height");
    const auto known = published(text(row, "network"));
    WindowArchive archive;
    put_period_starts(archive, file);
    constexpr std::size_t given = chain::median_blocks;
    for (std::size_t i = 0; i < given; ++i) {
        EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(run[i]), run[i].bits, network));
        archive.put(first + static_cast<std::int32_t>(i), run[i]);
    }
    HeaderTree tree(network, archive);
    for (std::size_t i = given; i < run.size(); ++i) {
        const auto report = tree.accept(run[i], today);
        ASSERT_EQ(report.verdict, HeaderVerdict::extended) << i << ": " << report.reason;
        if (known.hashes.contains(tree.tip_height())) {
            EXPECT_EQ(tree.tip().hash.to_string(), known.hashes.at(tree.tip_height()));
        }
    }
    EXPECT_EQ(tree.tip().hash.to_string(), text(row, "last_hash"));
    EXPECT_EQ(tree.tip_height(), height_in(row, "last_height"));
}

TEST(HeaderRuns, FromGenesisAreAcceptedWhole) { // pitfalls C4, C5
    HEADLIGHT_VECTORS_OR_SKIP(index, "headers/index.json");
    int runs = 0;
    for (const auto& row : index.as_array()) {
        if (height_in(row, "first_height") != 0) continue;
        SCOPED_TRACE(text(row, "file"));
        run_from_genesis(row, text(row, "file").find("_alt_") == std::string::npos);
        ++runs;
    }
    EXPECT_GE(runs, 6);
}

TEST(HeaderRuns, FromTheMiddleOfAChainAreAcceptedWhole) {
    HEADLIGHT_VECTORS_OR_SKIP(index, "headers/index.json");
    int runs = 0;
    for (const auto& row : index.as_array()) {
        if (height_in(row, "first_height") == 0) continue;
        if (row.at("count").to_number<std::int32_t>() <= chain::median_blocks) continue;
        SCOPED_TRACE(text(row, "file"));
        run_from_the_middle(row);
        ++runs;
    }
    EXPECT_GE(runs, 4);
}

TEST(HeaderRuns, ShortOnesLinkAndCarryTheirWork) {
    const auto run = read_run("testnet4_2011_2015.bin");
    if (run.empty()) GTEST_SKIP() << "no vector file";
    const auto& testnet4 = chain::network(chain::NetworkId::testnet4);
    for (std::size_t i = 0; i < run.size(); ++i) {
        EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(run[i]), run[i].bits, testnet4));
        EXPECT_GE(run[i].version, chain::least_version(testnet4, 2011));
        if (i == 0) continue;
        EXPECT_EQ(run[i].previous, chain::hash_of(run[i - 1]));
        EXPECT_EQ(chain::required_bits(
                      testnet4, 2011 + static_cast<std::int32_t>(i), run[i].time,
                      [&](std::int32_t) {
                          return chain::TimeAndBits{run[i - 1].time, testnet4.pow_limit_bits};
                      }),
                  run[i].bits);
    }
    EXPECT_EQ(chain::hash_of(run.back()).to_string(), published("testnet4").hashes.at(2015));
}

TEST(Checkpoints, CarryTheirWorkAndAddUp) {
    for (const std::string name : {"mainnet", "testnet3", "signet"}) {
        const auto json = read_vector_json("headers/checkpoints_" + name + ".json");
        if (!json) continue; // the one of testnet3 is only in the full set of vectors
        const auto& network = *chain::find_network(name);
        const bool steady = network.difficulty == chain::DifficultyRule::retarget;
        std::optional<std::pair<BlockHeader, chain::Uint256>> last;
        for (const auto& row : json->at("checkpoints").as_array()) {
            const auto header = chain::parse_block_header(hex(row, "header"));
            const auto work = chain::Uint256::from_string(text(row, "chainwork"));
            ASSERT_TRUE(header && work);
            EXPECT_TRUE(chain::check_proof_of_work(chain::hash_of(*header), header->bits, network));
            EXPECT_GE(header->version, chain::least_version(network, height_in(row, "height")));
            if (last && steady) { // 2015 more blocks of the old bits and one of the new
                auto sum = last->second + chain::work_of(header->bits);
                const auto each = chain::work_of(last->first.bits);
                for (int i = 1; i < chain::period_blocks; ++i)
                    sum = sum + each;
                EXPECT_EQ(sum, *work) << name << " " << height_in(row, "height");
            }
            last = {*header, *work};
        }
    }
}

TEST(Checkpoints, TargetsOfTheNextPeriodAreTheRealOnes) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "headers/period_end_hashes.json");
    const auto checkpoints = read_vector_json("headers/checkpoints_mainnet.json");
    if (!checkpoints) GTEST_SKIP() << "no vector file";
    std::map<std::int32_t, BlockHeader> starts;
    for (const auto& row : checkpoints->at("checkpoints").as_array()) {
        starts[height_in(row, "height")] = *chain::parse_block_header(hex(row, "header"));
    }
    std::size_t compared = 0;
    for (const auto& row : json.at("networks").at("mainnet").as_array()) {
        const auto start = starts.find(height_in(row, "height") + 1);
        if (start == starts.end()) continue;
        EXPECT_EQ(start->second.previous.to_string(), text(row, "hash"));
        const auto target = chain::decode_compact(start->second.bits).magnitude;
        EXPECT_EQ(target.to_string(), text(row, "next_period_target"));
        ++compared;
    }
    EXPECT_GT(compared, 400u);
}

TEST(RealForks, OfTestnet3AtGenesisIsASideBranch) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "headers/forks.json");
    const auto main_run = read_run("testnet3_0_6999.bin");
    chain::MemoryArchive archive;
    HeaderTree tree(chain::network(chain::NetworkId::testnet3), archive);
    std::vector<BlockHeader> fork;
    for (const auto& each : json.as_array().at(1).at("headers").as_array()) {
        fork.push_back(*chain::parse_block_header(hex(each.as_string())));
    }
    ASSERT_EQ(fork.size(), 2u);
    // The fork first: the longer main chain takes over at its third block.
    for (const auto& header : fork) {
        EXPECT_EQ(tree.accept(header, today).verdict, HeaderVerdict::extended);
    }
    EXPECT_EQ(tree.accept(main_run.at(1), today).verdict, HeaderVerdict::side);
    EXPECT_EQ(tree.accept(main_run.at(2), today).verdict, HeaderVerdict::side);
    const auto report = tree.accept(main_run.at(3), today);
    ASSERT_EQ(report.verdict, HeaderVerdict::reorganised);
    EXPECT_EQ(report.reorganisation->fork, 0);
    EXPECT_EQ(report.reorganisation->disconnected.size(), 2u);
    EXPECT_EQ(report.reorganisation->connected.size(), 3u);
    EXPECT_EQ(tree.fork_height(chain::hash_of(fork[1])), 0);
}

TEST(RealForks, OfAStaleMainnetBlockChangesNothing) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "headers/forks.json");
    const auto run = read_run("mainnet_822528_828575.bin");
    const auto& row = json.as_array().at(2);
    const auto stale =
        chain::parse_block_header(hex(row.at("headers").as_array().at(0).as_string()));
    ASSERT_TRUE(stale && !run.empty());
    WindowArchive archive;
    for (std::size_t i = 0; i < 12; ++i) {
        archive.put(822'528 + static_cast<std::int32_t>(i), run[i]);
    }
    HeaderTree tree(chain::network(chain::NetworkId::main), archive);
    for (std::size_t i = 12; tree.tip_height() < 823'226; ++i) {
        ASSERT_EQ(tree.accept(run[i], today).verdict, HeaderVerdict::extended);
    }
    const auto tip = tree.tip();
    EXPECT_EQ(tree.accept(*stale, today).verdict, HeaderVerdict::side); // first seen stays
    EXPECT_EQ(tree.tip(), tip);
    EXPECT_EQ(tree.find(chain::hash_of(*stale))->height, 823'226);
    EXPECT_EQ(tree.fork_height(chain::hash_of(*stale)), 823'225);
}

} // namespace
} // namespace headlight::tests
