// How a connection ends: once, last, and never under the caller's feet.
#include "loopback.hpp"

namespace headlight::tests {
namespace {

using namespace p2p;
using namespace p2p::asio;

class Closing : public Loopback {};

TEST_F(Closing, IsToldOnceAndNeverFromWithinTheCall) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    connection->close();
    connection->close();
    connection->close(true);
    EXPECT_EQ(record.events, "C");
    EXPECT_FALSE(connection->send(Ping{1}));
    EXPECT_EQ(closed(record), CloseReason::local);
    EXPECT_EQ(record.events, "Cx");
    connection->close();
    settle();
    EXPECT_EQ(record.events, "Cx");
}

TEST_F(Closing, FlushesWhatIsQueued) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    connection->send(Ping{1});
    connection->send(Ping{2});
    connection->close(true);
    EXPECT_FALSE(connection->send(Ping{3}));
    settle();
    EXPECT_EQ(peer.read(64).size(), 64u);
    EXPECT_TRUE(peer.at_end());
    EXPECT_EQ(record.events, "C") << "the peer has not ended yet";
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::local);
    EXPECT_EQ(record.closed[0].bytes_sent, 64u);
}

TEST_F(Closing, FlushesMoreThanTheSystemTakesAtOnce) {
    Record theirs;
    const auto listener =
        Listener::open(*context, regtest(), 0, [&](auto) { return theirs.handlers(); });
    ASSERT_TRUE(listener);
    Record record;
    const auto connection = open(record, {"127.0.0.1", (*listener)->port()});
    run_until([&] { return record.connected(); });
    const std::vector<Message> sent{Unknown{"padding", 4'000'000}, Unknown{"padding", 4'000'000},
                                    Ping{1}};
    for (const auto& message : sent)
        EXPECT_TRUE(connection->send(message));
    connection->close(true);
    EXPECT_EQ(closed(theirs), CloseReason::peer_closed);
    EXPECT_EQ(theirs.messages, sent);
    EXPECT_EQ(closed(record), CloseReason::local);
}

TEST_F(Closing, FlushesToAPeerThatStillTalks) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    for (std::uint64_t i = 0; i < 100; ++i)
        peer.write(Ping{i});
    connection->send(Pong{1});
    connection->close(true);
    settle();
    EXPECT_TRUE(record.messages.empty()) << "delivered after close()";
    EXPECT_EQ(peer.read(32), encode_frame(regtest(), Pong{1}));
    EXPECT_TRUE(peer.at_end());
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::local);
}

TEST_F(Closing, FlushesToAPeerThatHasEndedItsSide) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    // More than the system's buffers hold, so that the end is seen while the write is under way.
    for (int i = 0; i < 7; ++i)
        connection->send(Unknown{"padding", 1'000'000});
    connection->close(true);
    settle();
    peer.end_writing();
    settle();
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(peer.read(1'000'024).size(), 1'000'024u);
        settle();
    }
    EXPECT_TRUE(peer.at_end());
    EXPECT_EQ(closed(record), CloseReason::local);
}

TEST_F(Closing, FlushesForABoundedTime) {
    for (const std::size_t messages : {0u, 7u}) {
        RawPeer peer; // reads nothing and stays
        Record record;
        const auto connection = open(record, peer, {.flush_timeout = 100ms});
        for (std::size_t i = 0; i < messages; ++i) {
            connection->send(Unknown{"padding", 1'000'000});
        }
        const auto start = std::chrono::steady_clock::now();
        connection->close(true);
        EXPECT_EQ(closed(record), CloseReason::local);
        EXPECT_GE(std::chrono::steady_clock::now() - start, 100ms);
    }
}

TEST_F(Closing, CanCutAFlushShort) {
    RawPeer peer;
    Record record;
    const auto connection = open(record, peer);
    connection->close(true);
    settle();
    EXPECT_EQ(record.events, "C");
    connection->close(false);
    EXPECT_EQ(closed(record), CloseReason::local);
}

TEST_F(Closing, DeliversNothingAfterACloseInsideAHandler) {
    for (const bool flush : {false, true}) {
        RawPeer peer;
        Record record;
        const auto connection = open(record, peer);
        record.on_message = [&](const Message&) {
            connection->send(Pong{1});
            connection->close(flush);
        };
        auto two = encode_frame(regtest(), Ping{1});
        const auto second = encode_frame(regtest(), Ping{2});
        two.insert(two.end(), second.begin(), second.end());
        peer.write(two);
        run_until([&] { return !record.messages.empty(); });
        settle();
        if (flush) {
            EXPECT_EQ(peer.read(32), encode_frame(regtest(), Pong{1}));
        }
        peer.close();
        EXPECT_EQ(closed(record), CloseReason::local);
        EXPECT_EQ(record.events, "Cmx");
    }
}

