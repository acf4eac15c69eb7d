// Headers with real proof of work at toy difficulty, for tests of the header tree.
#pragma once

#include "chain/difficulty.hpp"

namespace headlight::tests {

/// A header that fulfils its own bits. `salt` tells siblings apart.
inline chain::BlockHeader mine(const chain::Network& network, const chain::Hash256& previous,
                               std::uint32_t time, std::uint32_t bits, std::uint32_t salt = 0) {
    chain::BlockHeader header{0x20000000, previous, {}, time, bits, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        header.merkle_root.bytes[i] = static_cast<std::uint8_t>(salt >> (8 * i));
    }
    while (!chain::check_proof_of_work(chain::hash_of(header), bits, network))
        ++header.nonce;
    return header;
}

/// A network of its own under any difficulty rule, as easy as regtest to mine on; `genesis_bits`
/// may be harder than its limit of 207fffff.
inline chain::Network toy_network(chain::DifficultyRule rule, std::uint32_t genesis_bits) {
    auto network = chain::network(chain::NetworkId::regtest);
    network.difficulty = rule;
    network.genesis.bits = genesis_bits;
    network.genesis_hash = chain::hash_of(network.genesis);
    return network;
}

} // namespace headlight::tests
