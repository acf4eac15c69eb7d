#include "conform/scene.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

const SceneBlock* best_block(const std::deque<SceneBlock>& blocks, auto better) {
    const SceneBlock* best = nullptr;
    for (const auto& block : blocks)
        if (better(block, best)) best = &block;
    return best;
}

/// The first transaction after each coinbase, and its place in there, that `find` accepts.
std::optional<Spot> first_spot(const std::deque<SceneBlock>& blocks, auto find) {
    for (const auto& block : blocks)
        for (std::size_t position = 1; position < block.transactions.size(); ++position)
            if (const auto index = find(block.transactions[position]))
                return Spot{&block, position, *index};
    return std::nullopt;
}

template <class List>
std::optional<std::size_t> index_of(const List& list, const auto& wanted) {
    const auto found = std::find_if(list.begin(), list.end(), wanted);
    if (found == list.end()) return std::nullopt;
    return static_cast<std::size_t>(found - list.begin());
}

} // namespace

SceneBlock scene_block(const chain::BlockHeader& header, std::vector<chain::Transaction> txs) {
    SceneBlock block{header, hash_of(header), std::move(txs), {}};
    for (const auto& tx : block.transactions)
        block.txids.push_back(chain::txid(tx));
    return block;
}

std::vector<chain::ScriptOp> ops_of(ByteView script) {
    std::vector<chain::ScriptOp> ops;
    chain::ScriptReader reader(script);
    while (const auto op = reader.next())
        ops.push_back(*op);
    return ops;
}

const SceneBlock* Scene::of_size(std::size_t transactions) const {
    return best_block(blocks, [&](const SceneBlock& block, const SceneBlock* best) {
        return !best && block.transactions.size() == transactions;
    });
}

const SceneBlock* Scene::largest(std::size_t least) const {
    return best_block(blocks, [&](const SceneBlock& block, const SceneBlock* best) {
        return block.transactions.size() >= (best ? best->transactions.size() + 1 : least);
    });
}

std::optional<Spot> Scene::output(const std::function<bool(const chain::TxOut&)>& wanted) const {
    return first_spot(blocks, [&](const auto& tx) { return index_of(tx.outputs, wanted); });
}

std::optional<Spot> Scene::input(const std::function<bool(const chain::TxIn&)>& wanted) const {
    return first_spot(blocks, [&](const auto& tx) { return index_of(tx.inputs, wanted); });
}

std::optional<Spot> Scene::spender(const chain::OutPoint& outpoint) const {
    return input([&](const chain::TxIn& input) { return input.prevout == outpoint; });
}

std::optional<Spend> Scene::spend(chain::ScriptForm form, bool same_block) const {
    for (const auto& block : blocks) {
        for (std::size_t position = 1; position < block.transactions.size(); ++position) {
            const auto& outputs = block.transactions[position].outputs;
            for (std::size_t index = 0; index < outputs.size(); ++index) {
                const auto& script = outputs[index].script_pubkey;
                if (script == filler_script || chain::classify(script) != form) continue;
                const Spot made{&block, position, index};
                const auto spending = spender(made.outpoint());
                if (spending && (spending->block == &block) == same_block)
                    return Spend{made, *spending};
            }
        }
    }
    return std::nullopt;
}

} // namespace headlight::conform
