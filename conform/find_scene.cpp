// What a node's chain holds: its headers from genesis on, and blocks with something in them.
#include "conform/stage.hpp"

#include "bip37/partial_merkle_tree.hpp"
#include "chain/limits.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

constexpr std::size_t blocks_looked_at = 600;
constexpr std::size_t blocks_a_request = 20;
constexpr std::size_t blocks_kept = 120;

/// A block with nothing but its coinbase says little: two of them do.
bool worth_keeping(const Scene& scene, const SceneBlock& block) {
    if (block.transactions.size() > 1) return true;
    return std::count_if(scene.blocks.begin(), scene.blocks.end(),
                         [](const auto& kept) { return kept.transactions.size() == 1; }) < 2;
}

void keep_blocks(const Heard& heard, Scene& scene) {
    for (const auto& message : heard.all<p2p::Block>()) {
        auto block = scene_block(message.header, message.transactions);
        if (block.txids.empty() || bip37::merkle_root(block.txids) != block.header.merkle_root)
            continue;
        if (worth_keeping(scene, block)) scene.blocks.push_back(std::move(block));
    }
}

} // namespace

void learn_chain(Peer& peer, Scene& scene, std::size_t most) {
    scene.chain = {peer.network().genesis_hash};
    while (scene.chain.size() < most) {
        peer.send(p2p::GetHeaders{p2p::protocol_version, {scene.chain.back()}, {}});
        const auto heard = peer.fence();
        const auto* answer = heard.first<p2p::Headers>();
        if (!answer) return;
        for (const auto& header : answer->headers) {
            if (header.previous != scene.chain.back()) return;
            scene.chain.push_back(hash_of(header));
        }
        if (answer->headers.size() < limits::max_headers_per_message) {
            scene.whole_chain = true;
            return;
        }
    }
}

Scene find_scene(Peer& peer) {
    Scene scene;
    learn_chain(peer, scene, most_headers);
    // The latest blocks where the end is in sight; else the first, since nodes have them all.
    const auto count = std::min(scene.chain.size() - 1, blocks_looked_at);
    auto next = scene.whole_chain ? scene.chain.size() - count : std::size_t{1};
    const auto end = next + count;
    while (next < end && scene.blocks.size() < blocks_kept) {
        p2p::GetData request;
        for (std::size_t i = 0; i < blocks_a_request && next < end; ++i)
            request.entries.push_back({p2p::InvType::witness_block, scene.chain[next++]});
        peer.send(request);
        const auto heard = peer.fence();
        keep_blocks(heard, scene);
        if (heard.closed()) break;
    }
    return scene;
}

} // namespace headlight::conform
