// Network addresses as messages carry them (addr, addrv2 of BIP-155, version), and peers as people
// name them: HOST[:PORT].
#pragma once

#include "chain/bytes.hpp"
#include "chain/result.hpp"
#include "chain/serialize.hpp"

#include <array>
#include <string>

namespace headlight::p2p {

/// 16 bytes of IPv6, IPv4 mapped into ::ffff:0:0/96.
struct NetAddress {
    std::uint32_t time = 0; ///< seconds since 1970; absent inside `version`
    std::uint64_t services = 0;
    std::array<std::uint8_t, 16> ip{};
    std::uint16_t port = 0;

    friend bool operator==(const NetAddress&, const NetAddress&) = default;
};

/// BIP-155. An unknown network id is kept as it came, up to 512 bytes.
struct NetAddressV2 {
    std::uint32_t time = 0;
    std::uint64_t services = 0;
    std::uint8_t network = 0; ///< 1 IPv4, 2 IPv6, 4 Tor v3, 5 I2P, 6 CJDNS
    Bytes address;
    std::uint16_t port = 0;

    friend bool operator==(const NetAddressV2&, const NetAddressV2&) = default;
};

/// "192.0.2.1", "2001:db8::1", "….onion", "….b32.i2p": as people write it; hex for unknown
/// networks.
std::string to_string(const NetAddress& address);
std::string to_string(const NetAddressV2& address);

/// Whether BIP-155 lets it be used: a network it names, no IPv6 that embeds another network, CJDNS
/// inside fc00::/8. Others are read and ignored.
bool is_valid(const NetAddressV2& address);

/// A peer to connect to: a name or an address, and a port.
struct Endpoint {
    std::string host; ///< IPv4, IPv6 without brackets, or a name
    std::uint16_t port = 0;

    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPv6. Errors: bad_argument, naming the part.
result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port);
/// "host:port", IPv6 in brackets.
std::string to_string(const Endpoint& endpoint);

NetAddress read_net_address(chain::Reader& reader, bool with_time);
void write_net_address(chain::Writer& writer, const NetAddress& address, bool with_time);
NetAddressV2 read_net_address_v2(chain::Reader& reader);
void write_net_address_v2(chain::Writer& writer, const NetAddressV2& address);

} // namespace headlight::p2p
