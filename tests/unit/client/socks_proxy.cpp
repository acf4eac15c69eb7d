#include "tests/unit/client/socks_proxy.hpp"

#include "tests/unit/client/network_calls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>

namespace headlight::tests {
namespace {

using boost::asio::buffer;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int poll_milliseconds = 20;

/// Empty when they do not come.
Bytes read_bytes(tcp::socket& socket, std::size_t count) {
    Bytes bytes(count);
    error_code error;
    boost::asio::read(socket, buffer(bytes), error);
    return error ? Bytes{} : bytes;
}

std::string read_text(tcp::socket& socket) {
    const auto length = read_bytes(socket, 1);
    const auto text = length.empty() ? Bytes{} : read_bytes(socket, length[0]);
    return {text.begin(), text.end()};
}

void write_bytes(tcp::socket& socket, const Bytes& bytes) {
    error_code ignored;
    boost::asio::write(socket, buffer(bytes), ignored);
}

bool readable(tcp::socket::native_handle_type descriptor) {
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&wait, 1, poll_milliseconds) > 0;
}

} // namespace

SocksProxy::SocksProxy(Behaviour behaviour)
    : behaviour_(std::move(behaviour)),
      acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}) {
    thread_ = std::thread([this] {
        while (!stopping_) {
            if (!readable(acceptor_.native_handle())) continue;
            error_code error;
            auto client = acceptor_.accept(error);
            if (error) continue;
            lines_.emplace_back([this, line = std::move(client)]() mutable {
                const NetworkCalls::NotOurs not_ours;
                serve(std::move(line));
            });
        }
    });
}

SocksProxy::~SocksProxy() {
    stopping_ = true;
    thread_.join();
    for (auto& line : lines_)
        line.join();
}

p2p::Endpoint SocksProxy::endpoint() const {
    return {.host = "127.0.0.1", .port = acceptor_.local_endpoint().port()};
}

std::vector<SocksProxy::Request> SocksProxy::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void SocksProxy::serve(Socket client) {
    Request request;
    if (!greet(client, request) || !read_request(client, request)) return;
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
    }
    const auto route = behaviour_.routes.find(request.host);
    error_code error = boost::asio::error::host_unreachable;
    Socket peer(context_);
    if (route != behaviour_.routes.end()) {
        const auto address = boost::asio::ip::make_address(route->second.host);
        peer.connect({address, route->second.port}, error);
    }
    write_bytes(client, {5, static_cast<std::uint8_t>(error ? 4 : 0), 0, 1, 0, 0, 0, 0, 0, 0});
    if (error) return;
    // Until either side ends it.
    while (!stopping_ && client.is_open() && peer.is_open()) {
        relay(client, peer);
        if (peer.is_open()) relay(peer, client);
    }
}

bool SocksProxy::greet(Socket& client, Request& request) const {
    const auto head = read_bytes(client, 2);
    if (head.empty() || read_bytes(client, head[1]).empty()) return false;
    write_bytes(client, {5, behaviour_.method});
    if (behaviour_.method != 2) return behaviour_.method == 0;
    if (read_bytes(client, 1).empty()) return false;
    request.user = read_text(client);
    request.password = read_text(client);
    write_bytes(client, {1, behaviour_.login_status});
    return behaviour_.login_status == 0;
}

bool SocksProxy::read_request(Socket& client, Request& request) {
    const auto head = read_bytes(client, 4);
    if (head.empty()) return false;
    request.form = head[3];
    if (request.form == 3) {
        request.host = read_text(client);
    } else {
        const auto address = read_bytes(client, request.form == 1 ? 4 : 16);
        if (address.empty()) return false;
        if (request.form == 1)
            request.host =
                boost::asio::ip::address_v4({address[0], address[1], address[2], address[3]})
                    .to_string();
    }
    const auto port = read_bytes(client, 2);
    if (port.empty()) return false;
    request.port = static_cast<std::uint16_t>(port[0] << 8 | port[1]);
    return true;
}

void SocksProxy::relay(Socket& from, Socket& to) {
    if (!readable(from.native_handle())) return;
    Bytes bytes(65'536);
    error_code error;
    bytes.resize(from.read_some(buffer(bytes), error));
    if (!error) boost::asio::write(to, buffer(bytes), error);
    if (error) from.close(error);
}

} // namespace headlight::tests
