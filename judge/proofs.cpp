// Checks of clients: what they do with a node that lies. The node has to lie first: --fault.
#include "chain/difficulty.hpp"
#include "judge/transcript.hpp"

#include <algorithm>

namespace headlight::judge {

namespace {

/// Whether the client ended the conversation after `from`, before asking for blocks again.
bool leaves(const Conversation& conversation, std::size_t from) {
    for (auto i = from + 1; i < conversation.size(); ++i) {
        if (conversation[i].spoken->what == Spoken::What::closed_by_client) return true;
        if (conversation[i].client_says<p2p::GetData>()) return false;
    }
    return false;
}

/// Finds the first lie on each connection, and holds the client to leaving.
template <class IsLie>
Outcome leaves_liars(const Transcript& transcript, IsLie is_lie, std::string_view lie,
                     std::string_view fault) {
    std::size_t lies = 0;
    for (const auto& conversation : transcript.conversations()) {
        for (std::size_t i = 0; i < conversation.size(); ++i) {
            if (!is_lie(conversation[i])) continue;
            ++lies;
            if (!leaves(conversation, i)) return fail("stays after " + std::string(lie));
            break;
        }
    }
    if (lies == 0) return skipped("the node told the truth: try --fault " + std::string(fault));
    return lies == 1 ? pass("ends the connection, and does not come back")
                     : differs("ends the connection, and comes back " + std::to_string(lies - 1) +
                               " times");
}

Outcome leaves_bad_proofs(const Transcript& transcript) {
    const auto is_lie = [](const Line& line) {
        const auto* block = line.node_says<bip37::MerkleBlock>();
        return block && !bip37::verify(*block);
    };
    return leaves_liars(transcript, is_lie, "a merkleblock whose proof does not hold",
                        "wrong-root");
}

Outcome leaves_bad_headers(const Transcript& transcript) {
    const auto lacks_work = [&](const chain::BlockHeader& it) {
        return !chain::check_proof_of_work(chain::hash_of(it), it.bits, transcript.network());
    };
    const auto is_lie = [&](const Line& line) {
        const auto* headers = line.node_says<p2p::Headers>();
        return headers && std::any_of(headers->headers.begin(), headers->headers.end(), lacks_work);
    };
    return leaves_liars(transcript, is_lie, "a header without its work", "bad-work");
}

bool asks_for(const Line& line, const chain::Hash256& block) {
    const auto* getdata = line.client_says<p2p::GetData>();
    return getdata && std::any_of(getdata->entries.begin(), getdata->entries.end(),
                                  [&](const auto& entry) { return entry.hash == block; });
}

/// A matched transaction that never came makes its block unknown, not empty.
Outcome asks_again(const Transcript& transcript) {
    std::size_t withheld = 0;
    for (const auto& conversation : transcript.conversations()) {
        for (std::size_t i = 0; i < conversation.size(); ++i) {
            const auto* block = conversation[i].node_says<bip37::MerkleBlock>();
            if (!block || withheld_by(conversation, i) == 0) continue;
            ++withheld;
            const auto hash = chain::hash_of(block->header);
            const auto after = conversation.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            const bool reacts = std::any_of(after, conversation.end(), [&](const Line& line) {
                return line.spoken->what == Spoken::What::closed_by_client || asks_for(line, hash);
            });
            if (!reacts) return fail("a block whose transaction never came is not asked for again");
        }
    }
    if (withheld == 0) return skipped("no transaction was withheld: try --fault omits-transaction");
    return pass("the block is asked for again, or the connection ended");
}

} // namespace

std::vector<ClientCheck> client_proof_checks() {
    return {
        {{"client.bad-proof", "a proof that does not hold ends the connection",
          "BIP-37: partial merkle trees"},
         leaves_bad_proofs},
        {{"client.bad-header", "a header without its work ends the connection",
          "P2P protocol: headers"},
         leaves_bad_headers},
        {{"client.withheld", "a matched transaction that never comes is not an empty block",
          "BIP-37: merkleblock"},
         asks_again},
    };
}

} // namespace headlight::judge
