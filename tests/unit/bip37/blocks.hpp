// Whole blocks for the tests of this room: read from vectors, taken apart into header and
// transactions.
#pragma once

#include "chain/block_header.hpp"
#include "chain/transaction.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace headlight::tests {

struct Block {
    chain::BlockHeader header;
    std::vector<chain::Transaction> transactions;
};

inline Block parse_block(ByteView raw) {
    chain::Reader reader(raw);
    Block block;
    block.header = chain::read_block_header(reader);
    const auto count = reader.count(100'000, 60);
    for (std::size_t i = 0; i < count; ++i) {
        block.transactions.push_back(chain::read_transaction(reader));
    }
    EXPECT_TRUE(reader.finish("a block"));
    return block;
}

inline std::vector<chain::Hash256> txids_of(const Block& block) {
    std::vector<chain::Hash256> txids;
    for (const auto& tx : block.transactions)
        txids.push_back(chain::txid(tx));
    return txids;
}

/// The blocks of mainnet_0_438.dat: a magic, a length and a block, again and again.
inline std::vector<Block> mainnet_blocks() {
    std::vector<Block> blocks;
    const auto raw = read_vector_file("blocks/mainnet_0_438.dat");
    if (!raw) return blocks;
    chain::Reader reader(*raw);
    while (reader.ok() && reader.remaining() > 0) {
        EXPECT_EQ(reader.u32(), 0xd9b4bef9u);
        blocks.push_back(parse_block(reader.bytes(reader.u32())));
    }
    return blocks;
}

/// The blocks of regtest_1_206.hex, one a line, the first at height 1.
inline std::vector<Block> regtest_blocks() {
    std::vector<Block> blocks;
    std::ifstream file(vectors_folder() / "blocks/regtest_1_206.hex");
    for (std::string line; std::getline(file, line);)
        blocks.push_back(parse_block(hex(line)));
    return blocks;
}

inline std::vector<std::string> strings(const boost::json::value& array) {
    std::vector<std::string> found;
    for (const auto& item : array.as_array())
        found.emplace_back(item.as_string());
    return found;
}

template <class T>
T number(const boost::json::value& object, std::string_view key) {
    return object.at(key).to_number<T>();
}

} // namespace headlight::tests
