#include "conform/dial.hpp"

#include "chain/limits.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headlight::conform {

namespace {

using Clock = std::chrono::steady_clock;

int left(Clock::time_point end) {
    const auto ms = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(ms, 0));
}

/// What Tor takes for a wish to be kept apart (IsolateSOCKSAuth).
std::string random_word() {
    std::random_device device;
    chain::Writer writer;
    for (int i = 0; i < 4; ++i)
        writer.u32(device());
    return to_hex(writer.data());
}

result<void> look_up(const p2p::Endpoint& endpoint, int flags, NodeAddress& address) {
    addrinfo hints{};
    hints.ai_flags = flags;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const auto port = std::to_string(endpoint.port);
    if (const int error = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found))
        return Error{errc::no_peer, "no address is known for " + to_string(endpoint),
                     gai_strerror(error), "Check the name"};
    address.family = found->ai_family;
    address.socket_address.resize(found->ai_addrlen);
    std::memcpy(address.socket_address.data(), found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return {};
}

Ended no_connection(const NodeAddress& node, const std::string& why) {
    const auto who = node.behind ? "the proxy " + node.behind->proxy : node.name;
    return {skipped(who + " takes no connection: " + why)};
}

Ended no_way(const NodeAddress& node, const p2p::Socks5Failure& failure) {
    const bool of_node = failure.of == p2p::Socks5Failure::Of::peer;
    return {skipped("the proxy " + node.behind->proxy +
                    (of_node ? " does not reach " + node.name : " does not serve us") + ": " +
                    failure.cause)};
}

void connect_by(Clock::time_point end, const NodeAddress& node, int handle) {
    const auto* address = reinterpret_cast<const sockaddr*>(node.socket_address.data());
    if (connect(handle, address, static_cast<socklen_t>(node.socket_address.size())) == 0) return;
    int error = errno;
    if (error == EINPROGRESS) {
        socklen_t size = sizeof error;
        error = ETIMEDOUT;
        if (ready(handle, POLLOUT, end)) getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) throw no_connection(node, std::strerror(error));
}

/// What comes of `wanted` bytes at most: the one behind them is the node's.
p2p::Socks5::Step hear_proxy(p2p::Socks5& socks, int handle, Clock::time_point end) {
    Bytes answer(socks.wanted());
    for (;;) {
        if (!ready(handle, POLLIN, end)) return socks.lost("it did not answer in time");
        const auto count = recv(handle, answer.data(), answer.size(), 0);
        if (count > 0) return socks.on(ByteView(answer).first(static_cast<std::size_t>(count)));
        if (count == 0) return socks.lost("it closed the connection without an answer");
        if (errno != EAGAIN && errno != EINTR) return socks.lost(std::strerror(errno));
    }
}

void pass_proxy(const NodeAddress& node, int handle, Clock::time_point end) {
    p2p::Socks5 socks(node.behind->node, node.behind->credentials);
    auto step = socks.start();
    while (!step.done && !step.failure) {
        // Some hundred bytes, which a fresh connection takes at once; where not, the answer tells.
        (void)send(handle, step.send.data(), step.send.size(), MSG_NOSIGNAL);
        step = hear_proxy(socks, handle, end);
    }
    if (step.failure) throw no_way(node, *step.failure);
}

} // namespace

Deadlines NodeAddress::deadlines() const {
    Deadlines waits;
    if (!behind) return waits;
    waits.connect = milliseconds(limits::proxy_connect_timeout_ms);
    waits.answer *= 2;
    waits.quiet *= 10;
    return waits;
}

result<NodeAddress> resolve(const chain::Network& network, const p2p::Endpoint& node,
                            const std::optional<p2p::Endpoint>& proxy) {
    NodeAddress address;
    address.network = &network;
    address.name = to_string(node);
    const auto found = look_up(proxy.value_or(node), proxy ? AI_NUMERICHOST : 0, address);
    if (!found) return found.error();
    if (proxy) address.behind = {node, {random_word(), random_word()}, to_string(*proxy)};
    return address;
}

Error no_talk(const NodeAddress& node, const std::string& cause) {
    return {errc::no_peer, "the node at " + node.name + " cannot be spoken to", cause,
            node.behind ? "Check --proxy, the node's name and --network, and that the node listens"
                        : "Check the address and --network, and that the node listens"};
}

Socket::~Socket() {
    if (handle_ >= 0) close(handle_);
}

bool ready(int handle, short events, Clock::time_point end) {
    pollfd one{handle, events, 0};
    for (;;) {
        const int count = poll(&one, 1, left(end));
        if (count < 0 && errno == EINTR) continue;
        return count > 0;
    }
}

Socket dial(const NodeAddress& node, const Deadlines& deadlines) {
    const auto end = Clock::now() + deadlines.connect;
    Socket socket(::socket(node.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket.handle() < 0) throw no_connection(node, std::strerror(errno));
    const int at_once = 1; // small messages must not wait for acknowledgements
    setsockopt(socket.handle(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    connect_by(end, node, socket.handle());
    if (node.behind) pass_proxy(node, socket.handle(), end);
    return socket;
}

} // namespace headlight::conform
