// How a connection comes to be, or does not.
#include "loopback.hpp"

namespace headlight::tests {
namespace {

using namespace p2p;
using namespace p2p::asio;

class Connecting : public Loopback {};

TEST_F(Connecting, ReachesAnIpv4Address) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    EXPECT_EQ(record.events, "C");
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
}

TEST_F(Connecting, ReachesAName) {
    RawPeer peer; // on 127.0.0.1 only: where the name means ::1 too, that one is refused first
    Record record;
    const auto connection = open(record, {"localhost", peer.port()});
    EXPECT_TRUE(run_until([&] { return record.connected(); }));
    EXPECT_TRUE(record.closed.empty());
}

TEST_F(Connecting, ReachesAnIpv6Address) {
    std::optional<RawPeer> peer;
    try {
        peer.emplace("::1");
    } catch (const boost::system::system_error& error) {
        GTEST_SKIP() << "no IPv6 loopback here: " << error.what();
    }
    Record record;
    const auto connection = open(record, {"::1", peer->port()});
    ASSERT_TRUE(run_until([&] { return record.connected(); }));
    peer->accept();
    peer->write(Ping{6});
    run_until([&] { return !record.messages.empty(); });
    EXPECT_EQ(record.messages, std::vector<Message>{Ping{6}});
}

TEST_F(Connecting, NamesARefusal) {
    std::uint16_t port = 0;
    { port = RawPeer().port(); } // free again
    Record record;
    const auto connection = open(record, {"127.0.0.1", port});
    EXPECT_EQ(closed(record), CloseReason::connect_failed);
    EXPECT_EQ(record.events, "x");
    EXPECT_NE(record.closed[0].detail.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
    EXPECT_NE(record.closed[0].detail.find("refused"), std::string::npos)
        << record.closed[0].detail;
}

TEST_F(Connecting, NamesAHostThatDoesNotResolve) {
    Record record;
    // A label of 64 bytes fits no DNS message, so that no network is asked.
    const auto connection = open(record, {std::string(64, 'x'), 1});
    EXPECT_EQ(closed(record), CloseReason::resolve_failed);
    EXPECT_TRUE(record.closed[0].detail.starts_with("xxx")) << record.closed[0].detail;
}

TEST_F(Connecting, GivesUpAtTheTimeout) {
    // Linux answers no further connect once the queue of pending ones is full.
    RawPeer deaf;
    deaf.acceptor().listen(0);
    std::vector<std::shared_ptr<Connection>> fillers;
    Record filling;
    for (int i = 0; i < 4; ++i)
        fillers.push_back(open(filling, {"127.0.0.1", deaf.port()}, 60s));
    settle();
    Record record;
    const auto start = std::chrono::steady_clock::now();
    const auto connection = open(record, {"127.0.0.1", deaf.port()}, 150ms);
    EXPECT_EQ(closed(record), CloseReason::connect_failed);
    EXPECT_EQ(record.events, "x");
    EXPECT_GE(std::chrono::steady_clock::now() - start, 150ms);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
    EXPECT_NE(record.closed[0].detail.find("timed out"), std::string::npos)
        << record.closed[0].detail;
    context.reset(); // with the fillers under way
}

TEST_F(Connecting, CanBeClosedBeforeItConnects) {
    RawPeer peer;
    for (const bool flush : {false, true}) {
        for (const auto* host : {"127.0.0.1", "localhost"}) {
            Record record;
            const auto connection = open(record, {host, peer.port()});
            EXPECT_TRUE(connection->send(Ping{1}));
            connection->close(flush);
            EXPECT_EQ(record.events, "") << "closed from within a call";
            EXPECT_FALSE(connection->send(Ping{2}));
            EXPECT_EQ(closed(record), CloseReason::local);
            EXPECT_EQ(record.events, "x");
        }
    }
}

TEST_F(Connecting, SendsWhatWasQueuedBefore) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, {"127.0.0.1", peer.port()});
    record.on_connected = [&] { connection->send(Ping{2}); };
    EXPECT_TRUE(connection->send(Ping{1}));
    run_until([&] { return connection->bytes_sent() == 64; });
    peer.accept();
    auto expected = encode_frame(regtest(), Ping{1});
    const auto second = encode_frame(regtest(), Ping{2});
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_EQ(peer.read(64), expected);
}

