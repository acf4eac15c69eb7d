// How people name a peer.
#include "p2p/address.hpp"

#include <gtest/gtest.h>

namespace headlight::p2p {
namespace {

TEST(Endpoint, IsReadFromEveryForm) {
    const struct {
        std::string_view text;
        Endpoint expected;
    } cases[] = {
        {"192.0.2.1", {"192.0.2.1", 8333}},
        {"192.0.2.1:18444", {"192.0.2.1", 18444}},
        {"localhost", {"localhost", 8333}},
        {"Node.Example.ORG:1", {"node.example.org", 1}},
        {"node.example.org.", {"node.example.org.", 8333}},
        {"my_host-2:65535", {"my_host-2", 65535}},
        {"2001:db8::1", {"2001:db8::1", 8333}},
        {"2001:DB8:0:0::1", {"2001:db8::1", 8333}},
        {"::1", {"::1", 8333}},
        {"[::1]", {"::1", 8333}},
        {"[::1]:18444", {"::1", 18444}},
        {"[fe80::1%eth0]:1", {"fe80::1%eth0", 1}},
        {"fe80::1%2", {"fe80::1%2", 8333}},
        {"::ffff:192.0.2.1", {"::ffff:192.0.2.1", 8333}},
    };
    for (const auto& [text, expected] : cases) {
        const auto endpoint = parse_endpoint(text, 8333);
        ASSERT_TRUE(endpoint) << text << ": " << to_string(endpoint.error());
        EXPECT_EQ(*endpoint, expected) << text;
        const auto again = parse_endpoint(to_string(*endpoint), 1);
        ASSERT_TRUE(again) << to_string(*endpoint);
        EXPECT_EQ(*again, expected);
    }
}

TEST(Endpoint, IsWrittenWithBracketsAroundIpv6) {
    EXPECT_EQ(to_string(Endpoint{"::1", 8333}), "[::1]:8333");
    EXPECT_EQ(to_string(Endpoint{"192.0.2.1", 1}), "192.0.2.1:1");
}

TEST(Endpoint, RefusesWhatIsNoneAndNamesThePart) {
    const struct {
        std::string_view text, part;
    } cases[] = {
        {"", "''"},
        {":8333", "''"},
        {"host:", "''"},
        {"host:0", "'0'"},
        {"host:65536", "'65536'"},
        {"host:-1", "'-1'"},
        {"host:+1", "'+1'"},
        {"host:83x", "'83x'"},
        {"host: 1", "' 1'"},
        {"ho st", "'ho st'"},
        {"a..b", "'a..b'"},
        {".", "'.'"},
        {"192.0.2.256", "'192.0.2.256'"},
        {"127.1", "'127.1'"},
        {"18444", "'18444'"},
        {"[::1", "brackets"},
        {"[::1]8333", "brackets"},
        {"[192.0.2.1]:1", "'192.0.2.1'"},
        {"[localhost]:1", "'localhost'"},
        {"::1::2", "'::1::2'"},
        {"fe80::1%", "'fe80::1%'"},
        {"fe80::1%a b", "'fe80::1%a b'"},
        {std::string_view("a\0b", 3), "neither"},
    };
    for (const auto& [text, part] : cases) {
        const auto endpoint = parse_endpoint(text, 8333);
        ASSERT_FALSE(endpoint) << text;
        EXPECT_EQ(endpoint.error().code, errc::bad_argument);
        EXPECT_NE(endpoint.error().cause.find(part), std::string::npos) << endpoint.error().cause;
        EXPECT_FALSE(endpoint.error().cure.empty());
    }
    EXPECT_FALSE(parse_endpoint(std::string(64, 'a'), 1));
    EXPECT_TRUE(parse_endpoint(std::string(63, 'a'), 1));
    std::string name = "a";
    while (name.size() < 260)
        name += ".a";
    EXPECT_FALSE(parse_endpoint(name, 1));
}

} // namespace
} // namespace headlight::p2p
