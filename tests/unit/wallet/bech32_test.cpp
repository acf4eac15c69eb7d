// Bech32 and bech32m strings: the BIPs' own, and where an error is placed.
#include "wallet/bech32.hpp"

#include "tests/unit/wallet/support.hpp"
#include "wallet/text.hpp"

#include <random>

namespace headlight::wallet {
namespace {

using tests::hex;
using tests::text;

Bech32::Kind kind_of(std::string_view bip) {
    return bip == "bip173" ? Bech32::Kind::bech32 : Bech32::Kind::bech32m;
}

TEST(Bech32, ReadsAndWritesTheBipsStrings) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bech32.json");
    for (const char* bip : {"bip173", "bip350"})
        for (const auto& item : file.at(bip).at("valid_strings").as_array()) {
            const auto parts = decode_bech32(as_string(item));
            ASSERT_TRUE(parts.has_value()) << item;
            EXPECT_EQ(parts->kind, kind_of(bip)) << item;
            EXPECT_EQ(encode_bech32(*parts), to_lower(as_string(item)));
        }
}

TEST(Bech32, RefusesTheBipsInvalidStrings) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bech32.json");
    for (const char* bip : {"bip173", "bip350"})
        for (const auto& item : file.at(bip).at("invalid_strings").as_array()) {
            const auto raw = hex(item, "bytes_hex");
            const auto parts =
                decode_bech32({reinterpret_cast<const char*>(raw.data()), raw.size()});
            // A few are invalid as one kind because they are valid as the other.
            EXPECT_TRUE(parts.has_error() || parts->kind != kind_of(bip)) << item;
        }
}

TEST(Bech32, NamesTheCharacterThatCannotStand) {
    expect_refused(decode_bech32("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3b4"), errc::malformed,
                   {"character 41", "'b'"});
    expect_refused(decode_bech32("bc1qw508d6qejxtdG4y5r3zarvary0c5xw7kv8f3t4"), errc::malformed,
                   {"character 17", "'G'", "mixed"});
    expect_refused(decode_bech32("bc1q w508"), errc::malformed, {"character 5", "' '"});
    expect_refused(decode_bech32("qqqqqqqq"), errc::malformed, {"no prefix"});
    expect_refused(decode_bech32("bc1qqqq"), errc::malformed, {"too short"});
    expect_refused(decode_bech32(std::string(91, 'q')), errc::malformed, {"91", "90"});
}

TEST(Bech32, PlacesASingleChangedCharacter) {
    const std::string address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    for (std::size_t i = 3; i < address.size(); ++i) {
        auto changed = address;
        changed[i] = changed[i] == 'q' ? 'p' : 'q';
        const auto refused = decode_bech32(changed);
        expect_refused(refused, errc::bad_checksum,
                       {"character " + std::to_string(i + 1) + " is probably wrong"});
        EXPECT_EQ(to_string(refused.error()).find(address), std::string::npos)
            << "BIP-173: never suggest the correction";
    }
    auto swapped = address;
    std::swap(swapped[10], swapped[11]);
    expect_refused(decode_bech32(swapped), errc::bad_checksum, {"a character is wrong"});
}

TEST(Bech32, RegroupsBitsBothWays) {
    std::mt19937 random(7);
    for (std::size_t size = 0; size <= 40; ++size) {
        Bytes bytes(size);
        for (auto& byte : bytes)
            byte = static_cast<std::uint8_t>(random());
        const auto values = to_five_bits(bytes);
        EXPECT_EQ(values.size(), (size * 8 + 4) / 5);
        EXPECT_EQ(from_five_bits(values), bytes);
    }
    EXPECT_FALSE(from_five_bits(Bytes{0, 1})) << "padding that is not zero";
    EXPECT_FALSE(from_five_bits(Bytes{0, 0, 0})) << "a whole value of padding";
}

} // namespace
} // namespace headlight::wallet
