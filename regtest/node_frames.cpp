#include "regtest/node_frames.hpp"

#include "chain/limits.hpp"
#include "p2p/framing.hpp"

#include <algorithm>

namespace headlight::regtest {

namespace {

constexpr std::size_t command_at = 4, command_size = 12, length_at = 16, checksum_at = 20;

std::string command_of_frame(ByteView header) {
    const auto field = header.subspan(command_at, command_size);
    return {field.begin(), std::find(field.begin(), field.end(), std::uint8_t{0})};
}

bool well_padded(ByteView header, std::size_t command_length) {
    const auto rest = header.subspan(command_at + command_length, command_size - command_length);
    return std::all_of(rest.begin(), rest.end(), [](auto byte) { return byte == 0; });
}

/// In Bitcoin Core's order: the checksum, the command, and then the payload.
void read(NodeFrame& frame, ByteView header) {
    const auto checksum = chain::hash256(frame.payload);
    if (!std::equal(header.begin() + checksum_at, header.begin() + checksum_at + 4,
                    checksum.bytes.begin())) {
        frame.trouble = FrameTrouble::bad_checksum;
    } else if (!well_padded(header, frame.command.size())) {
        frame.trouble = FrameTrouble::bad_command;
    } else if (auto message = p2p::decode_payload(frame.command, frame.payload)) {
        frame.message = std::move(*message);
    } else {
        frame.trouble = message.error().code == errc::too_large ? FrameTrouble::over_limit
                                                                : FrameTrouble::malformed;
    }
}

} // namespace

void NodeFrames::feed(ByteView bytes) {
    if (!ended_) buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

NodeFrame NodeFrames::stop(FrameTrouble trouble) {
    ended_ = true;
    buffer_.clear();
    return {trouble, {}, {}, {}};
}

std::optional<NodeFrame> NodeFrames::next() {
    if (ended_ || buffer_.size() < p2p::frame_header_bytes) return std::nullopt;
    const auto header = ByteView(buffer_).first(p2p::frame_header_bytes);
    if (!any_magic_ && !std::equal(network_->magic.begin(), network_->magic.end(), header.begin()))
        return stop(FrameTrouble::wrong_magic);
    chain::Reader length(header.subspan(length_at, 4));
    const std::size_t size = length.u32();
    if (size > limits::max_message_bytes) return stop(FrameTrouble::too_long);
    if (buffer_.size() < p2p::frame_header_bytes + size) return std::nullopt;
    const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(p2p::frame_header_bytes + size);
    NodeFrame frame;
    frame.command = command_of_frame(header);
    frame.payload.assign(buffer_.begin() + p2p::frame_header_bytes, end);
    read(frame, header);
    buffer_.erase(buffer_.begin(), end);
    return frame;
}

} // namespace headlight::regtest
