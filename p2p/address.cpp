// Network addresses: their two wire forms, and as text.
#include "p2p/address.hpp"

#include "chain/limits.hpp"

#include <openssl/evp.h>

#include <arpa/inet.h>

#include <algorithm>

namespace headlight::p2p {
namespace {

constexpr std::array<std::uint8_t, 12> mapped_ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
/// OnionCat's prefix: how Tor v2 names used to travel as IPv6.
constexpr std::array<std::uint8_t, 6> embedded_tor{0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43};
constexpr std::uint8_t cjdns_prefix = 0xfc;

enum Bip155 : std::uint8_t { ipv4 = 1, ipv6 = 2, tor_v3 = 4, i2p = 5, cjdns = 6 };

/// How long an address of a network has to be; 0 where BIP-155 gives no length.
std::size_t length_in(std::uint8_t network) {
    switch (network) {
    case ipv4:
        return 4;
    case ipv6:
        return 16;
    case tor_v3:
        return 32;
    case i2p:
        return 32;
    case cjdns:
        return 16;
    default:
        return 0;
    }
}

bool starts_with(ByteView bytes, ByteView prefix) {
    return bytes.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

std::string ip_text(int family, const std::uint8_t* bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto* written = inet_ntop(family, bytes, text.data(), text.size());
    return written ? written : "";
}

/// RFC 4648, lower case, without padding.
std::string base32(ByteView bytes) {
    constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz234567";
    std::string text;
    std::uint32_t pending = 0;
    unsigned bits = 0;
    for (const auto byte : bytes) {
        pending = (pending << 8) | byte;
        for (bits += 8; bits >= 5; bits -= 5)
            text += alphabet[(pending >> (bits - 5)) & 31];
        pending &= (1u << bits) - 1;
    }
    if (bits > 0) text += alphabet[(pending << (5 - bits)) & 31];
    return text;
}

/// Tor's rend-spec-v3: base32(key || checksum || version), the checksum from SHA3-256.
std::string onion(ByteView key) {
    constexpr std::uint8_t version = 3;
    const auto salt = as_bytes(".onion checksum");
    Bytes input(salt.begin(), salt.end());
    input.insert(input.end(), key.begin(), key.end());
    input.push_back(version);
    std::array<std::uint8_t, 32> digest{};
    EVP_Digest(input.data(), input.size(), digest.data(), nullptr, EVP_sha3_256(), nullptr);
    Bytes named(key.begin(), key.end());
    named.insert(named.end(), {digest[0], digest[1], version});
    return base32(named) + ".onion";
}

} // namespace

std::string to_string(const NetAddress& address) {
    if (starts_with(address.ip, mapped_ipv4)) return ip_text(AF_INET, address.ip.data() + 12);
    return ip_text(AF_INET6, address.ip.data());
}

std::string to_string(const NetAddressV2& address) {
    const auto& bytes = address.address;
    if (bytes.empty() || bytes.size() != length_in(address.network)) return to_hex(bytes);
    switch (address.network) {
    case ipv4:
        return ip_text(AF_INET, bytes.data());
    case tor_v3:
        return onion(bytes);
    case i2p:
        return base32(bytes) + ".b32.i2p";
    default:
        return ip_text(AF_INET6, bytes.data());
    }
}

bool is_valid(const NetAddressV2& address) {
    const auto& bytes = address.address;
    if (bytes.empty() || bytes.size() != length_in(address.network)) return false;
    if (address.network == ipv6) {
        return !starts_with(bytes, mapped_ipv4) && !starts_with(bytes, embedded_tor);
    }
    return address.network != cjdns || bytes.front() == cjdns_prefix;
}

NetAddress read_net_address(chain::Reader& reader, bool with_time) {
    NetAddress address;
    if (with_time) address.time = reader.u32();
    address.services = reader.u64();
    const auto ip = reader.bytes(address.ip.size());
    std::copy(ip.begin(), ip.end(), address.ip.begin());
    address.port = reader.u16_be();
    return address;
}

void write_net_address(chain::Writer& writer, const NetAddress& address, bool with_time) {
    if (with_time) writer.u32(address.time);
    writer.u64(address.services).bytes(address.ip).u16_be(address.port);
}

NetAddressV2 read_net_address_v2(chain::Reader& reader) {
    NetAddressV2 address;
    address.time = reader.u32();
    address.services = reader.compact_size();
    address.network = reader.u8();
    const auto bytes = reader.var_bytes(limits::max_address_bytes);
    const auto length = length_in(address.network);
    if (length != 0 && bytes.size() != length) reader.fail("an address has the wrong length");
    address.address.assign(bytes.begin(), bytes.end());
    address.port = reader.u16_be();
    return address;
}

void write_net_address_v2(chain::Writer& writer, const NetAddressV2& address) {
    writer.u32(address.time).compact_size(address.services).u8(address.network);
    writer.var_bytes(address.address).u16_be(address.port);
}

} // namespace headlight::p2p
