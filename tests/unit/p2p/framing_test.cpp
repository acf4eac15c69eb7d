// The envelope: any split of the bytes reads the same, and no lie about a length costs memory.
#include "p2p/framing.hpp"

#include "chain/limits.hpp"
#include "random_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headlight::tests {
namespace {

using namespace p2p;

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// A frame as its parts say, whether they are right or not.
Bytes frame(const std::array<std::uint8_t, 12>& command, std::uint32_t length, ByteView payload) {
    chain::Writer writer;
    writer.bytes(regtest().magic).bytes(command).u32(length);
    writer.bytes(chain::hash256(payload).view().first(4)).bytes(payload);
    return writer.take();
}

std::array<std::uint8_t, 12> padded(std::string_view command) {
    std::array<std::uint8_t, 12> field{};
    std::copy(command.begin(), command.end(), field.begin());
    return field;
}

/// Takes every message that is whole; the fault if one ends the stream.
std::optional<FrameError> drain(FrameReader& reader, std::vector<Message>& messages) {
    for (;;) {
        auto next = reader.next();
        if (!next) return next.error();
        if (!*next) return std::nullopt;
        messages.push_back(std::move(**next));
    }
}

FrameError fault_of(ByteView bytes) {
    FrameReader reader(regtest());
    reader.feed(bytes);
    std::vector<Message> messages;
    const auto fault = drain(reader, messages);
    EXPECT_TRUE(fault);
    EXPECT_TRUE(messages.empty());
    return fault.value_or(FrameError{});
}

struct Stream {
    Bytes bytes;
    std::vector<Message> messages;
};

Stream random_stream(Random& random, std::size_t count) {
    Stream stream;
    for (std::size_t i = 0; i < count; ++i) {
        stream.messages.push_back(random_message(random));
        const auto raw = encode_frame(regtest(), stream.messages.back());
        stream.bytes.insert(stream.bytes.end(), raw.begin(), raw.end());
    }
    return stream;
}

// pitfalls E4
TEST(FrameReader, ReadsTheSameWhereverTheStreamIsSplit) {
    Stream stream;
    for (const Message& message : {Message{Ping{7}}, Message{Verack{}}, Message{Headers{{{}, {}}}},
                                   Message{Inv{{{InvType::tx, {}}}}}, Message{Pong{8}}}) {
        stream.messages.push_back(message);
        const auto raw = encode_frame(regtest(), message);
        stream.bytes.insert(stream.bytes.end(), raw.begin(), raw.end());
    }
    const ByteView bytes = stream.bytes;
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        FrameReader reader(regtest());
        std::vector<Message> messages;
        reader.feed(bytes.first(cut));
        ASSERT_EQ(drain(reader, messages), std::nullopt) << cut;
        reader.feed(bytes.subspan(cut));
        ASSERT_EQ(drain(reader, messages), std::nullopt) << cut;
        ASSERT_EQ(messages, stream.messages) << cut;
        ASSERT_EQ(reader.buffered(), 0u);
    }
}

TEST(FrameReader, ReadsOneByteAtATime) {
    Random random(1);
    const auto stream = random_stream(random, 60);
    FrameReader reader(regtest());
    std::vector<Message> messages;
    for (const auto& byte : stream.bytes) {
        reader.feed({&byte, 1});
        ASSERT_EQ(drain(reader, messages), std::nullopt);
    }
    EXPECT_EQ(messages, stream.messages);
}

