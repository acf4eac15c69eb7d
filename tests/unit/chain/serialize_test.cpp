#include "chain/serialize.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

using chain::Hash256;
using chain::Reader;
using chain::Writer;

TEST(Hex, RoundTripsAndRefusesEverythingElse) {
    EXPECT_EQ(to_hex(Bytes{0x00, 0x7f, 0xff}), "007fff");
    EXPECT_EQ(from_hex("007FfF"), (Bytes{0x00, 0x7f, 0xff}));
    EXPECT_EQ(from_hex(""), Bytes{});
    for (const auto* bad : {"0", "0g", "0x00", " 00", "00 "})
        EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(Hash256, IsWrittenReversed) {
    const std::string text = "00000000000000000000000000000000000000000000000000000000000000ab";
    const auto hash = Hash256::from_string(text);
    ASSERT_TRUE(hash);
    EXPECT_EQ(hash->bytes[0], 0xab);
    EXPECT_EQ(hash->to_string(), text);
    EXPECT_FALSE(Hash256::from_string(text.substr(2)));
    EXPECT_FALSE(Hash256::from_string(text + "00"));
    EXPECT_FALSE(Hash256::from_bytes(Bytes(31)));
    EXPECT_TRUE(Hash256().is_null());
    EXPECT_FALSE(hash->is_null());
}

TEST(Digests, AreThePublishedOnesOfTheEmptyString) {
    EXPECT_EQ(to_hex(chain::sha256({})),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(chain::hash256(ByteView{}).bytes),
              "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456");
    EXPECT_EQ(to_hex(chain::hash160({})), "b472a266d0bd89c13706a4132ccfb16f7c3b9fcb");
    EXPECT_EQ(to_hex(chain::hmac_sha512({}, {})).substr(0, 32), "b936cee86c9f87aa5d3c6f2e84cb5a42");
    const auto tag = chain::sha256(as_bytes("BIP0340/aux"));
    Bytes twice(tag.begin(), tag.end());
    twice.insert(twice.end(), tag.begin(), tag.end());
    EXPECT_EQ(chain::tagged_hash("BIP0340/aux", {}), chain::sha256(twice));
}

TEST(Digests, OfAPairAreThoseOfItsBytes) {
    const auto left = chain::hash256(as_bytes("left"));
    const auto right = chain::hash256(as_bytes("right"));
    Bytes pair(left.bytes.begin(), left.bytes.end());
    pair.insert(pair.end(), right.bytes.begin(), right.bytes.end());
    EXPECT_EQ(chain::hash256(left, right), chain::hash256(pair));
}

TEST(CompactSize, ReadsAndWritesEveryWidth) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& row : json.at("compact_size").as_array()) {
        const auto value = row.at("value").to_number<std::uint64_t>();
        EXPECT_EQ(to_hex(Writer().compact_size(value).data()), text(row, "hex"));
        const auto raw = hex(row, "hex");
        Reader reader(raw);
        EXPECT_EQ(reader.compact_size(), value);
        EXPECT_TRUE(reader.finish("it"));
    }
}

TEST(CompactSize, RefusesLongAndTruncatedForms) { // pitfalls E4
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& row : json.at("compact_size_invalid").as_array()) {
        const auto raw = hex(row, "hex");
        Reader reader(raw);
        EXPECT_EQ(reader.compact_size(), 0u);
        EXPECT_FALSE(reader.ok()) << text(row, "hex");
        EXPECT_EQ(reader.remaining(), 0u);
    }
}

TEST(Reader, ReadsWhatTheWriterWrote) {
    Writer writer;
    writer.u8(1).u16(0x0203).u16_be(0x0405).u32(0x06070809).u64(0x0a0b0c0d0e0f1011);
    writer.i32(-2).i64(-3).hash(Hash256{{7}}).var_string("peer").bytes(Bytes{9, 9});
    EXPECT_EQ(to_hex(writer.data()).substr(0, 34), "01030204050908070611100f0e0d0c0b0a");
    Reader reader(writer.data());
    EXPECT_EQ(reader.u8(), 1);
    EXPECT_EQ(reader.u16(), 0x0203);
    EXPECT_EQ(reader.u16_be(), 0x0405);
    EXPECT_EQ(reader.u32(), 0x06070809u);
    EXPECT_EQ(reader.u64(), 0x0a0b0c0d0e0f1011u);
    EXPECT_EQ(reader.i32(), -2);
    EXPECT_EQ(reader.i64(), -3);
    EXPECT_EQ(reader.hash(), (Hash256{{7}}));
    EXPECT_EQ(reader.var_string(10), "peer");
    EXPECT_EQ(reader.remaining(), 2u);
    EXPECT_FALSE(reader.finish("it"));
    EXPECT_TRUE(reader.status("it"));
    EXPECT_EQ(reader.bytes(2).size(), 2u);
    EXPECT_TRUE(reader.finish("it"));
}

TEST(Reader, GivesZerosOnceItHasFailedAndKeepsTheFirstReason) {
    const Bytes raw{1, 2, 3, 4, 5};
    Reader reader(raw);
    EXPECT_EQ(reader.u64(), 0u);
    EXPECT_EQ(reader.u8(), 0);
    EXPECT_TRUE(reader.bytes(1).empty());
    EXPECT_TRUE(reader.hash().is_null());
    reader.fail("another reason");
    const auto end = reader.finish("a thing");
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, errc::malformed);
    EXPECT_EQ(to_string(end.error()), "a thing does not decode: it ends too early");
}

TEST(Reader, BelievesNoCountThatTheInputCannotHold) { // pitfalls E4
    const auto count = [](std::string_view digits, std::size_t limit, std::size_t least) {
        const auto raw = hex(digits);
        Reader reader(raw);
        const auto value = reader.count(limit, least);
        return reader.ok() ? std::optional(value) : std::nullopt;
    };
    EXPECT_EQ(count("020000", 2, 1), 2u);
    EXPECT_EQ(count("030000", 9, 1), std::nullopt);
    EXPECT_EQ(count("02000000", 9, 2), std::nullopt);
    EXPECT_EQ(count("0200000000", 9, 2), 2u);
    EXPECT_EQ(count("03000000", 2, 1), std::nullopt);
    EXPECT_EQ(count("ffffffffffffffffff", 0xffffffffffffffff, 1), std::nullopt);
    EXPECT_EQ(count("ffffffffffffffffff", 0xffffffffffffffff, 0), std::nullopt);
}

} // namespace
} // namespace headlight::tests
