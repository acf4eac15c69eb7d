// The envelope around every message: magic, command, length, checksum. The reader takes bytes in
// any pieces and allocates nothing for a length it will not accept.
#pragma once

#include "chain/network.hpp"
#include "p2p/message.hpp"

namespace headlight::p2p {

inline constexpr std::size_t frame_header_bytes = 24;

/// Why a stream cannot go on. The connection is closed without a ban: none of these prove who
/// spoke.
enum class FrameFault {
    wrong_magic,
    bad_command, ///< not ASCII, or not padded with NULs
    too_large,   ///< over 4,000,000 bytes or over what its command may have
    bad_checksum,
    malformed, ///< the payload does not decode
};
std::string_view to_string(FrameFault fault);

struct FrameError {
    FrameFault fault{};
    std::string detail; ///< names the command and the figure
    friend bool operator==(const FrameError&, const FrameError&) = default;
};

/// The bytes of a message, envelope and all.
Bytes encode_frame(const chain::Network& network, const Message& message);

class FrameReader {
  public:
    explicit FrameReader(const chain::Network& network) : network_(&network) {}

    const chain::Network& network() const { return *network_; }
    /// Takes bytes as they come. After a fault it takes nothing more.
    void feed(ByteView bytes);
    /// The next whole message; nothing when more bytes are needed; a FrameError ends the stream
    /// (every later call gives it again).
    boost::system::result<std::optional<Message>, FrameError> next();
    /// Bytes held for a message that is not whole.
    std::size_t buffered() const { return buffer_.size() - consumed_; }
    /// Payload bytes that the message under way announced; 0 between messages.
    std::size_t expected_payload() const;

  private:
    /// Keeps the fault and lets go of the bytes.
    FrameError stop(FrameError error);

    const chain::Network* network_;
    Bytes buffer_;
    std::size_t consumed_ = 0;
    std::optional<FrameError> fault_;
};

} // namespace headlight::p2p
