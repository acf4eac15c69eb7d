#include "judge/transcript.hpp"

#include <map>

namespace headlight::judge {

Transcript::Transcript(const Recording& recording) : recording_(&recording) {
    struct State {
        std::size_t place = 0;
        const bip37::BloomFilter* filter = nullptr;
        bool client_done = false;
        bool node_done = false;
    };
    std::map<std::uint32_t, State> states;
    for (const auto& spoken : recording.said) {
        auto [entry, is_new] = states.try_emplace(spoken.connection);
        auto& state = entry->second;
        if (is_new) {
            state.place = conversations_.size();
            conversations_.emplace_back();
        }
        const Line line{&spoken, state.filter, state.client_done && state.node_done};
        conversations_[state.place].push_back(line);
        if (line.client_says<p2p::Verack>()) state.client_done = true;
        if (line.node_says<p2p::Verack>()) state.node_done = true;
        if (const auto* load = line.client_says<bip37::FilterLoad>()) state.filter = &load->filter;
        if (line.client_says<bip37::FilterClear>()) state.filter = nullptr;
    }
}

std::vector<const bip37::BloomFilter*> Transcript::filters() const {
    std::vector<const bip37::BloomFilter*> all;
    for (const auto& conversation : conversations_) {
        for (const auto& line : conversation)
            if (const auto* load = line.client_says<bip37::FilterLoad>())
                all.push_back(&load->filter);
    }
    return all;
}

std::size_t withheld_by(const Conversation& conversation, std::size_t at) {
    const auto proof = bip37::verify(*conversation[at].node_says<bip37::MerkleBlock>());
    if (!proof) return 0;
    auto missing = proof->matches;
    for (auto i = at + 1; i < conversation.size(); ++i) {
        const auto* tx = conversation[i].node_says<p2p::Tx>();
        if (!tx) continue;
        const auto txid = chain::txid(tx->transaction);
        std::erase_if(missing, [&](const auto& match) { return match.txid == txid; });
    }
    return missing.size();
}

} // namespace headlight::judge
