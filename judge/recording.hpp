// What a client and a node said to each other, as the node heard it: what a client is judged by.
#pragma once

#include "chain/network.hpp"
#include "p2p/message.hpp"

namespace headlight::judge {

struct Spoken {
    enum class What {
        opened,
        from_client,
        to_client,
        over_limit,   ///< more than its command may hold; `note` is the command
        broken_frame, ///< no good message in another way; `note` says which
        closed_by_client,
        closed_by_node,
    };
    std::uint32_t connection = 0; ///< numbered in the order of opening
    std::int64_t ms = 0;          ///< since the node began to listen
    What what{};
    std::optional<p2p::Message> message{}; ///< of from_client and to_client
    std::string note{};
};

struct Recording {
    chain::NetworkId network = chain::NetworkId::regtest;
    std::vector<Spoken> said; ///< in the order in which it happened
    /// Output scripts that are known to be the client's: what the node was told to pay.
    std::vector<Bytes> client_scripts{};
};

/// One line of JSON for each entry: {connection, ms, what}, and where there are such: command,
/// summary, note, filter: {bytes, functions, tweak, flags, fill, fp_rate, data}.
std::string to_json_lines(const Recording& recording);

} // namespace headlight::judge
