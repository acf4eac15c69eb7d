// HOST[:PORT], as people name a peer.
#include "p2p/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace headlight::p2p {
namespace {

constexpr std::size_t longest_name = 253; // of DNS, without the root's dot
constexpr std::size_t longest_label = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

Error refused(std::string_view text, std::string_view cause) {
    return {errc::bad_argument, "'" + std::string(text) + "' is no peer", std::string(cause),
            "Write HOST, HOST:PORT, [IPV6] or [IPV6]:PORT"};
}

/// The usual form of an address; nothing when it is none.
std::optional<std::string> usual_form(int family, const std::string& text) {
    std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (inet_pton(family, text.c_str(), bytes.data()) != 1) return std::nullopt;
    return inet_ntop(family, bytes.data(), out.data(), out.size());
}

/// An IPv6 address, with its zone ("fe80::1%eth0") where it has one.
std::optional<std::string> ipv6_form(std::string_view text) {
    const auto percent = text.find('%');
    auto address = usual_form(AF_INET6, std::string(text.substr(0, percent)));
    if (!address || percent == text.npos) return address;
    const auto zone = text.substr(percent + 1);
    const bool sound = std::all_of(zone.begin(), zone.end(), [](char c) {
        return is_digit(c) || is_letter(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
               c == '_';
    });
    if (zone.empty() || zone.size() > longest_label || !sound) return std::nullopt;
    return *address + "%" + std::string(zone);
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= longest_label &&
           std::all_of(label.begin(), label.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

/// A DNS name in lower case. One whose last label is a number can only be a mistyped IPv4 address.
bool is_name(std::string_view name) {
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty() || name.size() > longest_name) return false;
    std::string_view label;
    for (bool more = true; more;) {
        const auto dot = name.find('.');
        more = dot != name.npos;
        label = name.substr(0, dot);
        if (!is_label(label)) return false;
        if (more) name.remove_prefix(dot + 1);
    }
    return !std::all_of(label.begin(), label.end(), is_digit);
}

std::optional<std::string> host_form(std::string_view text) {
    auto name = lower(text);
    if (auto address = usual_form(AF_INET, name)) return address;
    if (is_name(name)) return name;
    return std::nullopt;
}

std::optional<std::uint16_t> port_in(std::string_view text) {
    std::uint16_t port = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, port);
    if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0) return std::nullopt;
    return port;
}

struct Parts {
    std::string_view host;
    std::optional<std::string_view> port{};
    bool ipv6 = false;
};

/// Where the host ends and the port starts; nothing for an unclosed or misplaced bracket.
std::optional<Parts> split(std::string_view text) {
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == text.npos) return std::nullopt;
        const auto host = text.substr(1, close - 1);
        const auto rest = text.substr(close + 1);
        if (rest.empty()) return Parts{host, std::nullopt, true};
        if (!rest.starts_with(':')) return std::nullopt;
        return Parts{host, rest.substr(1), true};
    }
    const auto colon = text.find(':');
    if (colon == text.npos) return Parts{text};
    if (text.find(':', colon + 1) != text.npos) return Parts{text, std::nullopt, true};
    return Parts{text.substr(0, colon), text.substr(colon + 1)};
}

} // namespace

result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
    const auto parts = split(text);
    if (!parts) return refused(text, "the brackets do not enclose an address");
    const auto host = parts->ipv6 ? ipv6_form(parts->host) : host_form(parts->host);
    if (!host) {
        return refused(text, "'" + std::string(parts->host) + "' is neither a name nor an " +
                                 (parts->ipv6 ? "IPv6 address" : "IPv4 address"));
    }
    const auto port = parts->port ? port_in(*parts->port) : default_port;
    if (!port) {
        return refused(text, "'" + std::string(*parts->port) + "' is no port from 1 to 65535");
    }
    return Endpoint{*host, *port};
}

std::string to_string(const Endpoint& endpoint) {
    const auto port = ":" + std::to_string(endpoint.port);
    if (endpoint.host.find(':') == std::string::npos) return endpoint.host + port;
    return "[" + endpoint.host + "]" + port;
}

} // namespace headlight::p2p
