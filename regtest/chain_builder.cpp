#include "regtest/chain_builder.hpp"

#include "bip37/partial_merkle_tree.hpp"
#include "chain/script.hpp"

#include <stdexcept>

namespace headlight::regtest {

namespace {

constexpr Amount subsidy = 5'000'000'000;
constexpr std::uint32_t block_seconds = 60;

// The coinbase that all networks' genesis blocks share.
constexpr std::string_view genesis_coinbase = "0100000001000000000000000000000000000000000000000000"
                                              "0000000000000000000000ffffffff4d04ffff001d01"
                                              "04455468652054696d65732030332f4a616e2f32303039204368"
                                              "616e63656c6c6f72206f6e206272696e6b206f662073"
                                              "65636f6e64206261696c6f757420666f722062616e6b73ffffff"
                                              "ff0100f2052a01000000434104678afdb0fe55482719"
                                              "67f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc"
                                              "3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a"
                                              "4c702b6bf11d5fac00000000";

std::vector<chain::Hash256> txids_of(const std::vector<chain::Transaction>& transactions) {
    std::vector<chain::Hash256> ids;
    ids.reserve(transactions.size());
    for (const auto& tx : transactions)
        ids.push_back(txid(tx));
    return ids;
}

Bytes number_push(std::uint32_t value) {
    Bytes script;
    chain::append_push(script, chain::Writer().u32(value).data());
    return script;
}

} // namespace

void grind(chain::BlockHeader& header, bool enough_work) {
    const auto target = chain::decode_compact(header.bits).magnitude;
    while ((chain::to_number(hash_of(header)) <= target) != enough_work)
        ++header.nonce;
}

ChainBuilder::ChainBuilder(const chain::Network& network) : network_(&network) {
    SimBlock first;
    first.header = network.genesis;
    first.transactions.push_back(
        chain::parse_transaction(from_hex(genesis_coinbase).value()).value());
    store(std::move(first));
}

const SimBlock& ChainBuilder::store(SimBlock block) {
    block.hash = hash_of(block.header);
    block.txids = txids_of(block.transactions);
    block.work = chain::work_of(block.header.bits);
    if (!blocks_.empty()) {
        const auto* parent = find(block.header.previous);
        if (!parent) throw std::logic_error("a simulated block needs a known parent");
        block.height = parent->height + 1;
        block.work = parent->work + block.work;
    }
    const auto& stored = blocks_.emplace_back(std::move(block));
    by_hash_[stored.hash] = &stored;
    return stored;
}

chain::Transaction ChainBuilder::coinbase(std::int32_t height, const BlockPlan& plan) {
    if (plan.coinbase) return *plan.coinbase;
    chain::Transaction tx;
    chain::TxIn input;
    input.prevout.index = 0xffffffff;
    input.script_sig = number_push(static_cast<std::uint32_t>(height));
    // Two branches' coinbases of one height must not be the same transaction.
    const auto extra = number_push(++serial_);
    input.script_sig.insert(input.script_sig.end(), extra.begin(), extra.end());
    tx.inputs.push_back(std::move(input));
    const Bytes anybody{0x51};
    tx.outputs.push_back({subsidy, plan.coinbase_script.empty() ? anybody : plan.coinbase_script});
    return tx;
}

const SimBlock& ChainBuilder::mine(const chain::Hash256& parent_hash, BlockPlan plan) {
    const auto* parent = find(parent_hash);
    if (!parent) throw std::logic_error("a simulated block needs a known parent");
    SimBlock block;
    block.transactions.push_back(coinbase(parent->height + 1, plan));
    for (auto& tx : plan.transactions)
        block.transactions.push_back(std::move(tx));
    block.header.version = 0x20000000;
    block.header.previous = parent_hash;
    block.header.time = plan.time.value_or(parent->header.time + block_seconds);
    block.header.bits = plan.bits.value_or(network_->pow_limit_bits);
    block.header.merkle_root =
        plan.merkle_root.value_or(bip37::merkle_root(txids_of(block.transactions)));
    grind(block.header, plan.enough_work);
    return store(std::move(block));
}

const SimBlock& ChainBuilder::mine_empty(const chain::Hash256& parent, int count) {
    const auto* tip = find(parent);
    for (int i = 0; i < count; ++i)
        tip = &mine(tip->hash);
    return *tip;
}

const SimBlock& ChainBuilder::add(const p2p::Block& block) {
    SimBlock added;
    added.header = block.header;
    added.transactions = block.transactions;
    return store(std::move(added));
}

const SimBlock* ChainBuilder::find(const chain::Hash256& hash) const {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : found->second;
}

const SimBlock& ChainBuilder::ancestor(const chain::Hash256& tip, std::int32_t height) const {
    const auto* block = by_hash_.at(tip);
    while (block->height > height)
        block = by_hash_.at(block->header.previous);
    return *block;
}

std::vector<const SimBlock*> ChainBuilder::branch(const chain::Hash256& tip) const {
    const auto* block = by_hash_.at(tip);
    std::vector<const SimBlock*> blocks(static_cast<std::size_t>(block->height) + 1);
    for (; block; block = find(block->header.previous))
        blocks[static_cast<std::size_t>(block->height)] = block;
    return blocks;
}

const SimBlock& ChainBuilder::fork(const chain::Hash256& a, const chain::Hash256& b) const {
    const auto* left = by_hash_.at(a);
    const auto* right = by_hash_.at(b);
    while (left != right) {
        if (left->height >= right->height) {
            left = by_hash_.at(left->header.previous);
        } else {
            right = by_hash_.at(right->header.previous);
        }
    }
    return *left;
}

chain::Transaction ChainBuilder::pay(ByteView script_pubkey, Amount amount) {
    return pay({{amount, Bytes(script_pubkey.begin(), script_pubkey.end())}});
}

chain::Transaction ChainBuilder::pay(const std::vector<chain::TxOut>& outputs) {
    const chain::OutPoint coin{chain::hash256(number_push(++serial_)), 0};
    return spend({coin}, outputs);
}

chain::Transaction ChainBuilder::spend(const std::vector<chain::OutPoint>& coins,
                                       const std::vector<chain::TxOut>& outputs) {
    chain::Transaction tx;
    for (const auto& coin : coins) {
        chain::TxIn input;
        input.prevout = coin;
        input.witness = {Bytes(71, 0x30), Bytes(33, 0x02)};
        tx.inputs.push_back(std::move(input));
    }
    tx.outputs = outputs;
    return tx;
}

} // namespace headlight::regtest
