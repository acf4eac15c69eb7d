// The eight characters behind a descriptor's '#' (BIP-380).
#include "wallet/descriptor_checksum.hpp"

#include "wallet/descriptor.hpp"
#include "wallet/text.hpp"

#include <array>

namespace headlight::wallet {

namespace {

// Text converts to Error's first member too, so that results of text must say which they mean.
using boost::system::in_place_value;

// Ordered so that mixing up upper and lower case, or a digit and a letter, changes one group only.
constexpr std::string_view input_charset = "0123456789()[],'/*abcdefgh@:$%{}"
                                           "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
                                           "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
constexpr std::string_view checksum_charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t checksum_chars = 8;

constexpr std::uint8_t no_place = 255;

/// A character's place in the set, by its code: a file may hold a million descriptors.
constexpr auto places = [] {
    std::array<std::uint8_t, 256> all{};
    all.fill(no_place);
    for (std::size_t i = 0; i < input_charset.size(); ++i)
        all[static_cast<unsigned char>(input_charset[i])] = static_cast<std::uint8_t>(i);
    return all;
}();

/// What the five bits that leave the state put back into it.
constexpr auto reductions = [] {
    constexpr std::array<std::uint64_t, 5> generator{0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d,
                                                     0x3706b1677a, 0x644d626ffd};
    std::array<std::uint64_t, 32> all{};
    for (std::size_t top = 0; top < all.size(); ++top)
        for (std::size_t i = 0; i < generator.size(); ++i)
            if ((top >> i & 1) != 0) all[top] ^= generator[i];
    return all;
}();

std::uint64_t step(std::uint64_t state, std::uint64_t value) {
    return ((state & 0x7ffffffff) << 5) ^ value ^ reductions[state >> 35];
}

Error wrong(std::string message, std::string cause) {
    return Error{
        errc::bad_checksum, std::move(message), std::move(cause),
        "Copy the descriptor again, or leave '#' and what follows away if you are sure of it"};
}

} // namespace

result<std::string> descriptor_checksum(std::string_view text) {
    std::uint64_t state = 1;
    std::uint64_t group = 0; // the high parts of three characters make one more symbol
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto place = places[static_cast<unsigned char>(text[i])];
        if (place == no_place)
            return Error{errc::bad_descriptor,
                         "character " + std::to_string(i + 1) + ", " + name_character(text[i]) +
                             ", cannot stand in a descriptor",
                         "it is outside BIP-380's character set", "Remove it"};
        state = step(state, place & 31U);
        group = group * 3 + (place >> 5U);
        if (i % 3 != 2) continue;
        state = step(state, group);
        group = 0;
    }
    if (text.size() % 3 != 0) state = step(state, group);
    for (std::size_t i = 0; i < checksum_chars; ++i)
        state = step(state, 0);
    state ^= 1;
    std::string checksum;
    for (std::size_t i = 0; i < checksum_chars; ++i)
        checksum += checksum_charset[state >> (5 * (checksum_chars - 1 - i)) & 31];
    return {in_place_value, std::move(checksum)};
}

result<std::string_view> strip_checksum(std::string_view text) {
    const auto mark = text.find('#');
    const auto payload = text.substr(0, mark);
    const auto expected = descriptor_checksum(payload);
    if (!expected) return expected.error();
    if (mark == std::string_view::npos) return {in_place_value, payload};
    const auto given = text.substr(mark + 1);
    if (given.size() != checksum_chars)
        return wrong("the descriptor's checksum " + quote(given) + " is not one",
                     "it has " + std::to_string(given.size()) + " characters and needs 8");
    if (given != *expected)
        return wrong("the descriptor's checksum " + quote(given) + " does not hold",
                     "for this text it would be '" + *expected +
                         "', so a character of either is wrong");
    return {in_place_value, payload};
}

result<std::string> with_checksum(std::string_view text) {
    const auto checksum = descriptor_checksum(text);
    if (!checksum) return checksum.error();
    return {in_place_value, std::string(text) + '#' + *checksum};
}

} // namespace headlight::wallet
