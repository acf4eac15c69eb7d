#include "tests/live/node/raw_peer.hpp"

#include <array>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headlight::tests {

namespace {
const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }
} // namespace

RawPeer::RawPeer(std::uint16_t port) : reader_(regtest()) {
    handle_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (connect(handle_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("nobody listens on port " + std::to_string(port));
    const int at_once = 1; // small messages must not wait for acknowledgements
    setsockopt(handle_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

RawPeer::~RawPeer() { close(handle_); }

void RawPeer::send(const p2p::Message& message) { send_raw(p2p::encode_frame(regtest(), message)); }

void RawPeer::send_raw(ByteView bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            closed_ = true;
            return;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

std::optional<p2p::Message> RawPeer::next(std::chrono::milliseconds wait) {
    for (;;) {
        auto message = reader_.next();
        if (!message)
            throw std::runtime_error("the node's bytes do not decode: " + message.error().detail);
        if (*message) return std::move(**message);
        pollfd ready{handle_, POLLIN, 0};
        if (poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return std::nullopt;
        std::array<std::uint8_t, 65'536> bytes;
        const auto got = recv(handle_, bytes.data(), bytes.size(), 0);
        if (got <= 0) {
            closed_ = true;
            return std::nullopt;
        }
        reader_.feed(ByteView(bytes).first(static_cast<std::size_t>(got)));
    }
}

std::vector<p2p::Message> RawPeer::until_pong(std::uint64_t nonce) {
    send(p2p::Ping{nonce});
    std::vector<p2p::Message> before;
    while (auto message = next()) {
        if (*message == p2p::Message(p2p::Pong{nonce})) break;
        before.push_back(std::move(*message));
    }
    return before;
}

} // namespace headlight::tests