TEST_F(Closing, MayBeAskedForInTheFirstHandler) {
    RawPeer peer;
    Record record;
    std::shared_ptr<Connection> connection;
    record.on_connected = [&] { connection->close(); };
    connection = open(record, {"127.0.0.1", peer.port()});
    EXPECT_EQ(closed(record), CloseReason::local);
    EXPECT_EQ(record.events, "Cx");
}

TEST_F(Closing, OutlivesItsPointer) {
    RawPeer peer;
    Record record;
    auto connection = open(record, peer);
    record.on_message = [&](const Message&) {
        if (connection) connection->send(Pong{1});
        connection.reset();
    };
    peer.write(Ping{1});
    peer.write(Ping{2});
    run_until([&] { return record.messages.size() == 2; });
    settle();
    EXPECT_EQ(peer.read(32), encode_frame(regtest(), Pong{1}));
    peer.close();
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
}

TEST_F(Closing, MayDropThePointerInEveryHandler) {
    for (const char last : {'C', 'm', 'x'}) {
        RawPeer peer;
        auto connection = std::make_shared<std::shared_ptr<Connection>>();
        std::string events;
        const auto on = [&events, connection, last](char event) {
            events += event;
            if (event == last) connection->reset();
        };
        *connection = Connection::open(*context, regtest(), {"127.0.0.1", peer.port()}, 3s,
                                       {[=] { on('C'); },
                                        [=](const Message&) { on('m'); },
                                        {},
                                        [=](const Closed&) { on('x'); }});
        run_until([&] { return events == "C"; });
        peer.accept();
        peer.write(Ping{1});
        run_until([&] { return events == "Cm"; });
        peer.close();
        run_until([&] { return events == "Cmx"; });
        EXPECT_EQ(*connection, nullptr);
    }
}

TEST_F(Closing, LetsGoOfTheHandlersAtTheEnd) {
    RawPeer peer;
    const auto token = std::make_shared<int>(0);
    bool done = false;
    const auto connection =
        Connection::open(*context, regtest(), {"127.0.0.1", peer.port()}, 3s,
                         {{}, {}, {}, [token, &done](const Closed&) { done = true; }});
    connection->close();
    EXPECT_GT(token.use_count(), 1);
    run_until([&] { return done; });
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(Closing, HappensInSilenceWhenTheContextIsDestroyed) {
    RawPeer peer;
    const auto token = std::make_shared<int>(0);
    std::string events;
    const auto handlers = [&] {
        return Connection::Handlers{[token, &events] { events += 'C'; },
                                    [token, &events](const Message&) { events += 'm'; },
                                    [token, &events](std::uint64_t) { events += 'p'; },
                                    [token, &events](const Closed&) { events += 'x'; }};
    };
    const auto start = [&](std::string host) {
        return Connection::open(*context, regtest(), {std::move(host), peer.port()}, 3s,
                                handlers());
    };
    const auto idle = start("127.0.0.1");
    const auto writing = start("127.0.0.1");
    const auto flushing = start("127.0.0.1");
    const auto listener = Listener::open(*context, regtest(), 0, [&](auto) { return handlers(); });
    ASSERT_TRUE(listener);
    const auto looped =
        Connection::open(*context, regtest(), {"127.0.0.1", (*listener)->port()}, 3s, handlers());
    run_until([&] { return events == "CCCCC"; });
    for (int i = 0; i < 7; ++i) {
        writing->send(Unknown{"padding", 1'000'000});
        flushing->send(Unknown{"padding", 1'000'000});
    }
    flushing->close(true);
    settle();
    const auto closing = start("127.0.0.1");
    const auto resolving = start("localhost");
    const auto never_run = start("127.0.0.1");
    closing->close();
    context.reset();
    EXPECT_EQ(events.find('x'), std::string::npos);
    EXPECT_EQ(token.use_count(), 1) << "something leaked";
    for (const auto& connection :
         {idle, writing, flushing, looped, closing, resolving, never_run}) {
        EXPECT_FALSE(connection->send(Ping{1})); // the pointer may outlive the context
        connection->close(true);
        EXPECT_EQ(connection->bytes_received(), 0u);
    }
    EXPECT_GT(writing->bytes_sent(), 0u);
}

TEST_F(Closing, PassesAHandlersExceptionToWhoeverRunsTheContext) {
    RawPeer peer;
    const auto connection =
        Connection::open(*context, regtest(), {"127.0.0.1", peer.port()}, 3s,
                         {[] { throw std::runtime_error("a handler's"); }, {}, {}, {}});
    EXPECT_THROW(context->run_for(3s), std::runtime_error);
}

TEST_F(Closing, HasAWordForEveryReason) {
    for (const auto reason :
         {CloseReason::local, CloseReason::resolve_failed, CloseReason::connect_failed,
          CloseReason::peer_closed, CloseReason::network_error, CloseReason::frame_fault,
          CloseReason::write_timeout, CloseReason::queue_full}) {
        EXPECT_NE(to_string(reason), "unknown reason");
    }
}

} // namespace
} // namespace headlight::tests
