// A node on a real loopback port, in its own thread, as simple as a test needs it: the handshake,
// an empty chain, and a mempool that takes every transaction.
#pragma once

#include "p2p/asio/connection.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <thread>

namespace headlight::tests {

class FakeNode {
  public:
    explicit FakeNode(chain::NetworkId network = chain::NetworkId::regtest,
                      std::uint64_t services = p2p::services::network | p2p::services::bloom);
    ~FakeNode();
    FakeNode(const FakeNode&) = delete;
    FakeNode& operator=(const FakeNode&) = delete;

    p2p::Endpoint endpoint() const { return {.host = "127.0.0.1", .port = port_}; }
    /// Messages of BIP-37 that came: only a node with NODE_BLOOM takes them.
    int filter_messages() const { return filter_messages_; }

  private:
    struct Context; // keeps Asio out of here
    p2p::asio::Connection::Handlers accept(std::shared_ptr<p2p::asio::Connection> peer);
    void answer(p2p::asio::Connection& peer, const p2p::Message& message);

    std::unique_ptr<Context> context_;
    std::map<chain::Hash256, chain::Transaction> mempool_;
    std::uint64_t services_;
    std::atomic<int> filter_messages_ = 0;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

} // namespace headlight::tests
