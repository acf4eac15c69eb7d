#include "chain/block_header.hpp"
#include "chain/limits.hpp"
#include "chain/transaction.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace headlight::tests {
namespace {

using chain::Transaction;
using chain::Witness;

void expect_described(const Bytes& raw, const boost::json::value& row) {
    const auto tx = chain::parse_transaction(raw);
    ASSERT_TRUE(tx) << to_string(tx.error());
    EXPECT_EQ(chain::serialize(*tx), raw);
    EXPECT_EQ(chain::txid(*tx).to_string(), text(row, "txid"));
    EXPECT_EQ(chain::wtxid(*tx).to_string(), text(row, "wtxid"));
    if (!row.as_object().contains("base_size")) return;
    EXPECT_EQ(tx->has_witness(), row.at("segwit").as_bool());
    EXPECT_EQ(tx->inputs.size(), row.at("vin").to_number<std::size_t>());
    EXPECT_EQ(tx->outputs.size(), row.at("vout").to_number<std::size_t>());
    EXPECT_EQ(chain::serialize(*tx, Witness::strip).size(),
              row.at("base_size").to_number<std::size_t>());
    EXPECT_EQ(raw.size(), row.at("total_size").to_number<std::size_t>());
}

TEST(Transaction, HasThePublishedIdsAndSizes) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "tx_valid_invalid.json");
    for (const auto* list : {"valid", "invalid"}) {
        for (const auto& row : json.at(list).as_array()) {
            SCOPED_TRACE(text(row, "txid"));
            ASSERT_TRUE(row.at("parses").as_bool());
            expect_described(hex(row, "tx"), row);
        }
    }
}

TEST(Transaction, OfBip143HasItsTwoNames) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "bip143.json");
    for (const auto& row : json.at("cases").as_array()) {
        SCOPED_TRACE(text(row, "section"));
        expect_described(hex(row, "signed_tx"), row);
        const auto unsigned_tx = chain::parse_transaction(hex(row, "unsigned_tx"));
        ASSERT_TRUE(unsigned_tx);
        EXPECT_EQ(chain::txid(*unsigned_tx), chain::wtxid(*unsigned_tx));
    }
}

TEST(Transaction, CutShortAnywhereIsRefused) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "bip143.json");
    auto raw = hex(json.at("cases").as_array().at(0), "signed_tx");
    for (std::size_t size = 0; size < raw.size(); ++size) {
        EXPECT_FALSE(chain::parse_transaction(ByteView(raw).first(size))) << size;
    }
    raw.push_back(0);
    const auto longer = chain::parse_transaction(raw);
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().cause, "1 bytes are left over");
}

TEST(Transaction, WithAWitnessFormButNoWitnessIsRefused) {
    Transaction tx;
    tx.inputs.resize(1);
    tx.outputs.resize(1);
    const auto plain = chain::serialize(tx);
    Bytes raw(plain.begin(), plain.begin() + 4);
    raw.insert(raw.end(), {0, 1});
    raw.insert(raw.end(), plain.begin() + 4, plain.end() - 4);
    raw.push_back(0); // an empty witness for the one input
    raw.insert(raw.end(), plain.end() - 4, plain.end());
    EXPECT_FALSE(chain::parse_transaction(raw));
    raw[5] = 2;
    const auto unknown = chain::parse_transaction(raw);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().cause, "the witness flag is unknown");
}

TEST(Transaction, ThatClaimsMoreThanItHoldsIsRefusedAtOnce) { // pitfalls E4
    for (const auto* digits :
         {"01000000feffffff7f", "0100000000feffffff7f", "010000000001feffffff7f"}) {
        EXPECT_FALSE(chain::parse_transaction(hex(digits))) << digits;
    }
}

TEST(Transaction, MayNotTurnAByteAWitnessItemIntoMuchMemory) {
    Transaction tx;
    tx.inputs.resize(2);
    tx.outputs.resize(1);
    tx.inputs[0].witness.resize(limits::max_witness_items - 1);
    tx.inputs[1].witness.resize(1);
    EXPECT_TRUE(chain::parse_transaction(chain::serialize(tx)));
    tx.inputs[1].witness.resize(2);
    EXPECT_FALSE(chain::parse_transaction(chain::serialize(tx)));
}

