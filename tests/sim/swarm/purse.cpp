#include "tests/sim/swarm/purse.hpp"

#include "regtest/script_memory.hpp"

#include <algorithm>

namespace headlight::tests {

Keyring::Keyring(std::vector<WatchedItem> items)
    : items_(std::move(items)), derive_(regtest::remembered_scripts()) {}

Bytes Keyring::script(const ScriptPlace& place) {
    auto script = derive_(items_[place.item].descriptor, place.branch, place.index).value();
    places_.try_emplace(script, place);
    return script;
}

const ScriptPlace* Keyring::find(ByteView script_pubkey) const {
    const auto found = places_.find(Bytes(script_pubkey.begin(), script_pubkey.end()));
    return found == places_.end() ? nullptr : &found->second;
}

Purse::Purse(const Keyring& keyring) : keyring_(&keyring) {
    for (const auto& item : keyring.items())
        highest_.emplace_back(item.descriptor.branches(), -1);
}

Purse::Purse(const Keyring& keyring, const regtest::ChainBuilder& chain, const chain::Hash256& tip)
    : Purse(keyring) {
    for (const auto* block : chain.branch(tip)) {
        for (std::size_t i = 0; i < block->transactions.size(); ++i)
            take(block->transactions[i], block->txids[i], block->height);
    }
}

void Purse::take(const chain::Transaction& tx, const chain::Hash256& txid, std::int32_t height) {
    for (const auto& input : tx.inputs) {
        if (tx.is_coinbase()) continue;
        spent_.insert(input.prevout);
        std::erase_if(coins_,
                      [&](const PurseCoin& coin) { return coin.outpoint == input.prevout; });
    }
    for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
        const auto* place = keyring_->find(tx.outputs[i].script_pubkey);
        if (!place) continue;
        coins_.push_back({{txid, i}, tx.outputs[i].amount, height, tx.is_coinbase()});
        auto& highest = highest_[place->item][place->branch];
        highest = std::max<std::int64_t>(highest, place->index);
    }
}

bool Purse::can_spend(const chain::OutPoint& coin) const {
    if (spent_.contains(coin)) return false;
    return !keyring_->made(coin.txid) ||
           std::ranges::any_of(coins_, [&](const auto& ours) { return ours.outpoint == coin; });
}

bool Purse::admits(const chain::Transaction& tx, std::uint32_t gap, std::int32_t height) const {
    const bool spendable = std::ranges::all_of(
        tx.inputs, [&](const chain::TxIn& input) { return can_spend(input.prevout); });
    return spendable && std::ranges::all_of(tx.outputs, [&](const chain::TxOut& output) {
               const auto* place = keyring_->find(output.script_pubkey);
               return !place || (height >= keyring_->items()[place->item].since &&
                                 place->index <= highest(place->item, place->branch) + gap);
           });
}

} // namespace headlight::tests
