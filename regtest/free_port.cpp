#include "regtest/free_port.hpp"

#include <random>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headlight::regtest {

namespace {

bool bindable(std::uint16_t port) {
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool bound = bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(handle);
    return bound;
}

} // namespace

std::uint16_t free_port() {
    std::random_device random;
    std::uniform_int_distribution<std::uint16_t> pick(20'000, 32'000);
    std::uint16_t port = pick(random);
    while (!bindable(port))
        port = pick(random);
    return port;
}

} // namespace headlight::regtest
