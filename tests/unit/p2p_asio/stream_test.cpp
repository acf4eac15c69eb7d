// Messages through a connection: order, pieces, sizes, limits.
#include "loopback.hpp"

namespace headlight::tests {
namespace {

using namespace p2p;
using namespace p2p::asio;

class Stream : public Loopback {};

Bytes frames(const std::vector<Message>& messages) {
    Bytes bytes;
    for (const auto& message : messages) {
        const auto frame = encode_frame(regtest(), message);
        bytes.insert(bytes.end(), frame.begin(), frame.end());
    }
    return bytes;
}

// pitfalls A1
TEST_F(Stream, KeepsTheOrderOfTheCalls) {
    Record theirs;
    const auto listener =
        Listener::open(*context, regtest(), 0, [&](auto) { return theirs.handlers(); });
    ASSERT_TRUE(listener);
    Record record;
    const auto connection = open(record, {"127.0.0.1", (*listener)->port()});
    std::vector<Message> sent;
    for (std::uint64_t i = 0; i < 3'000; ++i) {
        sent.push_back(Ping{i});
        if (i % 100 == 0) sent.push_back(Unknown{"padding", static_cast<std::size_t>(i * 13)});
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        ASSERT_TRUE(connection->send(sent[i]));
        if (i % 250 == 0) settle(1ms); // some while a write is under way, some not
    }
    run_until([&] { return theirs.messages.size() == sent.size(); });
    EXPECT_EQ(theirs.messages, sent);
    EXPECT_EQ(connection->bytes_sent(), frames(sent).size());
}

TEST_F(Stream, AnswersInTheOrderOfTheQuestions) {
    Record theirs;
    std::shared_ptr<Connection> server;
    theirs.on_message = [&](const Message& message) {
        server->send(Pong{std::get<Ping>(message).nonce.value_or(0)});
    };
    const auto listener = Listener::open(*context, regtest(), 0, [&](auto connection) {
        server = connection;
        return theirs.handlers();
    });
    ASSERT_TRUE(listener);
    Record record;
    const auto connection = open(record, {"127.0.0.1", (*listener)->port()});
    std::vector<Message> expected;
    for (std::uint64_t i = 0; i < 500; ++i) {
        connection->send(Ping{i});
        expected.push_back(Pong{i});
    }
    run_until([&] { return record.messages.size() == expected.size(); });
    EXPECT_EQ(record.messages, expected);
}

// pitfalls E4
TEST_F(Stream, TakesMessagesByteByByte) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    peer.socket().set_option(tcp::no_delay(true));
    const std::vector<Message> sent{Ping{1}, Headers{{chain::BlockHeader{}}}, Verack{}};
    for (const auto& byte : frames(sent)) {
        peer.write(ByteView(&byte, 1));
        settle(1ms);
    }
    run_until([&] { return record.messages.size() == 3; });
    EXPECT_EQ(record.messages, sent);
    EXPECT_EQ(connection->bytes_received(), frames(sent).size());
}

TEST_F(Stream, DeliversAllOfAReadBeforeItTellsOfProgress) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    auto bytes = frames({Ping{1}, Ping{2}, Ping{3}});
    bytes.resize(bytes.size() + 3); // and the start of another, which is no magic yet
    std::copy_n(regtest().magic.begin(), 3, bytes.end() - 3);
    peer.write(bytes);
    run_until([&] { return record.events.ends_with('p'); });
    EXPECT_EQ(record.events, "Cmmmp");
}

TEST_F(Stream, CarriesTheLargestMessageBothWays) {
    Record theirs;
    std::shared_ptr<Connection> server;
    theirs.on_message = [&](const Message& message) { server->send(message); };
    const auto listener = Listener::open(*context, regtest(), 0, [&](auto connection) {
        server = connection;
        return theirs.handlers();
    });
    ASSERT_TRUE(listener);
    Record record;
    const auto connection = open(record, {"127.0.0.1", (*listener)->port()});
    const Message largest = Unknown{"largest", limits::max_message_bytes};
    EXPECT_TRUE(connection->send(largest));
    run_until([&] { return !record.messages.empty(); });
    EXPECT_EQ(record.messages, std::vector<Message>{largest});
}

