// The payloads of BIP-37, and merkleblocks honest, forged and broken.
#include "bip37/messages.hpp"

#include "tests/unit/bip37/blocks.hpp"

#include <map>

namespace headlight::bip37 {
namespace {

using tests::hex;
using tests::number;
using tests::strings;
using tests::text;

template <class Decoded>
void expect_too_large_unless(bool valid, const result<Decoded>& decoded) {
    EXPECT_EQ(decoded.has_value(), valid);
    if (!decoded) {
        EXPECT_EQ(decoded.error().code, errc::too_large);
        EXPECT_NE(decoded.error().cause.find("limit"), std::string::npos);
    }
}

TEST(FilterMessages, KeepTheLimitsOfTheWire) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bloom.json");
    for (const auto& item : file.at("size_limits").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        const BloomFilter filter(number<std::size_t>(item, "size"),
                                 number<std::uint32_t>(item, "n_hash_funcs"), 0, UpdateFlags::all);
        const bool valid = item.at("valid").as_bool();
        expect_too_large_unless(valid, decode_filterload(encode(FilterLoad{filter})));
    }
    for (const auto& item : file.at("filteradd_limits").as_array()) {
        const FilterAdd message{Bytes(number<std::size_t>(item, "element_bytes"), 0xab)};
        const auto decoded = decode_filteradd(encode(message));
        expect_too_large_unless(item.at("valid").as_bool(), decoded);
        if (decoded) {
            EXPECT_EQ(*decoded, message);
        }
    }
}

TEST(FilterMessages, ReadTheFlagByteAsAServerDoes) {
    auto payload = encode(FilterLoad{BloomFilter(3, 5, 9, UpdateFlags::all)});
    const std::map<int, UpdateFlags> readings{
        {0, UpdateFlags::none}, {1, UpdateFlags::all},  {2, UpdateFlags::p2pubkey_only},
        {3, UpdateFlags::none}, {4, UpdateFlags::none}, {0xfd, UpdateFlags::all}};
    for (const auto& [byte, flags] : readings) {
        payload.back() = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(decode_filterload(payload)->filter.flags(), flags) << byte;
    }
}

TEST(FilterMessages, AreMalformedWhenCutOrLengthened) {
    const auto load = encode(FilterLoad{BloomFilter(30, 5, 9, UpdateFlags::all)});
    const auto add = encode(FilterAdd{Bytes(30, 1)});
    for (std::size_t length = 0; length < load.size(); ++length) {
        EXPECT_EQ(decode_filterload(ByteView(load).first(length)).error().code, errc::malformed);
    }
    for (std::size_t length = 0; length < add.size(); ++length) {
        EXPECT_EQ(decode_filteradd(ByteView(add).first(length)).error().code, errc::malformed);
    }
    for (auto longer : {load, add}) {
        longer.push_back(0);
        EXPECT_FALSE(decode_filterload(longer));
        EXPECT_FALSE(decode_filteradd(longer));
    }
    // a length of 2^64 - 1 allocates nothing
    EXPECT_EQ(decode_filterload(hex("ffffffffffffffffff")).error().code, errc::too_large);
    EXPECT_EQ(decode_filteradd(hex("ffffffffffffffffff")).error().code, errc::too_large);
    EXPECT_EQ(decode_filteradd(hex("fd0100aa")).error().code, errc::malformed); // not the shortest
}

tests::Block block_named(const boost::json::value& file, const std::string& name) {
    const auto& item = file.at("blocks").at(name);
    const auto path = text(item, "file");
    return tests::parse_block(path.empty() ? hex(item, "raw")
                                           : tests::read_vector_file(path).value());
}

TEST(MerkleBlocks, StandOnTheBlocksOfTheVectors) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock.json");
    for (const auto& [name, item] : file.at("blocks").as_object()) {
        SCOPED_TRACE(std::string(name));
        const auto block = block_named(file, name);
        EXPECT_EQ(chain::hash_of(block.header).to_string(), text(item, "hash"));
        EXPECT_EQ(block.transactions.size(), number<std::size_t>(item, "tx_count"));
        const auto txids = tests::txids_of(block);
        EXPECT_EQ(merkle_root(txids), block.header.merkle_root);
        if (item.at("txids").is_array()) {
            const auto wanted = strings(item.at("txids"));
            ASSERT_EQ(wanted.size(), txids.size());
            for (std::size_t i = 0; i < wanted.size(); ++i)
                EXPECT_EQ(txids[i].to_string(), wanted[i]);
        }
        const auto& txs = block.transactions;
        EXPECT_EQ(std::any_of(txs.begin(), txs.end(), [](auto& tx) { return tx.has_witness(); }),
                  item.at("has_witness").as_bool());
    }
}

