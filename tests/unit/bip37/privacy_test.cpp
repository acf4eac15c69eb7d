// What the figures of sizing and privacy promise, held against filters that are filled and tested.
#include "bip37/privacy.hpp"
#include "bip37/relevance.hpp"
#include "chain/script.hpp"
#include "tests/unit/bip37/blocks.hpp"

#include <cmath>
#include <random>
#include <set>

namespace headlight::bip37 {
namespace {

Bytes drawn(std::mt19937_64& random, std::size_t length = 20) {
    Bytes bytes(length);
    for (auto& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

BloomFilter filled(std::mt19937_64& random, std::size_t elements, double fp_rate) {
    const auto size = plan_size(elements, fp_rate).value();
    BloomFilter filter(size.bytes, size.hash_functions, static_cast<std::uint32_t>(random()),
                       UpdateFlags::none);
    for (std::size_t i = 0; i < elements; ++i)
        filter.insert(drawn(random));
    return filter;
}

TEST(PrivacyFigures, TwoHundredThousandStrangersMatchAsPredicted) {
    constexpr int strangers = 200'000;
    std::mt19937_64 random(1);
    for (const auto& [elements, wanted] :
         {std::pair<std::size_t, double>{1'000, 0.05}, std::pair<std::size_t, double>{5'000, 0.02},
          std::pair<std::size_t, double>{10'000, 0.01}}) {
        const auto filter = filled(random, elements, wanted);
        int matched = 0;
        for (int i = 0; i < strangers; ++i)
            matched += filter.contains(drawn(random));
        const double measured = static_cast<double>(matched) / strangers;
        const double by_fill = filter.false_positive_rate();
        const double by_formula =
            expected_fp_rate({filter.data().size(), filter.hash_functions()}, elements);
        EXPECT_NEAR(measured, by_fill, 0.05 * by_fill) << elements;
        EXPECT_NEAR(measured, by_formula, 0.05 * by_formula) << elements;
        EXPECT_NEAR(estimated_elements(filter), static_cast<double>(elements),
                    0.03 * static_cast<double>(elements));
    }
}

/// What a server tests for these transactions, each once.
std::set<Bytes> tested_elements(const tests::Block& block) {
    std::set<Bytes> elements;
    const auto add = [&](ByteView bytes) { elements.emplace(bytes.begin(), bytes.end()); };
    for (const auto& tx : block.transactions) {
        const auto txid = chain::txid(tx);
        add(txid.bytes);
        for (const auto& output : tx.outputs)
            for (const auto push : chain::data_pushes(output.script_pubkey))
                add(push);
        for (const auto& input : tx.inputs) {
            const auto outpoint = input.prevout.bytes();
            add(outpoint);
            for (const auto push : chain::data_pushes(input.script_sig))
                add(push);
        }
    }
    return elements;
}

std::vector<tests::Block> real_blocks() {
    std::vector<tests::Block> blocks;
    for (const char* name : {"blocks/mainnet_300025.bin", "blocks/block_1087400.bin"})
        if (const auto raw = tests::read_vector_file(name))
            blocks.push_back(tests::parse_block(*raw));
    for (auto& block : tests::mainnet_blocks())
        blocks.push_back(std::move(block));
    return blocks;
}

TEST(PrivacyFigures, RealBlocksMatchStrangersAsPredicted) {
    std::set<Bytes> elements;
    for (const auto& block : real_blocks())
        elements.merge(tested_elements(block));
    ASSERT_GT(elements.size(), 4'000u);
    std::mt19937_64 random(2);
    double matched = 0;
    double expected = 0;
    for (int wallet = 0; wallet < 200; ++wallet) { // each with a tweak of its own
        const auto filter = filled(random, 500, 0.01);
        for (const auto& element : elements)
            matched += filter.contains(element);
        expected += filter.false_positive_rate() * static_cast<double>(elements.size());
    }
    EXPECT_NEAR(matched, expected, 0.05 * expected);
}

TEST(PrivacyFigures, RealTransactionsAreSentAsOftenAsTheTestsThatTheyTake) {
    struct Tested {
        chain::Transaction tx;
        Traffic traffic;
    };
    std::vector<Tested> transactions;
    for (const auto& block : real_blocks()) {
        for (const auto& tx : block.transactions) {
            Traffic one{.transactions_per_block = 1};
            one.tests_per_transaction =
                static_cast<double>(tested_elements({block.header, {tx}}).size());
            transactions.push_back({tx, one});
        }
    }
    std::mt19937_64 random(3);
    double sent = 0;
    double expected = 0;
    for (int wallet = 0; wallet < 300; ++wallet) {
        const auto filter = filled(random, 500, 0.01);
        const auto rate = filter.false_positive_rate();
        for (const auto& one : transactions) {
            sent += matches(filter, one.tx);
            expected += extra_traffic(rate, one.traffic).transactions_per_block;
        }
    }
    EXPECT_NEAR(sent, expected, 0.05 * expected);
}

// Today's inputs are partly witnesses, which no server tests; those of 2014 were all scripts.
TEST(PrivacyFigures, TheAssumedTrafficLiesBetweenScriptsAndWitnesses) {
    const auto raw = tests::read_vector_file("blocks/mainnet_300025.bin");
    const auto block = tests::parse_block(raw.value());
    double outputs = 0;
    double with_scripts = 0;
    double with_witnesses = 0;
    for (auto tx : block.transactions) {
        outputs += static_cast<double>(tx.outputs.size());
        with_scripts += static_cast<double>(tested_elements({block.header, {tx}}).size());
        for (auto& input : tx.inputs)
            input.script_sig.clear();
        with_witnesses += static_cast<double>(tested_elements({block.header, {tx}}).size());
    }
    const auto transactions = static_cast<double>(block.transactions.size());
    const Traffic assumed;
    EXPECT_NEAR(outputs / transactions, assumed.outputs_per_transaction, 0.5);
    EXPECT_GT(with_scripts / transactions, assumed.tests_per_transaction);
    EXPECT_LT(with_witnesses / transactions, assumed.tests_per_transaction);
}

TEST(PrivacyFigures, AGuessIsAsGoodAsThePaperSays) {
    EXPECT_DOUBLE_EQ(guess_chance(10, 0, 1), 1);
    EXPECT_DOUBLE_EQ(guess_chance(10, 30, 1), 0.25); // N / (N + F)
    EXPECT_DOUBLE_EQ(guess_chance(10, 30, 2), 10.0 / 40 * 9.0 / 39);
    EXPECT_DOUBLE_EQ(guess_chance(10, 30, 3), 10.0 / 40 * 9.0 / 39 * 8.0 / 38);
    EXPECT_DOUBLE_EQ(guess_chance(2, 0, 3), 0); // there is no third one
    EXPECT_DOUBLE_EQ(guess_chance(0, 5, 1), 0);
    EXPECT_DOUBLE_EQ(guess_chance(0, 0, 1), 0);
}

TEST(PrivacyFigures, AStrangerCostsFewEvaluations) {
    EXPECT_DOUBLE_EQ(expected_evaluations(0, 10), 1);
    EXPECT_DOUBLE_EQ(expected_evaluations(1, 10), 10);
    EXPECT_DOUBLE_EQ(expected_evaluations(0.5, 0), 0);
    EXPECT_NEAR(expected_evaluations(0.5, 20), 2, 1e-5); // 1 / (1 - fill)
}

TEST(PrivacyFigures, AFullFilterTellsNoNumberOfElements) {
    EXPECT_TRUE(std::isinf(estimated_elements({Bytes(8, 0xff), 3, 0, UpdateFlags::none})));
    EXPECT_TRUE(std::isinf(estimated_elements({0, 3, 0, UpdateFlags::none})));
    EXPECT_TRUE(std::isinf(estimated_elements({8, 0, 0, UpdateFlags::none})));
    EXPECT_DOUBLE_EQ(estimated_elements({8, 3, 0, UpdateFlags::none}), 0);
}

TEST(PrivacyFigures, ServersWearAFilterOutAsPredicted) {
    std::mt19937_64 random(4);
    Traffic traffic;
    traffic.transactions_per_block = 400;
    traffic.outputs_per_transaction = 2;
    double predicted = 0;
    double seen = 0;
    for (int run = 0; run < 10; ++run) {
        auto filter = filled(random, 300, 0.01);
        const FilterSize size{filter.data().size(), filter.hash_functions()};
        predicted += blocks_until_rate(size, 300, 0.08, traffic);
        int outputs = 0;
        for (; filter.false_positive_rate() < 0.08; ++outputs)
            if (filter.contains(drawn(random))) filter.insert(drawn(random, 36));
        seen += outputs / 800.0;
    }
    EXPECT_NEAR(seen, predicted, 0.1 * predicted);
}

TEST(PrivacyFigures, WearHasItsEnds) {
    EXPECT_DOUBLE_EQ(blocks_until_rate({100, 5}, 1'000, 0.001), 0) << "it is worse already";
    EXPECT_TRUE(std::isinf(blocks_until_rate({100, 5}, 10, 1.0)));
    EXPECT_DOUBLE_EQ(blocks_until_rate({0, 5}, 10, 0.5), 0);
    EXPECT_DOUBLE_EQ(extra_traffic(0).bytes_per_day, 0);
    EXPECT_DOUBLE_EQ(extra_traffic(1).transactions_per_block, Traffic{}.transactions_per_block);
}

} // namespace
} // namespace headlight::bip37
