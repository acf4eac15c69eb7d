// The version handshake.
#include "p2p/handshake.hpp"

namespace headlight::p2p {

Message Handshake::greeting() const {
    Version version;
    version.time = config_.time;
    version.nonce = config_.nonce;
    version.user_agent = config_.user_agent;
    version.start_height = config_.start_height;
    version.relay = config_.relay;
    return version;
}

Handshake::Step Handshake::on(const Message& message) {
    if (const auto* version = std::get_if<Version>(&message)) return on_version(*version);
    if (std::holds_alternative<Verack>(message)) {
        if (!got_version_) return refuse(HandshakeRefusal::out_of_order);
        got_verack_ = true; // a second one changes nothing, as on Bitcoin Core
    }
    return {{}, done()};
}

Handshake::Step Handshake::on_version(const Version& version) {
    if (peer_) return refuse(HandshakeRefusal::out_of_order);
    peer_ = version;
    if (version.nonce == config_.nonce) return refuse(HandshakeRefusal::own_nonce);
    if (version.version < least_protocol_version) return refuse(HandshakeRefusal::old_version);
    got_version_ = true;
    return {{Verack{}}, false};
}

Handshake::Step Handshake::refuse(HandshakeRefusal refusal) { return {{}, false, refusal}; }

} // namespace headlight::p2p