BloomFilter filter_of_case(const boost::json::value& item) {
    if (const auto payload = text(item, "filterload_hex"); !payload.empty()) {
        return decode_filterload(hex(payload)).value().filter;
    }
    const auto first = decode_filterload(hex(item.at("steps").at(0), "filter_before")).value();
    return BloomFilter(first.filter.data().size(), first.filter.hash_functions(),
                       number<std::uint32_t>(item, "tweak"),
                       static_cast<UpdateFlags>(number<int>(item, "flags")));
}

void expect_step(const boost::json::value& step, const tests::Block& block, BloomFilter& filter) {
    for (const auto& inserted : strings(step.at("insert")))
        filter.insert(hex(inserted));
    if (const auto before = text(step, "filter_before"); !before.empty()) {
        EXPECT_EQ(to_hex(encode(FilterLoad{filter})), before);
    }
    const auto sent = filter_block(block.header, block.transactions, filter);
    const auto payload = encode(sent.merkleblock);
    EXPECT_EQ(to_hex(payload), text(step, "merkleblock_hex"));
    if (const auto digest = text(step, "merkleblock_sha256"); !digest.empty()) {
        EXPECT_EQ(to_hex(chain::sha256(payload)), digest);
    }
    if (const auto after = text(step, "filter_after"); !after.empty()) {
        EXPECT_EQ(to_hex(encode(FilterLoad{filter})), after);
    }

    const auto received = decode_merkleblock(payload);
    ASSERT_TRUE(received);
    EXPECT_EQ(*received, sent.merkleblock);
    const auto found = verify(*received);
    ASSERT_TRUE(found);
    const auto& matched = step.at("matched").as_array();
    ASSERT_EQ(found->matches.size(), matched.size());
    ASSERT_EQ(sent.matched.size(), matched.size());
    for (std::size_t i = 0; i < matched.size(); ++i) {
        EXPECT_EQ(found->matches[i].position, number<std::uint32_t>(matched[i], "index"));
        EXPECT_EQ(found->matches[i].txid.to_string(), text(matched[i], "txid"));
        EXPECT_EQ(sent.matched[i], number<std::size_t>(matched[i], "index"));
    }
}

TEST(MerkleBlocks, AreMadeByteForByteAsInTheVectors) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock.json");
    for (const auto& item : file.at("cases").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        const auto block = block_named(file, text(item, "block"));
        auto filter = filter_of_case(item);
        for (const auto& step : item.at("steps").as_array())
            expect_step(step, block, filter);
        const auto& object = item.as_object();
        if (const auto* list = object.if_contains("after_contains")) {
            for (const auto& wanted : strings(*list))
                EXPECT_TRUE(filter.contains(hex(wanted)));
        }
        if (const auto* list = object.if_contains("after_not_contains")) {
            for (const auto& other : strings(*list))
                EXPECT_FALSE(filter.contains(hex(other)));
        }
    }
}

void expect_matches(const boost::json::value& item, const ExtractedMatches& found) {
    const auto txids = strings(item.at("matched"));
    const auto& positions = item.at("index").as_array();
    ASSERT_EQ(found.matches.size(), txids.size());
    for (std::size_t i = 0; i < txids.size(); ++i) {
        EXPECT_EQ(found.matches[i].txid.to_string(), txids[i]);
        EXPECT_EQ(found.matches[i].position, positions[i].to_number<std::uint32_t>());
    }
}

TEST(MerkleBlocks, OfOthersAreRead) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock.json");
    for (const auto& item : file.at("standalone").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        const auto payload = hex(item, "merkleblock_hex");
        const auto block = decode_merkleblock(payload);
        ASSERT_TRUE(block);
        EXPECT_EQ(encode(*block), payload);
        EXPECT_EQ(chain::hash_of(block->header).to_string(), text(item, "block_hash"));
        EXPECT_EQ(block->tree.total_transactions, number<std::uint32_t>(item, "tx_count"));
        EXPECT_EQ(block->tree.hashes.size(), number<std::size_t>(item, "hash_count"));
        EXPECT_EQ(to_hex(block->tree.flags), text(item, "flag_bytes"));
        const auto found = verify(*block);
        ASSERT_EQ(found.has_value(), item.at("valid").as_bool());
        expect_matches(item, *found);
    }
}

result<ExtractedMatches> decode_and_verify(ByteView payload) {
    const auto block = decode_merkleblock(payload);
    if (!block) return block.error();
    return verify(*block);
}

/// What we say where the vectors name this reason; "" where another rule may speak first.
std::string_view our_words(const std::string& reason) {
    static const std::map<std::string, std::string_view> words{
        {"zero transactions", "no transactions"},
        {"too many transactions", "more transactions than a block can hold"},
        {"more hashes than transactions", "more hashes than transactions"},
        {"fewer bits than hashes", "fewer flag bits than hashes"},
        {"hashes overflow", "the hashes end too early"},
        {"unused hashes", "hashes are left over"},
        {"unused flag bytes", "flag bytes are left over"},
        {"merkle root mismatch", "its header has"},
        {"identical left and right", "CVE-2012-2459"},
        {"truncated or unparsable", ""}};
    return words.at(reason);
}

