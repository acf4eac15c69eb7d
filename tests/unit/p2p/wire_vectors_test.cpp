// Every case of wire.json: payloads, whole messages, malformed messages, CompactSize.
#include "chain/network.hpp"
#include "message_fields.hpp"
#include "p2p/framing.hpp"
#include "tests/support/vectors.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <map>

namespace headlight::tests {
namespace {

using namespace p2p;
using boost::json::value;

const chain::Network& network_of(const value& vector) {
    const auto* network = chain::find_network(text(vector, "message_network"));
    EXPECT_NE(network, nullptr);
    return network ? *network : chain::network(chain::NetworkId::main);
}

/// The one message of a stream, which has to be whole.
std::optional<Message> read_one(const chain::Network& network, ByteView bytes) {
    FrameReader reader(network);
    reader.feed(bytes);
    auto message = reader.next();
    if (!message) {
        ADD_FAILURE() << to_string(message.error().fault) << ": " << message.error().detail;
        return std::nullopt;
    }
    EXPECT_EQ(reader.buffered(), 0u);
    return *message;
}

/// Old versions end early: what we write back has the fields of today behind the same bytes.
void expect_payload(const Message& message, const Bytes& payload) {
    auto encoded = encode_payload(message);
    if (std::holds_alternative<Version>(message)) {
        ASSERT_GE(encoded.size(), payload.size());
        encoded.resize(payload.size());
    }
    EXPECT_EQ(to_hex(encoded), to_hex(payload));
}

TEST(WireVectors, EveryMessageDecodesToItsPublishedFieldsAndBack) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    std::size_t checked = 0;
    for (const auto& vector : json.at("cases").as_array()) {
        const auto command = text(vector, "command");
        SCOPED_TRACE(command + " from " + text(vector, "source"));
        const auto payload = hex(vector, "payload_hex");
        const auto raw = hex(vector, "message_hex");
        const auto message = decode_payload(command, payload);
        ASSERT_TRUE(message) << to_string(message.error());
        EXPECT_EQ(command_of(*message), command);
        EXPECT_LE(payload.size(), payload_limit(command));
        EXPECT_EQ(read_one(network_of(vector), raw), *message);
        ++checked;
        if (const auto* unknown = std::get_if<Unknown>(&*message)) {
            EXPECT_EQ(unknown->payload_bytes, payload.size()); // sendcmpct, wtxidrelay
            continue;
        }
        expect_payload(*message, payload);
        const auto ours = fields_of(*message);
        for (const auto& field : vector.at("fields").as_object()) {
            const auto* mine = ours.if_contains(field.key());
            ASSERT_TRUE(mine) << field.key();
            EXPECT_EQ(*mine, field.value())
                << field.key() << " is " << boost::json::serialize(*mine);
        }
        if (encode_payload(*message) == payload) {
            EXPECT_EQ(encode_frame(network_of(vector), *message), raw);
        }
    }
    EXPECT_GT(checked, 0u);
}

// pitfalls E4
TEST(WireVectors, EveryMalformedMessageEndsTheStreamForItsReason) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    const std::map<std::string, FrameFault> by_reason{
        {"checksum", FrameFault::bad_checksum},
        {"magic", FrameFault::wrong_magic},
        {"oversize", FrameFault::too_large},
        {"command characters", FrameFault::bad_command},
    };
    for (const auto& vector : json.at("malformed").as_array()) {
        SCOPED_TRACE(text(vector, "name"));
        FrameReader reader(chain::network(chain::NetworkId::main));
        reader.feed(hex(vector, "message_hex"));
        const auto message = reader.next();
        if (text(vector, "name") == "payload shorter than the length field") {
            ASSERT_TRUE(message); // more might come
            EXPECT_EQ(*message, std::nullopt);
            EXPECT_EQ(reader.expected_payload(), 9u);
            continue;
        }
        ASSERT_FALSE(message);
        const auto expected = by_reason.find(text(vector, "reason"));
        EXPECT_EQ(message.error().fault,
                  expected == by_reason.end() ? FrameFault::malformed : expected->second);
        EXPECT_FALSE(message.error().detail.empty());
        EXPECT_EQ(reader.buffered(), 0u);
    }
}

TEST(WireVectors, EveryMagicIsItsNetworks) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& magic : json.at("magic").as_object()) {
        const auto* network = chain::find_network(std::string_view(magic.key()));
        ASSERT_NE(network, nullptr) << magic.key();
        EXPECT_EQ(to_hex(network->magic), std::string_view(magic.value().as_string()));
    }
}

TEST(WireVectors, CompactSizeIsReadAndWritten) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& vector : json.at("compact_size").as_array()) {
        const auto raw = hex(vector, "hex");
        const auto expected = vector.at("value").to_number<std::uint64_t>();
        chain::Reader reader(raw);
        EXPECT_EQ(reader.compact_size(), expected);
        EXPECT_TRUE(reader.finish("a CompactSize"));
        chain::Writer writer;
        EXPECT_EQ(writer.compact_size(expected).data(), raw);
    }
}

// pitfalls E4
TEST(WireVectors, LongOrTruncatedCompactSizesAreRefused) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& vector : json.at("compact_size_invalid").as_array()) {
        const auto raw = hex(vector, "hex");
        chain::Reader reader(raw);
        reader.compact_size();
        EXPECT_FALSE(reader.ok()) << text(vector, "hex");
    }
}

} // namespace
} // namespace headlight::tests
