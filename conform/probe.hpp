// One look at a node: who it says it is, whether it really serves filtered blocks, how fast it
// answers. Nothing is told but a filter that matches nothing.
#pragma once

#include "conform/peer.hpp"

namespace headlight::conform {

/// What came for a filtered block.
enum class Serves {
    yes,
    silent, ///< nothing, which is what a node without the service does
    closes, ///< it ends the connection, as one without the service or over its upload limit does
};
std::string_view to_string(Serves serves);

struct ProbeFindings {
    p2p::Version version;
    std::optional<std::int64_t> feefilter{}; ///< satoshis for 1,000 virtual bytes (BIP-133)
    Serves serves{};
    double handshake_ms = 0;
    double latency_ms = 0; ///< from ping to pong, the median of five
};

/// Errors: no_peer, when the node cannot be spoken to.
result<ProbeFindings> probe(const NodeAddress& node, const Deadlines& deadlines = {});

/// "NODE_NETWORK", "NODE_BLOOM" and so on, in the order of the bits; "bit 27" where no name is
/// known.
std::vector<std::string> service_names(std::uint64_t services);

} // namespace headlight::conform
