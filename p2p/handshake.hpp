// The version handshake as a state machine: takes messages, says what to send and when it is done.
// It never announces relay (the filter is not loaded yet) and never sends wtxidrelay.
#pragma once

#include "p2p/message.hpp"

namespace headlight::p2p {

/// Why a peer is of no use after its version came.
enum class HandshakeRefusal {
    own_nonce,    ///< we reached ourselves
    old_version,  ///< below least_protocol_version
    out_of_order, ///< a second version, or a verack before the version
};

class Handshake {
  public:
    struct Config {
        std::uint64_t nonce = 0; ///< random, handed in
        std::int32_t start_height = 0;
        std::int64_t time = 0; ///< now, seconds since 1970
        std::string user_agent;
        bool relay = false;
    };

    explicit Handshake(Config config) : config_(std::move(config)) {}

    /// What an outbound connection says first. Nothing of the peer's or our own address is told.
    Message greeting() const;

    struct Step {
        std::vector<Message> send;
        bool done = false; ///< both veracks are through
        std::optional<HandshakeRefusal> refusal{};
    };
    /// Messages other than version and verack are tolerated and left to nobody.
    Step on(const Message& message);

    bool done() const { return got_version_ && got_verack_; }
    /// The peer's version message, once it came.
    const std::optional<Version>& peer() const { return peer_; }

  private:
    Step on_version(const Version& version);
    static Step refuse(HandshakeRefusal refusal);

    Config config_;
    std::optional<Version> peer_;
    bool got_version_ = false;
    bool got_verack_ = false;
};

} // namespace headlight::p2p
