#include "tests/unit/client/network_calls.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <mutex>

namespace headlight::tests {
namespace {

struct Calls {
    std::mutex mutex;
    std::set<p2p::Endpoint> destinations;
    std::vector<std::string> lookups;
};

Calls& calls() {
    static Calls made;
    return made;
}

thread_local bool not_ours = false;

/// The system's function of that name, behind ours.
template <class Function>
Function* systems(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void count_destination(const sockaddr* address) {
    if (not_ours || !address) return;
    std::array<char, INET6_ADDRSTRLEN> text{};
    p2p::Endpoint endpoint;
    if (address->sa_family == AF_INET) {
        const auto* four = reinterpret_cast<const sockaddr_in*>(address);
        inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
        endpoint = {text.data(), ntohs(four->sin_port)};
    } else if (address->sa_family == AF_INET6) {
        const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
        inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
        endpoint = {text.data(), ntohs(six->sin6_port)};
    } else {
        endpoint.host = "family " + std::to_string(address->sa_family);
    }
    const std::lock_guard lock(calls().mutex);
    calls().destinations.insert(endpoint);
}

void count_lookup(const char* name) {
    const std::lock_guard lock(calls().mutex);
    calls().lookups.emplace_back(name ? name : "");
}

} // namespace

NetworkCalls::NetworkCalls() {
    const std::lock_guard lock(calls().mutex);
    calls().destinations.clear();
    calls().lookups.clear();
}

std::set<p2p::Endpoint> NetworkCalls::destinations() {
    const std::lock_guard lock(calls().mutex);
    return calls().destinations;
}

std::vector<std::string> NetworkCalls::lookups() {
    const std::lock_guard lock(calls().mutex);
    return calls().lookups;
}

NetworkCalls::NotOurs::NotOurs() { not_ours = true; }

} // namespace headlight::tests

extern "C" {

int connect(int descriptor, const sockaddr* address, socklen_t length) {
    headlight::tests::count_destination(address);
    static const auto call =
        headlight::tests::systems<int(int, const sockaddr*, socklen_t)>("connect");
    return call(descriptor, address, length);
}

ssize_t sendto(int descriptor, const void* data, size_t size, int flags, const sockaddr* address,
               socklen_t length) {
    headlight::tests::count_destination(address);
    static const auto call = headlight::tests::systems<ssize_t(
        int, const void*, size_t, int, const sockaddr*, socklen_t)>("sendto");
    return call(descriptor, data, size, flags, address, length);
}

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
    headlight::tests::count_lookup(name);
    static const auto call =
        headlight::tests::systems<int(const char*, const char*, const addrinfo*, addrinfo**)>(
            "getaddrinfo");
    return call(name, service, hints, found);
}

hostent* gethostbyname(const char* name) {
    headlight::tests::count_lookup(name);
    static const auto call = headlight::tests::systems<hostent*(const char*)>("gethostbyname");
    return call(name);
}
}
