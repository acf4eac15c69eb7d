// A SOCKS5 proxy on loopback in its own thread, which knows the way to the names it is told.
#pragma once

#include "p2p/address.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace headlight::tests {

class SocksProxy {
  public:
    struct Request {
        std::string user;     ///< empty where none was asked for
        std::string password; ///< the same
        std::uint8_t form = 0;
        std::string host;
        std::uint16_t port = 0;
    };
    struct Behaviour {
        std::uint8_t method = 2;
        std::uint8_t login_status = 0;
        /// Whom to connect for which name; all others get the reply 4.
        std::map<std::string, p2p::Endpoint> routes{};
    };

    explicit SocksProxy(Behaviour behaviour);
    ~SocksProxy();
    SocksProxy(const SocksProxy&) = delete;
    SocksProxy& operator=(const SocksProxy&) = delete;

    p2p::Endpoint endpoint() const;
    std::vector<Request> requests() const;

  private:
    using Socket = boost::asio::ip::tcp::socket;

    void serve(Socket client);
    bool greet(Socket& client, Request& request) const;
    static bool read_request(Socket& client, Request& request);
    static void relay(Socket& from, Socket& to);

    Behaviour behaviour_;
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::atomic<bool> stopping_ = false;
    mutable std::mutex mutex_;
    std::vector<Request> requests_;
    std::vector<std::thread> lines_;
    std::thread thread_;
};

} // namespace headlight::tests
