// The blocks that checks ask the node for: whole blocks that are known to be right, made for the
// purpose or found on the node's chain, and how to find in them what a check is about.
#pragma once

#include "chain/block_header.hpp"
#include "chain/script.hpp"
#include "chain/transaction.hpp"

#include <deque>
#include <functional>
#include <optional>

namespace headlight::conform {

struct SceneBlock {
    chain::BlockHeader header;
    chain::Hash256 hash;
    std::vector<chain::Transaction> transactions; ///< with their witnesses
    std::vector<chain::Hash256> txids;
};
SceneBlock scene_block(const chain::BlockHeader& header, std::vector<chain::Transaction> txs);

/// A transaction of a block, and one of its outputs or inputs.
struct Spot {
    const SceneBlock* block = nullptr;
    std::size_t position = 0; ///< of the transaction
    std::size_t index = 0;    ///< of its output or input

    const chain::Transaction& tx() const { return block->transactions[position]; }
    const chain::Hash256& txid() const { return block->txids[position]; }
    const chain::TxOut& output() const { return tx().outputs[index]; }
    const chain::TxIn& input() const { return tx().inputs[index]; }
    chain::OutPoint outpoint() const { return {txid(), static_cast<std::uint32_t>(index)}; }
};

/// An output that a check can match, and the input that spends it.
struct Spend {
    Spot output;
    Spot input;
};

/// One output that anybody can spend, for a transaction that has to be valid.
struct Coin {
    chain::OutPoint outpoint;
    Amount amount = 0;
};

class Scene {
  public:
    /// All of them on the active chain, in the order of their heights.
    std::deque<SceneBlock> blocks;
    /// The hashes of the node's active chain from genesis on, as far as they were asked for.
    std::vector<chain::Hash256> chain;
    bool whole_chain = false; ///< whether `chain` ends at the tip
    /// A valid block that is not on the active chain any more.
    std::optional<SceneBlock> stale;
    std::vector<Coin> coins;
    /// What a made scene pays to where it does not matter: too frequent to be a check's subject.
    Bytes filler_script;

    const SceneBlock* of_size(std::size_t transactions) const;
    /// The block with the most transactions, of `least` at least.
    const SceneBlock* largest(std::size_t least) const;
    /// Coinbases are left out, since all of them are much alike.
    std::optional<Spot> output(const std::function<bool(const chain::TxOut&)>& wanted) const;
    std::optional<Spot> input(const std::function<bool(const chain::TxIn&)>& wanted) const;
    /// An output of this form, spent in the same block or in another one.
    std::optional<Spend> spend(chain::ScriptForm form, bool same_block) const;
    /// The input that spends this outpoint.
    std::optional<Spot> spender(const chain::OutPoint& outpoint) const;
};

/// A script's operations up to its end or its first malformed push.
std::vector<chain::ScriptOp> ops_of(ByteView script);

} // namespace headlight::conform
