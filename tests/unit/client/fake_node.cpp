#include "tests/unit/client/fake_node.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace headlight::tests {

using p2p::asio::Connection;

struct FakeNode::Context {
    boost::asio::io_context io;
    std::unique_ptr<p2p::asio::Listener> listener;
};

FakeNode::FakeNode(chain::NetworkId network, std::uint64_t services)
    : context_(std::make_unique<Context>()), services_(services) {
    auto listener = p2p::asio::Listener::open(
        context_->io, chain::network(network), 0,
        [this](std::shared_ptr<Connection> peer) { return accept(peer); });
    context_->listener = std::move(listener.value());
    port_ = context_->listener->port();
    thread_ = std::thread([this] {
        const auto work = boost::asio::make_work_guard(context_->io);
        context_->io.run();
    });
}

FakeNode::~FakeNode() {
    context_->io.stop();
    thread_.join();
}

Connection::Handlers FakeNode::accept(std::shared_ptr<Connection> peer) {
    // The handle that its own handlers hold keeps no socket open.
    return {.connected = [] {},
            .message = [this, peer](const p2p::Message& message) { answer(*peer, message); },
            .progress = [](std::uint64_t) {},
            .closed = [](const p2p::asio::Closed&) {}};
}

void FakeNode::answer(Connection& peer, const p2p::Message& message) {
    if (std::holds_alternative<bip37::FilterLoad>(message) ||
        std::holds_alternative<bip37::FilterAdd>(message) ||
        std::holds_alternative<p2p::Mempool>(message))
        ++filter_messages_;
    if (std::holds_alternative<p2p::Version>(message)) {
        peer.send(p2p::Version{.services = services_, .nonce = 7, .user_agent = "/fake/"});
        peer.send(p2p::Verack{});
    } else if (const auto* ping = std::get_if<p2p::Ping>(&message)) {
        peer.send(p2p::Pong{ping->nonce.value_or(0)});
    } else if (std::holds_alternative<p2p::GetHeaders>(message)) {
        peer.send(p2p::Headers{});
    } else if (const auto* inv = std::get_if<p2p::Inv>(&message)) {
        peer.send(p2p::GetData{inv->entries});
    } else if (const auto* tx = std::get_if<p2p::Tx>(&message)) {
        mempool_[chain::txid(tx->transaction)] = tx->transaction;
    } else if (const auto* getdata = std::get_if<p2p::GetData>(&message)) {
        for (const auto& entry : getdata->entries)
            if (const auto found = mempool_.find(entry.hash); found != mempool_.end())
                peer.send(p2p::Tx{found->second});
    }
}

} // namespace headlight::tests