class Listening : public Loopback {};

TEST_F(Listening, ServesEachPeerOnAConnectionOfItsOwn) {
    std::vector<std::shared_ptr<Connection>> accepted;
    std::vector<std::unique_ptr<Record>> theirs;
    const auto listener = Listener::open(*context, regtest(), 0, [&](auto connection) {
        connection->send(Pong{accepted.size()});
        accepted.push_back(connection);
        theirs.push_back(std::make_unique<Record>());
        return theirs.back()->handlers();
    });
    ASSERT_TRUE(listener);
    Record first, second;
    const auto one = open(first, {"127.0.0.1", (*listener)->port()});
    run_until([&] { return !first.messages.empty(); });
    const auto two = open(second, {"127.0.0.1", (*listener)->port()});
    run_until([&] { return !second.messages.empty(); });
    EXPECT_EQ(first.messages, std::vector<Message>{Pong{0}});
    EXPECT_EQ(second.messages, std::vector<Message>{Pong{1}});
    two->send(Ping{9});
    run_until([&] { return !theirs[1]->messages.empty(); });
    EXPECT_EQ(theirs[1]->messages, std::vector<Message>{Ping{9}});
    EXPECT_TRUE(theirs[0]->connected());
    EXPECT_TRUE(theirs[0]->messages.empty());
    accepted[0]->close();
    EXPECT_EQ(closed(*theirs[0]), CloseReason::local);
    EXPECT_EQ(closed(first), CloseReason::peer_closed);
    EXPECT_TRUE(second.closed.empty());
}

TEST_F(Listening, MayTurnAPeerAwayAtOnce) {
    Record theirs;
    const auto listener = Listener::open(*context, regtest(), 0, [&](auto connection) {
        connection->send(Pong{3});
        connection->close(true);
        return theirs.handlers();
    });
    ASSERT_TRUE(listener);
    Record record;
    const auto connection = open(record, {"127.0.0.1", (*listener)->port()});
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
    EXPECT_EQ(record.messages, std::vector<Message>{Pong{3}});
    EXPECT_EQ(closed(theirs), CloseReason::local);
    EXPECT_EQ(theirs.events, "x");
}

TEST_F(Listening, StopsWhenDestroyedAndKeepsItsConnections) {
    Record theirs;
    auto listener = Listener::open(*context, regtest(), 0, [&](auto) { return theirs.handlers(); });
    ASSERT_TRUE(listener);
    const auto port = (*listener)->port();
    Record first;
    const auto one = open(first, {"127.0.0.1", port});
    run_until([&] { return theirs.connected(); });
    listener->reset();
    settle();
    Record second;
    const auto two = open(second, {"127.0.0.1", port});
    EXPECT_EQ(closed(second), CloseReason::connect_failed);
    one->send(Ping{4});
    run_until([&] { return !theirs.messages.empty(); });
    EXPECT_EQ(theirs.messages, std::vector<Message>{Ping{4}});
}

TEST_F(Listening, NamesAPortInUse) {
    const auto listener =
        Listener::open(*context, regtest(), 0, [](auto) { return Connection::Handlers{}; });
    ASSERT_TRUE(listener);
    const auto port = (*listener)->port();
    const auto again =
        Listener::open(*context, regtest(), port, [](auto) { return Connection::Handlers{}; });
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, errc::in_use);
    EXPECT_NE(again.error().message.find(std::to_string(port)), std::string::npos);
}

TEST_F(Listening, MayOutliveTheContext) {
    auto listener =
        Listener::open(*context, regtest(), 0, [](auto) { return Connection::Handlers{}; });
    ASSERT_TRUE(listener);
    settle();
    context.reset();
    EXPECT_NE((*listener)->port(), 0);
    listener->reset();
}

} // namespace
} // namespace headlight::tests