TEST(FrameReader, ReadsRandomPieces) {
    Random random(2);
    const auto stream = random_stream(random, 500);
    FrameReader reader(regtest());
    std::vector<Message> messages;
    for (ByteView rest = stream.bytes; !rest.empty();) {
        const auto piece = rest.first(std::min<std::size_t>(rest.size(), random() % 5'000));
        reader.feed(piece);
        rest = rest.subspan(piece.size());
        if (random() % 3 == 0) {
            ASSERT_EQ(drain(reader, messages), std::nullopt);
        }
    }
    ASSERT_EQ(drain(reader, messages), std::nullopt);
    EXPECT_EQ(messages, stream.messages);
    EXPECT_EQ(reader.buffered(), 0u);
}

// pitfalls E4
TEST(FrameReader, RefusesALengthOverTheLimitAtTheHeader) {
    for (const std::uint32_t length : {4'000'001u, 33'554'432u, 0xffffffffu}) {
        for (const auto* command : {"block", "tx", "unheardof", "ping"}) {
            const auto header = frame(padded(command), length, {});
            ASSERT_EQ(header.size(), frame_header_bytes);
            const auto fault = fault_of(header);
            EXPECT_EQ(fault.fault, FrameFault::too_large);
            EXPECT_NE(fault.detail.find(command), std::string::npos) << fault.detail;
            EXPECT_NE(fault.detail.find(std::to_string(length)), std::string::npos);
        }
    }
}

TEST(FrameReader, RefusesALengthOverTheCommandsOwnLimit) {
    for (const auto* command : {"ping", "version", "headers", "inv", "merkleblock", "filterload",
                                "filteradd", "reject", "alert", "addr", "addrv2", "getheaders"}) {
        const auto limit = static_cast<std::uint32_t>(payload_limit(command));
        ASSERT_LT(limit, limits::max_message_bytes) << command;
        EXPECT_EQ(fault_of(frame(padded(command), limit + 1, {})).fault, FrameFault::too_large);
        FrameReader reader(regtest());
        reader.feed(frame(padded(command), limit, {}));
        const auto next = reader.next();
        ASSERT_TRUE(next) << command;
        EXPECT_EQ(*next, std::nullopt);
        EXPECT_EQ(reader.expected_payload(), limit);
    }
}

TEST(FrameReader, TakesTheLargestMessage) {
    Random random(3);
    const Unknown largest{"unheardof", limits::max_message_bytes};
    FrameReader reader(regtest());
    reader.feed(encode_frame(regtest(), largest));
    const auto message = reader.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(*message, Message{largest});
}

// pitfalls E4
TEST(FrameReader, RefusesACommandThatIsNotTextAndThenNuls) {
    EXPECT_EQ(fault_of(frame({'p', 'i', 'n', 'g', 0, 0, 0, 0, 0, 0, 0, 'x'}, 0, {})).fault,
              FrameFault::bad_command);
    EXPECT_EQ(fault_of(frame({0, 'p', 'i', 'n', 'g'}, 0, {})).fault, FrameFault::bad_command);
    EXPECT_EQ(fault_of(frame({'p', 0x7f}, 0, {})).fault, FrameFault::bad_command);
    EXPECT_EQ(fault_of(frame({'p', 0xff}, 0, {})).fault, FrameFault::bad_command);
    EXPECT_EQ(fault_of(frame({'p', '\n'}, 0, {})).fault, FrameFault::bad_command);
}

TEST(FrameReader, TakesACommandOfTwelveBytes) {
    FrameReader reader(regtest());
    reader.feed(frame(padded("twelve-bytes"), 3, Bytes{1, 2, 3}));
    const auto message = reader.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(*message, (Message{Unknown{"twelve-bytes", 3}}));
}

// pitfalls E4
TEST(FrameReader, RefusesAWrongChecksumEvenOfAnUnknownCommand) {
    for (const Message& message :
         {Message{Ping{7}}, Message{Verack{}}, Message{Unknown{"new", 9}}}) {
        for (std::size_t at = 20; at < 24; ++at) {
            auto raw = encode_frame(regtest(), message);
            raw[at] ^= 1;
            EXPECT_EQ(fault_of(raw).fault, FrameFault::bad_checksum);
        }
    }
}

TEST(FrameReader, RefusesAnotherNetworksMagicByItsName) {
    const auto& main = chain::network(chain::NetworkId::main);
    const auto fault = fault_of(encode_frame(main, Verack{}));
    EXPECT_EQ(fault.fault, FrameFault::wrong_magic);
    EXPECT_NE(fault.detail.find("main"), std::string::npos) << fault.detail;
    EXPECT_EQ(fault_of(as_bytes("HTTP/1.1 400")).detail, "a message starts with 48545450");
}

// pitfalls E4
TEST(FrameReader, RefusesAPayloadThatDoesNotDecode) {
    const Bytes non_canonical{0xfd, 0x01, 0x00};
    const auto fault = fault_of(
        frame(padded("inv"), static_cast<std::uint32_t>(non_canonical.size()), non_canonical));
    EXPECT_EQ(fault.fault, FrameFault::malformed);
    EXPECT_NE(fault.detail.find("shortest form"), std::string::npos) << fault.detail;
}

TEST(FrameReader, GivesWhatCameBeforeAFaultAndThenTheFaultForEver) {
    auto bytes = encode_frame(regtest(), Ping{1});
    const auto bad = frame({'x', 1}, 0, {});
    bytes.insert(bytes.end(), bad.begin(), bad.end());
    FrameReader reader(regtest());
    reader.feed(bytes);
    std::vector<Message> messages;
    const auto fault = drain(reader, messages);
    ASSERT_TRUE(fault);
    EXPECT_EQ(messages, std::vector<Message>{Ping{1}});
    reader.feed(encode_frame(regtest(), Ping{2}));
    EXPECT_EQ(reader.buffered(), 0u);
    EXPECT_EQ(drain(reader, messages), fault);
    EXPECT_EQ(messages.size(), 1u);
}

TEST(FrameReader, SaysWhatItWaitsFor) {
    const auto raw = encode_frame(regtest(), Pong{1});
    FrameReader reader(regtest());
    EXPECT_EQ(reader.expected_payload(), 0u);
    reader.feed(ByteView(raw).first(23));
    EXPECT_EQ(reader.expected_payload(), 0u);
    reader.feed(ByteView(raw).subspan(23, 2));
    EXPECT_EQ(reader.expected_payload(), 8u);
    EXPECT_EQ(reader.buffered(), 25u);
}

} // namespace
} // namespace headlight::tests
