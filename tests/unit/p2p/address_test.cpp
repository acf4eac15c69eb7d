// Addresses on the wire and as text: every case of bip155.json, and IPv4 inside IPv6.
#include "message_fields.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

using namespace p2p;

/// An addrv2 entry around what bip155.json gives of it.
Bytes entry_around(const Bytes& address) {
    chain::Writer writer;
    writer.u32(1).compact_size(0).bytes(address).u16_be(8333);
    return writer.take();
}

TEST(Bip155, EveryAddressIsReadNamedOrRefused) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "bip155.json");
    for (const auto& vector : json.at("addresses").as_array()) {
        SCOPED_TRACE(text(vector, "name"));
        const auto entry = entry_around(hex(vector, "address_hex"));
        chain::Reader reader(entry);
        const auto address = read_net_address_v2(reader);
        const auto& accepted = vector.at("accepted");
        if (accepted.is_bool() && !accepted.as_bool()) {
            EXPECT_FALSE(reader.ok());
            continue;
        }
        ASSERT_TRUE(reader.finish("an address"));
        EXPECT_EQ(address.port, 8333);
        EXPECT_EQ(is_valid(address), accepted.is_bool());
        chain::Writer writer;
        write_net_address_v2(writer, address);
        EXPECT_EQ(writer.data(), entry);
        if (!accepted.is_bool()) continue; // read, then ignored
        const bool unset = text(vector, "name") == "unset address";
        EXPECT_EQ(to_string(address), unset ? "::" : text(vector, "text_or_reason"));
    }
}

TEST(Bip155, EveryMessageDecodesToItsFieldsAndBack) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "bip155.json");
    for (const auto& vector : json.at("messages").as_array()) {
        const auto payload = hex(vector, "payload_hex");
        const auto message = decode_payload("addrv2", payload);
        ASSERT_TRUE(message) << to_string(message.error());
        EXPECT_EQ(boost::json::value(fields_of(*message)), vector.at("fields"));
        EXPECT_EQ(encode_payload(*message), payload);
    }
}

TEST(Bip155, AnAddressOfAnUnknownNetworkIsKeptUpTo512BytesAndShownInHex) {
    const NetAddressV2 largest{7, 8, 0xaa, Bytes(512, 0xcd), 9};
    chain::Writer writer;
    write_net_address_v2(writer, largest);
    chain::Reader reader(writer.data());
    EXPECT_EQ(read_net_address_v2(reader), largest);
    EXPECT_TRUE(reader.finish("an address"));
    EXPECT_EQ(to_string(NetAddressV2{0, 0, 0xaa, {0xab, 0x01}, 0}), "ab01");

    chain::Writer longer;
    write_net_address_v2(longer, {7, 8, 0xaa, Bytes(513, 0xcd), 9});
    chain::Reader refused(longer.data());
    read_net_address_v2(refused);
    EXPECT_FALSE(refused.ok());
}

TEST(NetAddress, ReadsAsIpv4OrIpv6) {
    NetAddress address;
    EXPECT_EQ(to_string(address), "::");
    address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
    EXPECT_EQ(to_string(address), "192.0.2.1");
    address.ip = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    EXPECT_EQ(to_string(address), "2001:db8::1");
}

TEST(NetAddress, CarriesItsTimeOnlyWhereTheMessageDoes) {
    const NetAddress address{5, 9, {1, 2, 3}, 0x1234};
    chain::Writer with_time;
    write_net_address(with_time, address, true);
    EXPECT_EQ(with_time.data().size(), 30u);
    chain::Writer without;
    write_net_address(without, address, false);
    ASSERT_EQ(without.data().size(), 26u);
    EXPECT_EQ(without.data()[24], 0x12); // network byte order
    chain::Reader reader(without.data());
    EXPECT_EQ(read_net_address(reader, false), (NetAddress{0, 9, {1, 2, 3}, 0x1234}));
}

} // namespace
} // namespace headlight::tests
