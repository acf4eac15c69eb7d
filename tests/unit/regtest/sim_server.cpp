// A simulated node behind a real port, with the real connection on the other side.
#include "regtest/sim_server.hpp"
#include "p2p/asio/connection.hpp"
#include "p2p/handshake.hpp"
#include "tests/unit/regtest/dialogue.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

using namespace headlight;
using namespace headlight::regtest;
using p2p::asio::CloseReason;
using p2p::asio::Connection;

namespace {

/// Shakes hands, asks for all headers, then for the tip's filtered block, and keeps what comes.
class Visit {
  public:
    explicit Visit(const std::string& fault) : node_(chain_, config(fault)) {
        BlockPlan plan;
        plan.transactions = {chain_.pay(Bytes{0x51, 0x52}, 1)};
        node_.mine(0, plan);
        server_ = SimServer::open(context_, node_).value();
        connection_ = Connection::open(
            context_, chain_.network(), {"127.0.0.1", server_->port()}, std::chrono::seconds(5),
            {.connected = [this] { connection_->send(handshake_.greeting()); },
             .message = [this](const p2p::Message& message) { take(message); },
             .progress = [](std::uint64_t) {},
             .closed = [this](const p2p::asio::Closed& closed) { closed_ = closed; }});
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!closed_ && std::chrono::steady_clock::now() < limit)
            context_.run_one_for(std::chrono::seconds(1));
    }

    CloseReason reason() const { return closed_.value().reason; }
    const std::vector<p2p::Message>& heard() const { return heard_; }
    SimNode& node() { return node_; }

  private:
    static SimNodeConfig config(const std::string& fault) {
        SimNodeConfig config;
        if (!fault.empty()) config.faults.push_back(parse_fault(fault).value());
        return config;
    }

    void take(const p2p::Message& message) {
        heard_.push_back(message);
        const auto step = handshake_.on(message);
        for (const auto& answer : step.send)
            connection_->send(answer);
        if (step.done && !asked_) {
            asked_ = true;
            connection_->send(bip37::FilterLoad{{Bytes(8, 0xff), 1, 0, bip37::UpdateFlags::all}});
            connection_->send(p2p::GetData{{{p2p::InvType::filtered_block, node_.tip().hash}}});
            connection_->send(p2p::Ping{5});
        }
        if (message == p2p::Message(p2p::Pong{5})) connection_->close();
    }

    boost::asio::io_context context_;
    ChainBuilder chain_;
    SimNode node_;
    std::unique_ptr<SimServer> server_;
    std::shared_ptr<Connection> connection_;
    p2p::Handshake handshake_{{.nonce = 3, .user_agent = "/visit/"}};
    bool asked_ = false;
    std::vector<p2p::Message> heard_;
    std::optional<p2p::asio::Closed> closed_;
};

} // namespace

TEST(SimServer, ServesARealConnection) {
    Visit visit("");
    EXPECT_EQ(visit.reason(), CloseReason::local);
    EXPECT_EQ(tests::all_of<bip37::MerkleBlock>(visit.heard()).size(), 1U);
    EXPECT_EQ(tests::all_of<p2p::Tx>(visit.heard()).size(), 2U);
}

TEST(SimServer, CarriesFaultsOntoTheWire) {
    EXPECT_EQ(Visit("huge-frame").reason(), CloseReason::frame_fault);
    EXPECT_EQ(Visit("over-upload-limit").reason(), CloseReason::peer_closed);
    const auto noisy = Visit("noise");
    EXPECT_EQ(noisy.reason(), CloseReason::frame_fault);
    EXPECT_TRUE(noisy.heard().empty());
}

TEST(SimServer, SlowsItsLinkDown) {
    const auto start = std::chrono::steady_clock::now();
    Visit visit("slow"); // some 600 bytes at 10,000 a second, in pieces of 1,000
    EXPECT_EQ(visit.reason(), CloseReason::local);
    EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(90));
}
