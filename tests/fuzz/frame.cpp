// A stream of frames in pieces of any size reads as the whole stream does. The first byte chooses
// the pieces; its lowest bit has magic and checksums put right, so that payloads are reached too.
#include "p2p/framing.hpp"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace headlight;
using p2p::frame_header_bytes;

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

struct Outcome {
    std::vector<p2p::Message> messages;
    std::optional<p2p::FrameError> fault;
    std::size_t left = 0;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

void drain(p2p::FrameReader& reader, Outcome& outcome) {
    for (;;) {
        auto next = reader.next();
        if (!next) {
            if (outcome.fault && *outcome.fault != next.error()) std::abort();
            outcome.fault = next.error();
            return;
        }
        if (!*next) return;
        outcome.messages.push_back(std::move(**next));
    }
}

/// In pieces of at most `most` bytes; 0 means all at once.
Outcome read(ByteView stream, std::size_t most) {
    p2p::FrameReader reader(regtest());
    Outcome outcome;
    for (std::size_t step = 1; !stream.empty(); step = step * 5 + 3) {
        const auto wanted = most == 0 ? stream.size() : step % most + 1;
        const auto piece = stream.first(std::min(stream.size(), wanted));
        stream = stream.subspan(piece.size());
        reader.feed(piece);
        drain(reader, outcome);
    }
    outcome.left = reader.buffered();
    return outcome;
}

/// The payload length that a header announces.
std::size_t announced(ByteView header) {
    chain::Reader reader(header.subspan(16, 4));
    return reader.u32();
}

void put_right(Bytes& stream) {
    for (std::size_t at = 0; stream.size() - at >= frame_header_bytes;) {
        const auto length = announced(ByteView(stream).subspan(at));
        if (length > stream.size() - at - frame_header_bytes) return;
        const auto hash = chain::hash256(ByteView(stream).subspan(at + frame_header_bytes, length));
        const auto start = stream.begin() + static_cast<std::ptrdiff_t>(at);
        std::copy(regtest().magic.begin(), regtest().magic.end(), start);
        std::copy_n(hash.bytes.begin(), 4, start + 20);
        at += frame_header_bytes + length;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    Bytes stream(data + 1, data + size);
    if (data[0] & 1) put_right(stream);
    const auto whole = read(stream, 0);
    if (read(stream, 1) != whole) std::abort();
    if (read(stream, data[0] + std::size_t{2}) != whole) std::abort();
    for (const auto& message : whole.messages) {
        p2p::FrameReader reader(regtest());
        reader.feed(p2p::encode_frame(regtest(), message));
        const auto again = reader.next();
        if (!again || *again != message || reader.buffered() != 0) std::abort();
    }
    return 0;
}
