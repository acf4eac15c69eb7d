// Sets the scene: by blocks made for the purpose, or from what the node's chain holds.
#pragma once

#include "conform/mill.hpp"
#include "conform/peer.hpp"
#include "conform/scene.hpp"

namespace headlight::conform {

/// Mines what the checks need; what has to be valid is valid by every rule. Errors: those of the
/// maker; bad_argument where the chain is so long that its blocks pay too little.
result<Scene> make_scene(Maker& maker, const chain::Network& network);

/// Finds what it can on the node's chain, with plain block requests.
Scene find_scene(Peer& peer);

/// As much of a chain as the checks look at.
inline constexpr std::size_t most_headers = 6'000;

/// The hashes of the node's chain from genesis on, at most `most` of them, into scene.chain.
/// Stops where the node does not answer as it should.
void learn_chain(Peer& peer, Scene& scene, std::size_t most);

} // namespace headlight::conform
