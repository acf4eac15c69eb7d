// The client's side of SOCKS5 (RFC 1928, with the user name and password of RFC 1929): bytes in,
// bytes out. A name is handed to the proxy as a name, so that nobody else is asked for its address.
#pragma once

#include "p2p/address.hpp"

#include <optional>

namespace headlight::p2p {

/// Tor gives each pair a circuit of its own (IsolateSOCKSAuth), and knows no accounts.
struct Socks5Credentials {
    std::string user; ///< both of 1 to 255 bytes
    std::string password;
};

struct Socks5Failure {
    enum class Of {
        proxy, ///< it is none, or it does not serve us
        peer,  ///< it cannot or may not reach the peer
    };
    Of of = Of::proxy;
    std::string cause;

    friend bool operator==(const Socks5Failure&, const Socks5Failure&) = default;
};

/// "host unreachable (reply 4)": RFC 1928's, and those that Tor adds (its proposal 304).
std::string socks5_reply(std::uint8_t code);

/// One CONNECT. Call start(), send what a step says, and feed what comes, wanted() bytes at most,
/// until a step is done or a failure: the byte behind the last wanted one is the peer's.
class Socks5 {
  public:
    struct Step {
        Bytes send{};
        std::optional<Socks5Failure> failure{};
        bool done = false; ///< the line leads to the peer now
    };

    Socks5(Endpoint target, Socks5Credentials credentials);

    /// Fails for a host, a name or a password that SOCKS5 cannot carry.
    Step start();
    /// Takes no more than wanted() bytes.
    Step on(ByteView bytes);
    /// The line broke. Behind our request the blame is the way to the peer's: Tor, for one, closes
    /// late circuits without a reply.
    Step lost(std::string why);
    /// 0 once it is done or has failed.
    std::size_t wanted() const { return wanted_ - have_.size(); }
    /// The proxy wanted no user name: connections are not kept apart by it.
    bool anonymous() const { return anonymous_; }

  private:
    enum class Stage { method, authentication, verdict, bound_form, bound_length, bound, ended };

    Step take();
    Step on_method();
    Step on_authentication();
    Step on_verdict();
    Step on_bound_form();
    Step request();
    Step fail(Socks5Failure::Of of, std::string cause);
    Step done();
    Step expect(Stage stage, std::size_t bytes, Bytes send = {});

    Endpoint target_;
    Socks5Credentials credentials_;
    Stage stage_ = Stage::ended;
    std::size_t wanted_ = 0;
    Bytes have_;
    bool anonymous_ = false;
};

} // namespace headlight::p2p
