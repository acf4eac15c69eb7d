// The envelope: checked at its header, before its payload costs anything.
#include "p2p/framing.hpp"

#include "chain/hash.hpp"
#include "chain/limits.hpp"

#include <algorithm>

namespace headlight::p2p {
namespace {

constexpr std::size_t command_offset = 4;
constexpr std::size_t command_bytes = 12;
constexpr std::size_t length_offset = 16;
constexpr std::size_t checksum_offset = 20;
constexpr std::size_t checksum_bytes = 4;

bool equal(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::size_t length_of(ByteView header) {
    chain::Reader reader(header.subspan(length_offset, 4));
    return reader.u32();
}

/// The command that the twelve bytes spell; nothing unless printable ASCII and then only NULs.
std::optional<std::string_view> command_in(ByteView header) {
    const auto field = header.subspan(command_offset, command_bytes);
    const auto end = std::find(field.begin(), field.end(), std::uint8_t{0});
    if (!std::all_of(field.begin(), end, [](auto c) { return c >= ' ' && c <= '~'; }) ||
        !std::all_of(end, field.end(), [](auto c) { return c == 0; })) {
        return std::nullopt;
    }
    return std::string_view(reinterpret_cast<const char*>(field.data()),
                            static_cast<std::size_t>(end - field.begin()));
}

std::string named(std::string_view command) {
    return command.empty() ? "a message without a name" : std::string(command);
}

std::optional<FrameError> check_magic(ByteView start, const chain::Network& network) {
    const auto magic = start.first(network.magic.size());
    if (equal(magic, network.magic)) return std::nullopt;
    std::array<std::uint8_t, 4> theirs{};
    std::copy(magic.begin(), magic.end(), theirs.begin());
    const auto* other = chain::find_network(theirs);
    return FrameError{FrameFault::wrong_magic,
                      other ? "the peer speaks on " + std::string(other->name)
                            : "a message starts with " + to_hex(magic)};
}

std::optional<FrameError> check_header(ByteView header) {
    const auto command = command_in(header);
    if (!command) {
        return FrameError{FrameFault::bad_command,
                          "the command is " +
                              to_hex(header.subspan(command_offset, command_bytes))};
    }
    const auto length = length_of(header);
    if (length > payload_limit(*command)) {
        return FrameError{FrameFault::too_large,
                          named(*command) + " announces " + std::to_string(length) + " bytes"};
    }
    return std::nullopt;
}

} // namespace

std::string_view to_string(FrameFault fault) {
    switch (fault) {
    case FrameFault::wrong_magic:
        return "wrong magic";
    case FrameFault::bad_command:
        return "bad command";
    case FrameFault::too_large:
        return "too large";
    case FrameFault::bad_checksum:
        return "bad checksum";
    case FrameFault::malformed:
        return "malformed";
    }
    return "unknown fault";
}

Bytes encode_frame(const chain::Network& network, const Message& message) {
    const auto payload = encode_payload(message);
    const auto command = command_of(message).substr(0, command_bytes);
    chain::Writer writer(frame_header_bytes + payload.size());
    writer.bytes(network.magic).bytes(as_bytes(command));
    for (auto i = command.size(); i < command_bytes; ++i)
        writer.u8(0);
    writer.u32(static_cast<std::uint32_t>(payload.size()));
    writer.bytes(chain::hash256(payload).view().first(checksum_bytes)).bytes(payload);
    return writer.take();
}

void FrameReader::feed(ByteView bytes) {
    if (fault_) return;
    // What was consumed goes once it is the greater part, so that each byte moves at most once on
    // average, however small the pieces.
    if (consumed_ > buffer_.size() / 2) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_));
        consumed_ = 0;
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

boost::system::result<std::optional<Message>, FrameError> FrameReader::next() {
    if (fault_) return *fault_;
    const auto held = ByteView(buffer_).subspan(consumed_);
    if (held.size() < network_->magic.size()) return std::nullopt;
    if (auto error = check_magic(held, *network_)) return stop(std::move(*error));
    if (held.size() < frame_header_bytes) return std::nullopt;
    const auto header = held.first(frame_header_bytes);
    if (auto error = check_header(header)) return stop(std::move(*error));
    const auto length = length_of(header);
    if (held.size() - frame_header_bytes < length) return std::nullopt;
    const auto payload = held.subspan(frame_header_bytes, length);
    const auto command = *command_in(header);
    if (!equal(chain::hash256(payload).view().first(checksum_bytes),
               header.subspan(checksum_offset, checksum_bytes))) {
        return stop({FrameFault::bad_checksum,
                     named(command) + " of " + std::to_string(length) + " bytes"});
    }
    auto message = decode_payload(command, payload);
    if (!message) {
        return stop({FrameFault::malformed, named(command) + " of " + std::to_string(length) +
                                                " bytes: " + to_string(message.error())});
    }
    consumed_ += frame_header_bytes + length;
    return std::optional<Message>(std::move(*message));
}

FrameError FrameReader::stop(FrameError error) {
    fault_ = error;
    buffer_ = {};
    consumed_ = 0;
    return error;
}

std::size_t FrameReader::expected_payload() const {
    const auto held = ByteView(buffer_).subspan(consumed_);
    if (held.size() < frame_header_bytes) return 0;
    const auto header = held.first(frame_header_bytes);
    return check_header(header) ? 0 : length_of(header);
}

} // namespace headlight::p2p