TEST(Transaction, AmountsAreInRangeOneByOneAndTogether) {
    const auto in_range = [](std::vector<Amount> amounts) {
        Transaction tx;
        for (const auto amount : amounts)
            tx.outputs.push_back({amount, {}});
        return chain::amounts_in_range(tx);
    };
    EXPECT_TRUE(in_range({}));
    EXPECT_TRUE(in_range({0, chain::max_money}));
    EXPECT_FALSE(in_range({-1}));
    EXPECT_FALSE(in_range({chain::max_money + 1}));
    EXPECT_FALSE(in_range({chain::max_money, 1}));
    EXPECT_FALSE(in_range({std::numeric_limits<Amount>::max(), 1}));
    EXPECT_FALSE(in_range({std::numeric_limits<Amount>::min()}));
}

TEST(Transaction, IsACoinbaseWhenItsOnlyInputIsNull) {
    Transaction tx;
    tx.inputs.push_back({{{}, 0xffffffff}, {}, 0, {}});
    EXPECT_TRUE(tx.is_coinbase());
    tx.inputs[0].prevout.index = 0;
    EXPECT_FALSE(tx.is_coinbase());
    tx.inputs[0].prevout = {{}, 0xffffffff};
    tx.inputs.push_back(tx.inputs[0]);
    EXPECT_FALSE(tx.is_coinbase());
}

TEST(OutPoint, GoesIntoAFilterAsTxidAndLittleEndianIndex) { // pitfalls A8
    const chain::OutPoint outpoint{chain::Hash256{{0xaa, 0xbb}}, 0x01020304};
    EXPECT_EQ(to_hex(outpoint.bytes()), "aabb" + std::string(60, '0') + "04030201");
    EXPECT_EQ(outpoint.to_string(), std::string(60, '0') + "bbaa:16909060");
}

// Whole blocks

chain::Hash256 merkle_root(std::vector<chain::Hash256> level) {
    while (level.size() > 1) {
        if (level.size() % 2 != 0) level.push_back(level.back());
        std::vector<chain::Hash256> next;
        for (std::size_t i = 0; i < level.size(); i += 2) {
            next.push_back(chain::hash256(level[i], level[i + 1]));
        }
        level = std::move(next);
    }
    return level.at(0);
}

/// Reads a block whole and checks that its transactions are those its header commits to.
void expect_whole(ByteView raw) {
    chain::Reader reader(raw);
    const auto header = chain::read_block_header(reader);
    EXPECT_EQ(chain::parse_block_header(raw.first(80)).value(), header);
    EXPECT_EQ(to_hex(chain::serialize(header)), to_hex(raw.first(80)));
    std::vector<chain::Hash256> txids;
    const auto count = reader.compact_size();
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
        const auto start = reader.position();
        const auto tx = chain::read_transaction(reader);
        EXPECT_EQ(chain::serialize(tx).size(), reader.position() - start);
        EXPECT_EQ(tx.is_coinbase(), i == 0);
        EXPECT_TRUE(chain::amounts_in_range(tx));
        txids.push_back(chain::txid(tx));
    }
    ASSERT_TRUE(reader.finish("a block"));
    EXPECT_EQ(merkle_root(txids), header.merkle_root);
}

TEST(Block, OfTheFirstMainnetDaysReadsWhole) {
    const auto raw = read_vector_file("blocks/mainnet_0_438.dat");
    if (!raw) GTEST_SKIP() << "no vector file";
    chain::Reader reader(*raw);
    int blocks = 0;
    for (; reader.remaining() > 0 && reader.ok(); ++blocks) {
        EXPECT_EQ(reader.u32(), 0xd9b4bef9u);
        const auto size = reader.u32();
        expect_whole(reader.bytes(size));
    }
    EXPECT_EQ(blocks, 439);
}

TEST(Block, OfRegtestReadsWholeWithItsWitnesses) {
    const auto raw = read_vector_file("blocks/regtest_1_206.hex");
    if (!raw) GTEST_SKIP() << "no vector file";
    std::istringstream lines(std::string(raw->begin(), raw->end()));
    int blocks = 0;
    for (std::string line; std::getline(lines, line); ++blocks)
        expect_whole(hex(line));
    EXPECT_EQ(blocks, 206);
}

TEST(Block, OfFullSizeReadsWhole) {
    for (const auto* name : {"blocks/mainnet_300025.bin", "blocks/block_1087400.bin"}) {
        const auto raw = read_vector_file(name);
        if (!raw) GTEST_SKIP() << "no vector file";
        expect_whole(*raw);
    }
}

TEST(BlockHeader, OfAnotherLengthIsRefused) {
    EXPECT_TRUE(chain::parse_block_header(Bytes(80)));
    EXPECT_FALSE(chain::parse_block_header(Bytes(79)));
    EXPECT_FALSE(chain::parse_block_header(Bytes(81)));
}

} // namespace
} // namespace headlight::tests
