#include "regtest/sim_node.hpp"

#include <algorithm>
#include <set>

namespace headlight::regtest {

SimNode::SimNode(ChainBuilder& chain, SimNodeConfig config)
    : chain_(&chain),
      config_(std::move(config)),
      active_{&chain.genesis()},
      known_{chain.genesis().hash} {
    for (const auto& choice : config_.faults) {
        const auto* fault = find_fault(choice.name);
        if (fault && fault->configure) fault->configure(config_);
    }
}

SimSession& SimNode::open(std::int64_t now_ms) {
    return *sessions_.emplace_back(std::make_unique<SimSession>(*this, ++opened_, now_ms));
}

void SimNode::close(SimSession& session) {
    sessions_.remove_if([&](const auto& open) { return open.get() == &session; });
}

bool SimNode::is_active(const SimBlock& block) const {
    const auto height = static_cast<std::size_t>(block.height);
    return height < active_.size() && active_[height] == &block;
}

const SimBlock* SimNode::block(const chain::Hash256& hash) const {
    if (!known_.contains(hash)) return nullptr;
    const auto* found = chain_->find(hash);
    for (const auto* ancestor = found; !invalid_.empty() && ancestor && !is_active(*ancestor);
         ancestor = chain_->find(ancestor->header.previous))
        if (invalid_.contains(ancestor->hash)) return nullptr;
    return found;
}

void SimNode::set_tip(const chain::Hash256& tip, std::int64_t now_ms) {
    const auto branch = chain_->branch(tip);
    const auto fork = static_cast<std::size_t>(chain_->fork(tip, this->tip().hash).height);
    std::vector<chain::Transaction> orphaned;
    for (std::size_t height = fork + 1; height < active_.size(); ++height)
        orphaned.insert(orphaned.end(), active_[height]->transactions.begin() + 1,
                        active_[height]->transactions.end());
    active_ = branch;
    const std::vector<const SimBlock*> connected(
        active_.begin() + static_cast<std::ptrdiff_t>(fork) + 1, active_.end());
    for (const auto* block : connected) {
        known_.insert(block->hash);
        invalid_.erase(block->hash);
    }

    std::vector<MempoolEntry> waiting = std::exchange(mempool_, {});
    for (const auto& tx : orphaned)
        insert(tx);
    mempool_.insert(mempool_.end(), waiting.begin(), waiting.end());
    for (const auto* block : connected)
        confirm(*block);
    for (const auto& session : sessions_)
        session->announce_blocks(connected, now_ms);
}

const SimBlock& SimNode::mine(std::int64_t now_ms, BlockPlan plan) {
    if (plan.transactions.empty()) plan.transactions = mempool_transactions();
    const auto& block = chain_->mine(tip().hash, std::move(plan));
    set_tip(block.hash, now_ms);
    return block;
}

void SimNode::invalidate(const chain::Hash256& hash, std::int64_t now_ms) {
    const auto* block = chain_->find(hash);
    if (!block) return;
    if (is_active(*block)) set_tip(block->header.previous, now_ms);
    invalid_.insert(hash);
}

/// Takes out of the mempool what the block confirms or contradicts, with what is built on the
/// latter.
void SimNode::confirm(const SimBlock& block) {
    const std::set<chain::Hash256> confirmed(block.txids.begin(), block.txids.end());
    std::set<chain::OutPoint> spent;
    for (const auto& tx : block.transactions)
        for (const auto& input : tx.inputs)
            spent.insert(input.prevout);
    std::vector<chain::Hash256> dropped;
    for (const auto& entry : mempool_) {
        const bool contradicted =
            !confirmed.contains(entry.txid) &&
            std::any_of(entry.tx.inputs.begin(), entry.tx.inputs.end(),
                        [&](const auto& input) { return spent.contains(input.prevout); });
        if (contradicted) dropped.push_back(entry.txid);
    }
    for (const auto& txid : dropped)
        drop_from_mempool(txid);
    std::erase_if(mempool_, [&](const auto& entry) { return confirmed.contains(entry.txid); });
}

void SimNode::insert(const chain::Transaction& tx) {
    mempool_.push_back({tx, txid(tx), sequence_++});
}

bool SimNode::add_to_mempool(const chain::Transaction& tx, std::int64_t now_ms,
                             const SimSession* from) {
    const auto id = txid(tx);
    if (find_in_mempool(id)) return false;
    for (const auto* block : active_)
        if (std::find(block->txids.begin(), block->txids.end(), id) != block->txids.end())
            return false;
    std::vector<chain::Hash256> replaced;
    for (const auto& entry : mempool_)
        for (const auto& theirs : entry.tx.inputs)
            for (const auto& input : tx.inputs)
                if (input.prevout == theirs.prevout) replaced.push_back(entry.txid);
    for (const auto& conflict : replaced)
        drop_from_mempool(conflict);
    insert(tx);
    for (const auto& session : sessions_)
        if (session.get() != from) session->announce_transaction(id, now_ms);
    return true;
}

void SimNode::drop_from_mempool(const chain::Hash256& txid) {
    std::set<chain::Hash256> gone{txid};
    // Parents stand before children, so that one pass finds all descendants.
    for (const auto& entry : mempool_)
        for (const auto& input : entry.tx.inputs)
            if (gone.contains(input.prevout.txid)) gone.insert(entry.txid);
    std::erase_if(mempool_, [&](const auto& entry) { return gone.contains(entry.txid); });
}

const SimNode::MempoolEntry* SimNode::find_in_mempool(const chain::Hash256& txid) const {
    const auto found = std::find_if(mempool_.begin(), mempool_.end(),
                                    [&](const auto& entry) { return entry.txid == txid; });
    return found == mempool_.end() ? nullptr : &*found;
}

std::vector<chain::Transaction> SimNode::mempool_transactions() const {
    std::vector<chain::Transaction> all;
    for (const auto& entry : mempool_)
        all.push_back(entry.tx);
    return all;
}

} // namespace headlight::regtest
