// Bech32 (BIP-173) and bech32m (BIP-350), and the regrouping of bits they need.
#include "wallet/bech32.hpp"

#include "chain/limits.hpp"
#include "wallet/bch_code.hpp"
#include "wallet/text.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::size_t checksum_chars = 6;

constexpr std::uint32_t residue_of(Bech32::Kind kind) {
    return kind == Bech32::Kind::bech32 ? 1 : 0x2bc830a3;
}

constexpr auto symbol_places = places_in(symbol_charset);
constexpr BchCode<std::uint32_t, 30> bech32_code({0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                                  0x2a1462b3});

// A checksum holds when this equals the kind's constant.
std::uint32_t remainder(ByteView values) {
    std::uint32_t state = 1;
    for (const auto value : values)
        state = bech32_code.step(state, value);
    return state;
}

Bytes expand_prefix(std::string_view prefix) {
    Bytes values;
    values.reserve(limits::max_bech32_chars + prefix.size() + 1);
    for (const char c : prefix)
        values.push_back(static_cast<std::uint8_t>(static_cast<std::uint8_t>(c) >> 5));
    values.push_back(0);
    for (const char c : prefix)
        values.push_back(static_cast<std::uint8_t>(c & 31));
    return values;
}

bool is_valid(std::uint32_t residue) {
    return residue == residue_of(Bech32::Kind::bech32) ||
           residue == residue_of(Bech32::Kind::bech32m);
}

// Which single value, from `first` on, would mend the checksum if it were another. When one
// character was changed no second place can do so, since codewords differ in five places at least.
std::optional<std::size_t> locate_single_change(Bytes values, std::size_t first) {
    for (std::size_t i = first; i < values.size(); ++i) {
        const auto original = values[i];
        for (std::uint8_t other = 0; other < 32; ++other) {
            values[i] = other;
            if (is_valid(remainder(values))) return i;
        }
        values[i] = original;
    }
    return std::nullopt;
}

Error bad_character(std::string_view text, std::size_t position, std::string cause) {
    return Error{errc::malformed,
                 "character " + std::to_string(position + 1) + ", " +
                     name_character(text[position]) + ", cannot stand in bech32 text",
                 std::move(cause), "Compare that place with the original"};
}

// Printable characters and one case throughout.
std::optional<Error> check_characters(std::string_view text) {
    char seen = 0; // 'a' once a lower-case letter was seen, 'A' once an upper-case one
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c < 33 || c > 126) return bad_character(text, i, "it is outside printable ASCII");
        const char letter_case = c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : '\0';
        if (letter_case == 0) continue;
        if (seen != 0 && seen != letter_case)
            return bad_character(text, i, "upper and lower case are mixed");
        seen = letter_case;
    }
    return std::nullopt;
}

Error bad_bech32_checksum(const Bytes& values, std::size_t expanded, std::size_t separator) {
    Error error{errc::bad_checksum, "the bech32 checksum does not hold",
                "a character is wrong, missing or too many", "Copy the text again"};
    if (const auto place = locate_single_change(values, expanded))
        error.cause =
            "character " + std::to_string(*place - expanded + separator + 2) + " is probably wrong";
    return error;
}

} // namespace

std::string encode_bech32(const Bech32& parts) {
    Bytes values = expand_prefix(parts.prefix);
    values.insert(values.end(), parts.values.begin(), parts.values.end());
    values.resize(values.size() + checksum_chars);
    const auto checksum = remainder(values) ^ residue_of(parts.kind);
    std::string text = parts.prefix + '1';
    for (const auto value : parts.values)
        text += symbol_charset[value];
    for (std::uint32_t i = 0; i < checksum_chars; ++i)
        text += symbol_charset[checksum >> (5 * (5 - i)) & 31];
    return text;
}

result<Bech32> decode_bech32(std::string_view text) {
    if (text.size() > limits::max_bech32_chars)
        return Error{errc::malformed, "the bech32 text is too long",
                     std::to_string(text.size()) + " characters, and 90 is the most"};
    if (const auto error = check_characters(text)) return *error;
    const auto lower = to_lower(text);
    const auto separator = lower.rfind('1');
    if (separator == std::string::npos || separator == 0)
        return Error{errc::malformed, "the bech32 text has no prefix before a '1'"};
    if (lower.size() - separator - 1 < checksum_chars)
        return Error{errc::malformed, "the bech32 text is too short for its checksum",
                     "fewer than 6 characters after the last '1'"};

    Bytes values = expand_prefix(std::string_view(lower).substr(0, separator));
    const auto expanded = values.size();
    for (std::size_t i = separator + 1; i < lower.size(); ++i) {
        const auto value = symbol_places[static_cast<unsigned char>(lower[i])];
        if (value == no_place) return bad_character(text, i, "bech32 data has no 1, b, i and o");
        values.push_back(value);
    }
    const auto residue = remainder(values);
    if (!is_valid(residue)) return bad_bech32_checksum(values, expanded, separator);
    const auto kind =
        residue == residue_of(Bech32::Kind::bech32) ? Bech32::Kind::bech32 : Bech32::Kind::bech32m;
    return Bech32{kind, lower.substr(0, separator),
                  Bytes(values.begin() + static_cast<std::ptrdiff_t>(expanded),
                        values.end() - static_cast<std::ptrdiff_t>(checksum_chars))};
}

Bytes to_five_bits(ByteView bytes) {
    Bytes values;
    values.reserve(bytes.size() * 8 / 5 + 1);
    std::uint32_t buffer = 0;
    std::uint32_t bits = 0;
    for (const auto byte : bytes) {
        buffer = (buffer << 8 | byte) & 0xfff;
        for (bits += 8; bits >= 5; bits -= 5)
            values.push_back(static_cast<std::uint8_t>(buffer >> (bits - 5) & 31));
    }
    if (bits > 0) values.push_back(static_cast<std::uint8_t>(buffer << (5 - bits) & 31));
    return values;
}

std::optional<Bytes> from_five_bits(ByteView values) {
    Bytes bytes;
    bytes.reserve(values.size() * 5 / 8);
    std::uint32_t buffer = 0;
    std::uint32_t bits = 0;
    for (const auto value : values) {
        buffer = (buffer << 5 | value) & 0xfff;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::uint8_t>(buffer >> bits));
    }
    const auto padding = buffer & ((1U << bits) - 1);
    if (bits >= 5 || padding != 0) return std::nullopt;
    return bytes;
}

} // namespace headlight::wallet
