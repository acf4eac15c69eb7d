// Faults in the bytes on the wire.
#include "p2p/framing.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

Bytes frame(SimSession& session, const p2p::Message& message) {
    return p2p::encode_frame(session.node().chain().network(), message);
}

/// Changes the bytes of the n-th message after the handshake.
template <auto change>
void break_frame(SimSession& session, FaultState& state, Messages& messages) {
    const auto* message = std::get_if<p2p::Message>(&messages.front());
    if (!message || !session.established() || state.count++ != state.n) return;
    auto bytes = frame(session, *message);
    change(bytes);
    messages = {RawBytes{std::move(bytes)}};
}

void flip_checksum(Bytes& bytes) { bytes[20] ^= 1; }
void flip_magic(Bytes& bytes) { bytes[0] ^= 1; }
void huge_length(Bytes& bytes) { std::fill_n(bytes.begin() + 16, 4, std::uint8_t{0xff}); }
void too_long(Bytes& bytes) { // 4,000,001
    constexpr std::uint8_t length[] = {0x01, 0x09, 0x3d, 0x00};
    std::copy(std::begin(length), std::end(length), bytes.begin() + 16);
}
/// A whole block that is larger than any message may be.
void too_large_block(SimSession& session, FaultState&, Messages& messages) {
    if (!as<p2p::Block>(messages.front())) return;
    auto bytes = frame(session, std::get<p2p::Message>(messages.front()));
    too_long(bytes);
    messages = {RawBytes{std::move(bytes)}};
}
void unpadded_command(Bytes& bytes) { bytes[15] = 'x'; }
void noise(Bytes& bytes) {
    std::uint32_t state = 0x9e3779b9;
    bytes.resize(1'000);
    for (auto& byte : bytes) {
        state = state * 1'664'525 + 1'013'904'223;
        byte = static_cast<std::uint8_t>(state >> 24);
    }
}

void noise_for_version(SimSession&, FaultState&, Messages& messages) {
    if (!as<p2p::Version>(messages.front())) return;
    Bytes bytes;
    noise(bytes);
    messages = {RawBytes{std::move(bytes)}};
}

/// Half of a message's payload, in a good envelope.
template <class Wanted>
void truncate(SimSession& session, Messages& messages, const char* command) {
    if (!as<Wanted>(messages.front())) return;
    auto payload = p2p::encode_payload(std::get<p2p::Message>(messages.front()));
    payload.resize(payload.size() / 2);
    auto bytes = frame(session, p2p::Message(p2p::Unknown{command, payload.size()}));
    std::copy(payload.begin(), payload.end(), bytes.begin() + p2p::frame_header_bytes);
    const auto checksum = chain::hash256(payload);
    std::copy_n(checksum.bytes.begin(), 4, bytes.begin() + 20);
    messages = {RawBytes{std::move(bytes)}};
}

void truncated_payload(SimSession& session, FaultState&, Messages& messages) {
    truncate<p2p::Headers>(session, messages, "headers");
}

void invalid_transaction(SimSession& session, FaultState&, Messages& messages) {
    truncate<p2p::Tx>(session, messages, "tx");
}

} // namespace

std::vector<Fault> wire_faults() {
    return {
        {.name = "noise", .does = "noise in place of its version", .outgoing = noise_for_version},
        {.name = "wrong-magic",
         .does = "another magic on the n-th message after the handshake",
         .n = 3,
         .outgoing = break_frame<flip_magic>},
        {.name = "wrong-checksum",
         .does = "a bad checksum on the n-th message after the handshake",
         .n = 3,
         .outgoing = break_frame<flip_checksum>},
        {.name = "huge-frame",
         .does = "announces 4 GiB in the n-th message after the handshake",
         .n = 3,
         .outgoing = break_frame<huge_length>},
        {.name = "long-frame",
         .does = "announces 4,000,001 bytes in the n-th message after the handshake",
         .n = 3,
         .outgoing = break_frame<too_long>},
        {.name = "block-too-large",
         .does = "announces whole blocks of 4,000,001 bytes",
         .whole_blocks = true,
         .outgoing = too_large_block},
        {.name = "unpadded-command",
         .does = "the n-th message's command is not padded",
         .n = 3,
         .outgoing = break_frame<unpadded_command>},
        {.name = "truncated-payload",
         .does = "headers messages end in the middle of one",
         .outgoing = truncated_payload},
        {.name = "invalid-transaction",
         .does = "transactions end in the middle of one",
         .outgoing = invalid_transaction},
        {.name = "one-byte-a-second", .does = "sends one byte a second", .bytes_per_second = 1},
        {.name = "slow", .does = "sends ten thousand bytes a second", .bytes_per_second = 10'000},
    };
}

} // namespace headlight::regtest
