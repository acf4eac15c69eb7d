// The handle that callers hold.
#include "p2p/asio/connection.hpp"

#include "p2p/asio/session.hpp"

namespace headlight::p2p::asio {
namespace {

class Handle final : public Connection {
  public:
    explicit Handle(const std::shared_ptr<Session>& session)
        : session_(session), traffic_(session->traffic()) {}

    bool send(const Message& message) override {
        const auto session = session_.lock();
        return session && session->send(message);
    }
    void close(bool flush) override {
        if (const auto session = session_.lock()) session->close(flush);
    }
    std::uint64_t bytes_received() const override { return traffic_->received; }
    std::uint64_t bytes_sent() const override { return traffic_->sent; }

  private:
    std::weak_ptr<Session> session_;
    std::shared_ptr<const Traffic> traffic_;
};

} // namespace

std::string_view to_string(CloseReason reason) {
    switch (reason) {
    case CloseReason::local:
        return "closed by us";
    case CloseReason::resolve_failed:
        return "name not found";
    case CloseReason::connect_failed:
        return "no connection";
    case CloseReason::peer_closed:
        return "closed by the peer";
    case CloseReason::network_error:
        return "network error";
    case CloseReason::frame_fault:
        return "unreadable message";
    case CloseReason::write_timeout:
        return "write timed out";
    case CloseReason::queue_full:
        return "send queue full";
    case CloseReason::no_proxy:
        return "no connection to the proxy";
    case CloseReason::proxy_refused:
        return "refused by the proxy";
    case CloseReason::proxy_failed:
        return "not reached by the proxy";
    }
    return "unknown reason";
}

std::shared_ptr<Connection> Session::handle() {
    return std::make_shared<Handle>(shared_from_this());
}

std::shared_ptr<Connection> Connection::open(boost::asio::io_context& context,
                                             const chain::Network& network,
                                             const Endpoint& endpoint,
                                             std::chrono::milliseconds connect_timeout,
                                             Handlers handlers, const ConnectionBounds& bounds,
                                             const std::optional<Proxy>& proxy) {
    const auto session = std::make_shared<Session>(context, network, bounds);
    session->set_handlers(std::move(handlers));
    if (proxy)
        session->dial_through(*proxy, endpoint, connect_timeout);
    else
        session->dial(endpoint, connect_timeout);
    return session->handle();
}

} // namespace headlight::p2p::asio
