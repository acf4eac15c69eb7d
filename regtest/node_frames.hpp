// Reads a client's bytes as a full node does: what is wrong with a message is told beside it, since
// a node ignores some faults and ends the connection for others (p2p::FrameReader ends it for all).
#pragma once

#include "chain/network.hpp"
#include "p2p/message.hpp"

#include <variant>

namespace headlight::regtest {

/// What is wrong with a frame, the first thing first.
enum class FrameTrouble {
    none,
    wrong_magic,
    too_long,     ///< over 4,000,000 bytes; nothing after it is read
    bad_checksum, ///< the rest may be whole
    bad_command,  ///< not padded with NULs
    over_limit,   ///< decodes to more than its command may hold
    malformed,
};

struct NodeFrame {
    FrameTrouble trouble = FrameTrouble::none;
    std::string command; ///< up to the first NUL
    Bytes payload;
    p2p::Message message; ///< where there is no trouble
};

class NodeFrames {
  public:
    explicit NodeFrames(const chain::Network& network, bool any_magic = false)
        : network_(&network), any_magic_(any_magic) {}

    void feed(ByteView bytes);
    /// The next whole frame. A frame of wrong magic or too long is told at its header, and ends the
    /// stream.
    std::optional<NodeFrame> next();
    /// Whether a part of a frame is waiting for its rest.
    bool in_a_frame() const { return !buffer_.empty(); }
    /// Lets go of everything that was not read.
    void drop() { buffer_.clear(); }

  private:
    NodeFrame stop(FrameTrouble trouble);

    const chain::Network* network_;
    bool any_magic_;
    bool ended_ = false;
    Bytes buffer_;
};

} // namespace headlight::regtest
