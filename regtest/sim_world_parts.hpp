// What a simulated world keeps for each node and each connection.
#pragma once

#include "regtest/sim_world.hpp"

namespace headlight::regtest {

struct SimWorld::Place {
    std::unique_ptr<SimNode> node;
    p2p::Endpoint endpoint;
    Dice dice;
    LineQuality line;
    bool reachable = true;
    bool deaf = false;
    bool dark = false;
    std::int64_t partitioned_until_ms = 0;
    std::int64_t clogged_until_ms = 0;
    std::optional<std::uint64_t> cut_after{};
    std::vector<sync::DropReason> drops{};
};

struct SimWorld::Link {
    std::uint32_t peer = 0;
    Place* place = nullptr;
    SimSession* session = nullptr; ///< none until connected
    std::int64_t connects_ms = 0;
    bool dead = false;    ///< leads nowhere, and nobody is told
    bool deaf = false;    ///< has lost bytes of the client, so that no later ones make sense
    bool closing = false; ///< the node has ended it; its last bytes are under way
    bool wrong_network = false;
    SimPipe to_node;
    SimPipe to_client;
    p2p::FrameReader client_reader;
    p2p::FrameReader node_reader;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;

    explicit Link(const chain::Network& network) : client_reader(network), node_reader(network) {}

    bool connected() const { return session != nullptr || dead; }
    std::int64_t node_hears_ms() const {
        const auto next = session ? to_node.next_ms() : std::optional(connects_ms);
        return next ? std::max(*next, place->partitioned_until_ms) : never;
    }
    std::int64_t client_hears_ms() const {
        const auto next = to_client.next_ms();
        return next ? std::max({*next, place->partitioned_until_ms, place->clogged_until_ms})
                    : never;
    }
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
};

} // namespace headlight::regtest
