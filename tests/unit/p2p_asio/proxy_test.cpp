// A connection through a SOCKS5 proxy: the proxy is a raw peer, and the test speaks for it.
#include "loopback.hpp"

namespace headlight::tests {
namespace {

using namespace p2p;
using namespace p2p::asio;

const Bytes proxy_succeeds{5, 0, 0, 1, 127, 0, 0, 1, 0, 80};

class ThroughProxy : public Loopback {
  protected:
    Proxy at_proxy() { return {{"127.0.0.1", proxy.port()}, {"us", "pw"}}; }

    /// The proxy has accepted the connection and read the offer of methods.
    std::shared_ptr<Connection> start(const Endpoint& peer,
                                      std::chrono::milliseconds timeout = 3s) {
        auto handlers = record.handlers();
        handlers.remark = [this](std::string_view text) { remarks.emplace_back(text); };
        auto connection = Connection::open(*context, regtest(), peer, timeout, std::move(handlers),
                                           {}, at_proxy());
        settle();
        proxy.accept();
        EXPECT_EQ(hear(4), (Bytes{5, 2, 2, 0}));
        return connection;
    }
    Bytes hear(std::size_t count) {
        settle();
        return proxy.read(count);
    }
    void say(ByteView bytes) {
        proxy.write(bytes);
        settle();
    }
    /// Up to the reply, with a user name.
    Bytes ask() {
        say(Bytes{5, 2});
        EXPECT_EQ(hear(7), (Bytes{1, 2, 'u', 's', 2, 'p', 'w'}));
        say(Bytes{1, 0});
        return hear(4 + 1 + 10 + 2);
    }

    RawPeer proxy;
    Record record;
    std::vector<std::string> remarks;
};

TEST_F(ThroughProxy, ReachesAPeerOfWhichOnlyTheProxyKnowsWhereItIs) {
    const auto connection = start({"node.onion", 8333});
    EXPECT_TRUE(connection->send(Ping{1})); // waits for the peer
    const Bytes wanted{5,   1,   0,   3,   10,  'n', 'o',  'd', 'e',
                       '.', 'o', 'n', 'i', 'o', 'n', 0x20, 0x8d};
    EXPECT_EQ(ask(), wanted);
    EXPECT_FALSE(record.connected());
    // The peer's first message comes right behind the reply.
    auto reply = proxy_succeeds;
    const auto first = encode_frame(regtest(), Ping{2});
    reply.insert(reply.end(), first.begin(), first.end());
    say(reply);
    run_until([&] { return !record.messages.empty(); });
    EXPECT_TRUE(record.connected());
    EXPECT_EQ(record.messages, std::vector<Message>{Ping{2}});
    const auto ours = encode_frame(regtest(), Ping{1});
    EXPECT_EQ(hear(ours.size()), ours);
    EXPECT_TRUE(remarks.empty());
    proxy.close();
    EXPECT_EQ(closed(record), CloseReason::peer_closed);
}

TEST_F(ThroughProxy, SaysWhenTheProxyKeepsNoPeersApart) {
    const auto connection = start({"192.0.2.1", 8333});
    say(Bytes{5, 0});
    EXPECT_EQ(hear(10), (Bytes{5, 1, 0, 1, 192, 0, 2, 1, 0x20, 0x8d}));
    say(proxy_succeeds);
    run_until([&] { return record.connected(); });
    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_NE(remarks[0].find("no user name"), std::string::npos);
}

TEST_F(ThroughProxy, NamesTheReplyOfAProxyThatDoesNotReachThePeer) {
    const auto connection = start({"node.onion", 8333});
    ask();
    proxy.write(Bytes{5, 4});
    proxy.close(); // as some do, without the rest
    EXPECT_EQ(closed(record), CloseReason::proxy_failed);
    EXPECT_EQ(record.closed[0].detail, socks5_reply(4));
    EXPECT_EQ(record.events, "x");
}

TEST_F(ThroughProxy, TellsAProxyThatRefusesUsFromAPeerThatIsNotReached) {
    const auto connection = start({"node.onion", 8333});
    say(Bytes{5, 0xff});
    EXPECT_EQ(closed(record), CloseReason::proxy_refused);
}

TEST_F(ThroughProxy, AProxyThatClosesBeforeTheRequestRefuses) {
    const auto connection = start({"node.onion", 8333});
    proxy.close();
    EXPECT_EQ(closed(record), CloseReason::proxy_refused);
    EXPECT_NE(record.closed[0].detail.find("without an answer"), std::string::npos);
}

TEST_F(ThroughProxy, AProxyThatClosesBehindTheRequestDoesNotReachThePeer) {
    const auto connection = start({"node.onion", 8333});
    ask();
    proxy.close();
    EXPECT_EQ(closed(record), CloseReason::proxy_failed);
}

TEST_F(ThroughProxy, GivesASilentProxyOneDeadlineForAll) {
    const auto start_time = std::chrono::steady_clock::now();
    const auto connection = start({"node.onion", 8333}, 400ms);
    ask();
    EXPECT_EQ(closed(record), CloseReason::proxy_failed);
    EXPECT_NE(record.closed[0].detail.find("in time"), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - start_time, 3s);
}

TEST_F(ThroughProxy, CanBeClosedAtAnyStep) {
    const auto connection = start({"node.onion", 8333});
    say(Bytes{5, 2});
    connection->close(true);
    EXPECT_EQ(closed(record), CloseReason::local);
    EXPECT_EQ(record.events, "x");
}

TEST_F(ThroughProxy, NamesAProxyThatIsNotThere) {
    const auto gone = at_proxy();
    proxy.acceptor().close();
    const auto connection =
        Connection::open(*context, regtest(), {"127.0.0.1", 1}, 3s, record.handlers(), {}, gone);
    EXPECT_EQ(closed(record), CloseReason::no_proxy);
    EXPECT_NE(record.closed[0].detail.find("refused"), std::string::npos);
}

TEST_F(ThroughProxy, LooksUpNoProxyByName) {
    Proxy named = at_proxy();
    named.at.host = "localhost";
    const auto connection =
        Connection::open(*context, regtest(), {"127.0.0.1", 1}, 3s, record.handlers(), {}, named);
    EXPECT_EQ(closed(record), CloseReason::no_proxy);
}

} // namespace
} // namespace headlight::tests
