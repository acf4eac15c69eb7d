// Small helpers for reading what people typed and for naming it in messages.
#include "wallet/text.hpp"

#include <algorithm>
#include <array>

namespace headlight::wallet {

namespace {

bool prints(char character) { return character >= 0x20 && character <= 0x7e; }

} // namespace

std::string quote(std::string_view text, std::size_t most) {
    std::string shown(text.substr(0, most));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return !prints(c); }, '?');
    return "'" + shown + (text.size() > most ? "...'" : "'");
}

std::string name_character(char character) {
    if (prints(character)) return {'\'', character, '\''};
    const std::array<std::uint8_t, 1> byte{static_cast<std::uint8_t>(character)};
    return "byte 0x" + to_hex(byte);
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::optional<std::uint32_t> parse_decimal(std::string_view text) {
    if (text.empty() || text.size() > 10) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (value > 0xffffffff) return std::nullopt;
    return static_cast<std::uint32_t>(value);
}

std::string network_names(const std::function<bool(const chain::Network&)>& belongs) {
    std::string names;
    for (const auto& network : chain::all_networks()) {
        if (!belongs(network)) continue;
        if (!names.empty()) names += '/';
        names += network.name;
    }
    return names;
}

Error wrong_network(std::string_view thing, std::string_view owners, const chain::Network& wanted) {
    return Error{errc::wrong_network,
                 std::string(thing) + " is for " + std::string(owners) + ", not for " +
                     std::string(wanted.name),
                 "the wallet's network is " + std::string(wanted.name),
                 "Choose the other network with --network, or give the " +
                     std::string(wanted.name) + " form"};
}

} // namespace headlight::wallet