TEST_F(Stream, DeliversWhatCameBeforeThePeersEnd) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    peer.write(frames({Ping{1}, Ping{2}}));
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
    EXPECT_EQ(record.messages, (std::vector<Message>{Ping{1}, Ping{2}}));
    EXPECT_EQ(record.closed[0].bytes_received, 64u);
}

TEST_F(Stream, ReadsThePeersLastWordsEvenWhenAWriteFails) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    peer.write(Ping{1});
    peer.end_writing();
    peer.close();
    for (std::uint64_t i = 0; i < 20; ++i)
        connection->send(Ping{i});
    closed(record);
    EXPECT_EQ(record.messages, std::vector<Message>{Ping{1}});
}

TEST_F(Stream, ForgetsAMessageCutShort) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    const auto whole = frames({Ping{1}});
    peer.write(ByteView(whole).first(27));
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
    EXPECT_TRUE(record.messages.empty());
}

TEST_F(Stream, NamesAReset) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    peer.reset();
    EXPECT_EQ(closed(record), CloseReason::network_error);
    EXPECT_FALSE(record.closed[0].detail.empty());
}

// pitfalls E4
TEST_F(Stream, EndsAtAFrameFaultWithItsReason) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    auto bytes = frames({Ping{1}, Ping{2}});
    bytes[32 + 20] ^= 1; // the second checksum
    peer.write(bytes);
    EXPECT_EQ(closed(record), CloseReason::frame_fault);
    EXPECT_EQ(record.messages, std::vector<Message>{Ping{1}});
    ASSERT_TRUE(record.closed[0].frame_error);
    EXPECT_EQ(record.closed[0].frame_error->fault, FrameFault::bad_checksum);
    EXPECT_FALSE(connection->send(Ping{3}));
}

TEST_F(Stream, ClosesWhenTheSendQueueIsFull) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer, {.send_queue_bytes = 100});
    EXPECT_TRUE(connection->send(Ping{1}));
    EXPECT_TRUE(connection->send(Ping{2}));
    EXPECT_TRUE(connection->send(Ping{3}));
    EXPECT_FALSE(connection->send(Ping{4}));
    EXPECT_EQ(record.events, "C") << "closed from within send()";
    EXPECT_FALSE(connection->send(Verack{}));
    EXPECT_EQ(closed(record), CloseReason::queue_full);
}

TEST_F(Stream, BoundsWhatWaitsForASlowPeer) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    std::size_t taken = 0;
    while (connection->send(Unknown{"padding", 1'000'000})) {
        ++taken;
        settle(1ms);
        ASSERT_LT(taken, 100u);
    }
    EXPECT_GE(taken, 8u);
    EXPECT_EQ(closed(record), CloseReason::queue_full);
}

TEST_F(Stream, ClosesWhenThePeerTakesNothing) {
    RawPeer peer;
    Record record;
    const auto connection =
        open(record, peer, {.send_queue_bytes = 100'000'000, .write_timeout = 100ms});
    for (int i = 0; i < 20; ++i)
        connection->send(Unknown{"padding", 1'000'000});
    EXPECT_EQ(closed(record), CloseReason::write_timeout);
    EXPECT_NE(record.closed[0].detail.find("100 ms"), std::string::npos);
}

TEST_F(Stream, KeepsAPeerThatTakesALittleAtATime) {
    RawPeer peer;
    Record record;
    const auto connection =
        open(record, peer, {.send_queue_bytes = 100'000'000, .write_timeout = 400ms});
    constexpr std::size_t total = 16 * 1'000'024;
    for (int i = 0; i < 16; ++i)
        connection->send(Unknown{"padding", 1'000'000});
    settle();
    ASSERT_LT(connection->bytes_sent(), total) << "the system took it all: nothing to test";
    for (std::size_t read = 0; read < total; read += total / 32) {
        peer.read(total / 32);
        settle(20ms);
        ASSERT_TRUE(record.closed.empty()) << record.closed[0].detail;
    }
    EXPECT_EQ(connection->bytes_sent(), total);
}

} // namespace
} // namespace headlight::tests
