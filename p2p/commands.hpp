// The table of commands, inside p2p only: what stands in the envelope, how long the payload may be
// and who reads it.
#pragma once

#include "p2p/message.hpp"

#include <span>

namespace headlight::p2p {

struct Command {
    std::string_view name;
    std::size_t payload_limit; ///< bytes
    result<Message> (*decode)(ByteView payload);
};

/// In the order of Message's alternatives, Unknown excepted.
std::span<const Command> commands();
/// Null for a command that decodes to Unknown.
const Command* find_command(std::string_view name);

} // namespace headlight::p2p
