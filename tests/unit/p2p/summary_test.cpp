// One line for logs, whatever a peer puts into a message.
#include "random_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headlight::tests {
namespace {

using namespace p2p;

chain::Hash256 hash_ending(std::uint8_t last) {
    chain::Hash256 hash;
    hash.bytes[0] = last; // wire order
    return hash;
}

TEST(Summary, SaysWhatMatters) {
    EXPECT_EQ(summary(Headers{std::vector<chain::BlockHeader>(2'000)}), "headers (2000)");
    EXPECT_EQ(summary(Verack{}), "verack");
    EXPECT_EQ(summary(Ping{5}), "ping 5");
    EXPECT_EQ(summary(Inv{{{InvType::block, hash_ending(0xab)}}}), "inv (1) block 0000…000000ab");
    EXPECT_EQ(summary(GetData{std::vector<InvEntry>(3)}), "getdata (3) error 0000…00000000 …");
    EXPECT_EQ(summary(NotFound{}), "notfound (0)");
    EXPECT_EQ(summary(Unknown{"sendcmpct", 9}), "sendcmpct (unknown) 9 bytes");
    EXPECT_EQ(summary(FeeFilter{-1}), "feefilter -1");
}

TEST(Summary, CountsWhatAMerkleBlockProves) {
    bip37::MerkleBlock block;
    const std::vector<chain::Hash256> txids{hash_ending(1), hash_ending(2), hash_ending(3)};
    block.tree = bip37::build_partial_merkle_tree(txids, {true, false, true});
    block.header.merkle_root = bip37::merkle_root(txids);
    EXPECT_TRUE(summary(block).ends_with(", 2 of 3")) << summary(block);
    block.header.merkle_root = {};
    EXPECT_TRUE(summary(block).ends_with(", unproven of 3")) << summary(block);
}

TEST(Summary, NeverCarriesAPeersControlCharacters) {
    Version version;
    version.user_agent = "/\x1b[2Jevil\r\n\xff/";
    EXPECT_NE(summary(version).find("/?[2Jevil???"), std::string::npos) << summary(version);
    Random random(9);
    for (int run = 0; run < 2'000; ++run) {
        const auto line = summary(random_message(random));
        EXPECT_LT(line.size(), 500u);
        EXPECT_TRUE(std::none_of(line.begin(), line.end(),
                                 [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }));
    }
}

} // namespace
} // namespace headlight::tests
