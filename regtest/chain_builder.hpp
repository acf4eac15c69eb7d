// Regtest chains in memory: any number of branches of blocks with chosen transactions, mined for
// real (two nonces on average), or false in a chosen way. Nothing here checks scripts or amounts:
// simulated nodes serve whatever was mined.
#pragma once

#include "chain/network.hpp"
#include "chain/transaction.hpp"
#include "p2p/message.hpp"

#include <deque>
#include <unordered_map>

namespace headlight::regtest {

struct SimBlock {
    chain::BlockHeader header;
    chain::Hash256 hash;
    std::int32_t height = 0;
    chain::Uint256 work; ///< cumulative
    std::vector<chain::Transaction> transactions;
    std::vector<chain::Hash256> txids;
};

/// What a block is to be, where it is not as usual.
struct BlockPlan {
    std::vector<chain::Transaction> transactions{}; ///< after the coinbase
    Bytes coinbase_script{};             ///< who gets the subsidy; nobody we know by default
    std::optional<std::uint32_t> time{}; ///< else a minute after the parent
    std::optional<std::uint32_t> bits{};
    std::optional<chain::Hash256> merkle_root{};
    std::optional<chain::Transaction> coinbase{};
    bool enough_work = true; ///< false: the hash is above the target
};

class ChainBuilder {
  public:
    explicit ChainBuilder(
        const chain::Network& network = chain::network(chain::NetworkId::regtest));
    ChainBuilder(const ChainBuilder&) = delete;
    ChainBuilder& operator=(const ChainBuilder&) = delete;

    const chain::Network& network() const { return *network_; }
    const SimBlock& genesis() const { return blocks_.front(); }
    /// The block mined or added last.
    const SimBlock& newest() const { return blocks_.back(); }

    /// Mines a block on `parent`, which must be known. References stay valid.
    const SimBlock& mine(const chain::Hash256& parent, BlockPlan plan = {});
    /// On the newest block.
    const SimBlock& mine(BlockPlan plan = {}) { return mine(newest().hash, std::move(plan)); }
    /// `count` blocks with nothing but their coinbase; the last one.
    const SimBlock& mine_empty(const chain::Hash256& parent, int count);
    const SimBlock& mine_empty(int count) { return mine_empty(newest().hash, count); }
    /// A block made elsewhere, as it came; its parent must be known.
    const SimBlock& add(const p2p::Block& block);

    const SimBlock* find(const chain::Hash256& hash) const;
    /// The ancestor of `tip` (or itself) at a height in 0..its own.
    const SimBlock& ancestor(const chain::Hash256& tip, std::int32_t height) const;
    /// From genesis to `tip`.
    std::vector<const SimBlock*> branch(const chain::Hash256& tip) const;
    /// The last block that both branches share.
    const SimBlock& fork(const chain::Hash256& a, const chain::Hash256& b) const;

    // Transactions. No two are alike, since each spends a coin of its own.
    /// Pays from a coin that nobody knows.
    chain::Transaction pay(ByteView script_pubkey, Amount amount);
    chain::Transaction pay(const std::vector<chain::TxOut>& outputs);
    /// Spends these coins, with a witness that looks like a signature and a key.
    static chain::Transaction spend(const std::vector<chain::OutPoint>& coins,
                                    const std::vector<chain::TxOut>& outputs);

  private:
    const SimBlock& store(SimBlock block);
    chain::Transaction coinbase(std::int32_t height, const BlockPlan& plan);

    const chain::Network* network_;
    std::deque<SimBlock> blocks_;
    std::unordered_map<chain::Hash256, const SimBlock*, chain::Hash256Hasher> by_hash_;
    std::uint32_t serial_ = 0;
};

/// Tries nonces until the hash is at most the target of the header's bits (or above it).
void grind(chain::BlockHeader& header, bool enough_work = true);

} // namespace headlight::regtest
