// The eight characters behind a descriptor's '#' (BIP-380).
#include "wallet/descriptor_checksum.hpp"

#include "wallet/bch_code.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/text.hpp"

namespace headlight::wallet {

namespace {

// Text converts to Error's first member too, so that results of text must say which they mean.
using boost::system::in_place_value;

// Ordered so that mixing up upper and lower case, or a digit and a letter, changes one group only.
constexpr std::string_view input_charset = "0123456789()[],'/*abcdefgh@:$%{}"
                                           "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
                                           "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
constexpr std::size_t checksum_chars = 8;

constexpr auto places = places_in(input_charset);
constexpr BchCode<std::uint64_t, 40> descriptor_code({0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d,
                                                      0x3706b1677a, 0x644d626ffd});

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
        state = descriptor_code.step(state, place & 31U);
        group = group * 3 + (place >> 5U);
        if (i % 3 != 2) continue;
        state = descriptor_code.step(state, group);
        group = 0;
    }
    if (text.size() % 3 != 0) state = descriptor_code.step(state, group);
    for (std::size_t i = 0; i < checksum_chars; ++i)
        state = descriptor_code.step(state, 0);
    state ^= 1;
    std::string checksum;
    for (std::size_t i = 0; i < checksum_chars; ++i)
        checksum += symbol_charset[state >> (5 * (checksum_chars - 1 - i)) & 31];
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
