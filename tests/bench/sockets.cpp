#include "tests/bench/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headlight::bench {

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

void send_at_once(int handle) {
    const int on = 1;
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

} // namespace

Socket::~Socket() {
    if (handle_ >= 0) close(handle_);
}

Socket connect_to(std::uint16_t port) {
    Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = loopback(port);
    if (connect(made.handle(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return Socket();
    send_at_once(made.handle());
    return made;
}

Socket listen_on_loopback(std::uint16_t& port) {
    Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(made.handle(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(made.handle(), 8) != 0 ||
        getsockname(made.handle(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return Socket();
    port = ntohs(address.sin_port);
    return made;
}

Socket accept_from(const Socket& listener) {
    Socket made(accept4(listener.handle(), nullptr, nullptr, SOCK_CLOEXEC));
    if (made.valid()) send_at_once(made.handle());
    return made;
}

bool write_all(int handle, ByteView bytes) {
    while (!bytes.empty()) {
        const auto sent = send(handle, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace headlight::bench
