// What a check works with: connections to the node, the scene, the node from behind; and the
// questions that many checks ask in the same way.
#pragma once

#include "bip37/messages.hpp"
#include "conform/maker.hpp"
#include "conform/peer.hpp"
#include "conform/scene.hpp"

#include <deque>

namespace headlight::conform {

/// How a connection is opened.
struct Greeting {
    std::int32_t version = p2p::protocol_version;
    bool relay = false;
    bool relay_byte = true; ///< false: the field is left out, as before BIP-37
    std::vector<p2p::Message> before_verack{};
};

/// The answer to a request for one filtered block.
struct Filtered {
    std::optional<bip37::MerkleBlock> merkleblock;
    std::vector<chain::Transaction> transactions; ///< after the merkleblock
    Heard heard;
};

class Bench {
  public:
    /// `scene` and `maker` may be null: what needs them is skipped then.
    Bench(const NodeAddress& node, const Deadlines& deadlines, Scene* scene, Maker* maker)
        : node_(node), deadlines_(deadlines), scene_(scene), maker_(maker) {}

    const chain::Network& network() const { return *node_.network; }
    const Deadlines& deadlines() const { return deadlines_; }

    /// A connection on which nothing was said yet.
    Peer& connect();
    /// A connection after its handshake, whose messages are left out of the log. Throws Ended when
    /// the node does not shake hands.
    Peer& greet(const Greeting& greeting = {});
    /// The protocol version of the node that was greeted last.
    std::int32_t node_version() const { return node_version_; }
    /// Throws Ended (skipped) when there is none.
    Scene& scene();
    Maker& maker();
    /// Skips the check where `found` is empty: the chain does not hold `what`.
    template <class Found>
    auto& need(Found&& found, std::string_view what) {
        if (!found) throw lacking(what);
        return *found;
    }

    /// A coin for a transaction into the mempool, and that transaction, paid in and put there.
    Coin take_coin();
    /// Puts a transaction into the node's mempool; throws Ended (skipped) when it is refused.
    void submit(const chain::Transaction& tx);
    /// Pays what `coin` holds, less a fee, in equal parts.
    static chain::Transaction payment(const Coin& coin, const std::vector<Bytes>& scripts);
    /// Mines on the node's tip. Throws Ended (skipped) with the reason when that fails.
    SceneBlock mine(std::vector<chain::Transaction> transactions = {});

    /// What was said on all connections, in words.
    std::string sent() const;
    /// Whether the node ended a connection of this check.
    bool any_closed() const;
    /// What this check put into the mempool.
    const std::vector<chain::Transaction>& submitted() const { return submitted_; }

  private:
    static Ended lacking(std::string_view what);

    NodeAddress node_;
    Deadlines deadlines_;
    Scene* scene_;
    Maker* maker_;
    std::deque<Peer> peers_;
    std::int32_t node_version_ = 0;
    std::vector<chain::Transaction> submitted_;
};

/// What a light client says first.
p2p::Version our_version(const Greeting& greeting = {});
/// Its payload, without the last byte where the greeting asks for that.
Bytes version_payload(const Greeting& greeting);

/// Up to the node's verack: whether that is reached, and the node's version where it came.
Heard shake_hands(Peer& peer, const Greeting& greeting, p2p::Version& version);

/// A filter that has these elements and, for all that a scene holds, no false positive.
bip37::BloomFilter filter_of(const std::vector<Bytes>& elements,
                             bip37::UpdateFlags flags = bip37::UpdateFlags::none);
Bytes to_bytes(ByteView view);
Bytes to_bytes(const chain::Hash256& hash);
/// A filterload's payload with any values.
Bytes filterload_payload(ByteView data, std::uint32_t functions, std::uint32_t tweak,
                         std::uint8_t flags);

/// Asks for a filtered block, and fences.
Filtered ask(Peer& peer, const chain::Hash256& block,
             p2p::InvType type = p2p::InvType::filtered_block);
/// The positions that the answer's proof names; throws Ended (fail) where it does not hold, and
/// where there is no answer.
std::vector<std::size_t> matched(const Filtered& answer);
/// What a server has to answer: the positions, and `filter` as it is afterwards.
std::vector<std::size_t> due(bip37::BloomFilter& filter, const SceneBlock& block);
/// "2 of 9 (1, 8)".
std::string positions_text(const std::vector<std::size_t>& positions, std::size_t total);
/// Pass when the answer's proof names just these positions.
Outcome matches(const Filtered& answer, const std::vector<std::size_t>& wanted);
/// Whether this transaction is announced within the deadline, by its id.
bool announced(Peer& peer, const chain::Hash256& txid);
/// Whether it was announced by now; for when another peer has heard of it.
bool told(Peer& peer, const chain::Hash256& txid);
/// The only transaction of the network's genesis block, which every node has.
bool genesis_matched(const Filtered& answer);
Filtered ask_genesis(Peer& peer);
Bytes genesis_element(const chain::Network& network);

} // namespace headlight::conform