TEST(MerkleBlocks, BrokenAreRefusedForTheRightReason) { // pitfalls B3
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock.json");
    for (const auto& item : file.at("malformed").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        auto payload = hex(item, "merkleblock_hex");
        if (text(item, "name").starts_with("trailing byte")) {
            // "payload parser decides": ours takes no byte too many
            EXPECT_EQ(decode_merkleblock(payload).error().code, errc::malformed);
            payload.pop_back();
        }
        const auto found = decode_and_verify(payload);
        ASSERT_EQ(found.has_value(), item.at("valid").as_bool());
        if (found) {
            expect_matches(item, *found);
            continue;
        }
        const auto reason = text(item, "reason");
        EXPECT_NE(found.error().cause.find(our_words(reason)), std::string::npos)
            << found.error().cause;
        EXPECT_EQ(found.error().code,
                  reason == "truncated or unparsable" ? errc::malformed : errc::bad_proof);
    }
    EXPECT_EQ(limits::max_block_transactions, number<std::uint32_t>(file, "max_tx_count"));
}

struct Wanted {
    std::size_t matches = 0;
    std::string_view refused{}; ///< part of the cause; accepted when empty
};

TEST(MerkleBlocks, ForgedAreJudgedAsACarefulClientWould) { // pitfalls B1, B2, B3, B6
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock_payloads.json");
    const std::map<std::string, Wanted> wanted{
        {"MB01", {1}},
        {"MB02", {0}}, // B6
        {"MB03", {0}}, // B6
        {"MB04", {1}}, // B2: the tree holds; what it names has 64 bytes (next test)
        {"MB05", {0, "CVE-2012-2459"}},
        {"MB06", {1}}, // B1: the honest form of the header that MB05 abuses
        {"MB07", {0, "CVE-2012-2459"}},
        {"MB08", {0, "CVE-2017-12842"}},
        {"MB09", {1}}, // B2: the tree holds; the transaction has 64 bytes (next test)
        {"MB10", {0, "no transactions"}},
        {"MB11", {0, "more transactions than a block can hold"}},
        {"MB12", {0, "more transactions than a block can hold"}},
        {"MB13", {0, "more hashes than transactions"}},
        {"MB14", {0, "hashes are left over"}},
        {"MB15", {0, "flag bytes are left over"}},
        {"MB16", {1}}, // our choice: set padding bits are tolerated, as Bitcoin Core does
    };
    for (const auto& item : file.at("cases").as_array()) {
        SCOPED_TRACE(text(item, "id") + ": " + text(item, "want"));
        const auto& want = wanted.at(text(item, "id"));
        const auto payload = hex(item, "payload_hex");
        const auto found = decode_and_verify(payload);
        ASSERT_EQ(found.has_value(), want.refused.empty());
        if (found) {
            EXPECT_EQ(found->matches.size(), want.matches);
            EXPECT_EQ(encode(*decode_merkleblock(payload)), payload);
        } else {
            EXPECT_EQ(found.error().code, errc::bad_proof);
            EXPECT_NE(found.error().cause.find(want.refused), std::string::npos)
                << found.error().cause;
        }
    }
    EXPECT_EQ(file.at("cases").as_array().size(), wanted.size());
}

TEST(MerkleBlocks, ThatNameAnInnerNodeCanOnlyBeFollowedBySixtyFourBytes) { // pitfalls B2
    HEADLIGHT_VECTORS_OR_SKIP(file, "merkleblock_payloads.json");
    for (const auto& item : file.at("cases").as_array()) {
        const auto id = text(item, "id");
        if (id != "MB04" && id != "MB09") continue;
        const auto block = decode_merkleblock(hex(item, "payload_hex")).value();
        EXPECT_EQ(verify(block)->matches[0].txid, block.header.merkle_root);
        if (id == "MB04") continue;
        const auto what = text(item, "what");
        const auto raw = hex(what.substr(what.find("tx=") + 3));
        EXPECT_EQ(chain::hash256(raw), block.header.merkle_root);
        EXPECT_TRUE(chain::parse_transaction(raw));
        EXPECT_TRUE(reads_as_transaction(raw));
    }
}

TEST(MerkleBlocks, AreMalformedWhenCut) {
    const MerkleBlock block{{}, {3, {chain::Hash256{}}, {0}}};
    const auto payload = encode(block);
    EXPECT_EQ(decode_merkleblock(payload).value(), block);
    for (std::size_t length = 0; length < payload.size(); ++length) {
        EXPECT_EQ(decode_merkleblock(ByteView(payload).first(length)).error().code,
                  errc::malformed);
    }
}

} // namespace
} // namespace headlight::bip37
