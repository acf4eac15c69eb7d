#include "tests/sim/swarm/payer.hpp"

#include "chain/script.hpp"
#include "wallet/ledger.hpp"

#include <algorithm>

namespace headlight::tests {

using regtest::ChainBuilder;
using regtest::Dice;

Payer::Payer(ChainBuilder& chain, Keyring& keyring, const Knobs& knobs, std::uint64_t seed)
    : chain_(&chain),
      keyring_(&keyring),
      knobs_(&knobs),
      spacing_(Dice(seed, "spacing").one_in(3) ? 7'200 : 60),
      busy_(1 + Dice(seed, "busy").below(8)),
      payments_(seed, "payments"),
      jumps_(seed, "jumps"),
      spends_(seed, "spends"),
      strangers_(seed, "strangers"),
      coinbases_(seed, "coinbases"),
      pending_(seed, "pending"),
      offered_(seed, "offered") {}

// Blocks

chain::Hash256 Payer::grow(chain::Hash256 tip, std::uint64_t count,
                           std::vector<chain::Transaction> offered) {
    Purse purse(*keyring_, *chain_, tip);
    auto height = chain_->find(tip)->height;
    for (std::uint64_t i = 0; i < count; ++i) {
        Draft draft{&purse, ++height};
        draft.plan.time = chain_->find(tip)->header.time + spacing_;
        add_offered(draft, offered);
        add_payments(draft);
        add_jump(draft);
        add_spends(draft);
        add_strangers(draft);
        add_coinbase(draft);
        const auto& block = chain_->mine(tip, std::move(draft.plan));
        purse.take(block.transactions[0], block.txids[0], height);
        keyring_->note(block.txids[0]);
        tip = block.hash;
    }
    return tip;
}

void Payer::add(Draft& draft, chain::Transaction tx) {
    draft.purse->take(tx, chain::txid(tx), draft.height);
    draft.plan.transactions.push_back(std::move(tx));
}

void Payer::add_offered(Draft& draft, std::vector<chain::Transaction>& offered) {
    std::vector<chain::Transaction> left;
    for (auto& tx : offered) {
        const auto fate = offered_.below(16);
        if (fate < 4 || !draft.purse->admits(tx, gap_, draft.height)) {
            left.push_back(std::move(tx));
        } else if (fate == 4) { // on this branch another one gets the coin
            add(draft, rival(tx, *draft.purse, draft.height));
        } else {
            add(draft, std::move(tx));
        }
    }
    offered = std::move(left);
}

void Payer::add_payments(Draft& draft) {
    if (!payments_.one_in(busy_)) return;
    const auto many = payments_.one_in(12) ? payments_.below(25) : payments_.below(2);
    for (std::uint64_t i = 0; i <= many; ++i)
        add(draft, receive(*draft.purse, draft.height, payments_));
}

/// The gap is used up again and again in one block, now and then beyond all look-ahead.
void Payer::add_jump(Draft& draft) {
    // Each costs the blocks in flight; in a long chain that adds up.
    if (!jumps_.one_in(24 + static_cast<std::uint64_t>(draft.height) / 8)) return;
    const auto times = jumps_.one_in(4) ? 14 : 1 + jumps_.below(3);
    std::vector<chain::Transaction> jumps;
    for (std::uint64_t i = 0; i < times; ++i) {
        const auto far = place(*draft.purse, draft.height, jumps_, true);
        if (!far || !knobs_->jumps) return;
        auto tx = made(chain_->pay(keyring_->script(*far), jumps_.between(1'000, 9'000)));
        draft.purse->take(tx, chain::txid(tx), draft.height);
        jumps.push_back(std::move(tx));
    }
    // Which of them a filter matches first must not matter.
    if (jumps_.one_in(2)) std::ranges::reverse(jumps);
    std::ranges::move(jumps, std::back_inserter(draft.plan.transactions));
}

void Payer::add_spends(Draft& draft) {
    if (!spends_.one_in(busy_)) return;
    // One after the other, so that some spend what the ones before them made in this very block.
    const auto many = spends_.one_in(6) ? 1 + spends_.below(5) : 1;
    for (std::uint64_t i = 0; i < many; ++i) {
        if (auto tx = spend(*draft.purse, draft.height, spends_); tx && knobs_->spends)
            add(draft, std::move(*tx));
    }
}

void Payer::add_strangers(Draft& draft) {
    if (!strangers_.one_in(3)) return;
    const auto many = strangers_.one_in(20) ? 30 : 1 + strangers_.below(4);
    for (std::uint64_t i = 0; i < many; ++i) {
        auto tx = chain_->pay({to_stranger(strangers_.between(1, 1'000), strangers_)});
        if (!knobs_->strangers) continue;
        const auto at = strangers_.below(draft.plan.transactions.size() + 1);
        draft.plan.transactions.insert(
            draft.plan.transactions.begin() + static_cast<std::ptrdiff_t>(at), std::move(tx));
    }
}

void Payer::add_coinbase(Draft& draft) {
    if (!coinbases_.one_in(25)) return;
    const auto ours = place(*draft.purse, draft.height, coinbases_);
    if (ours && knobs_->coinbase) draft.plan.coinbase_script = keyring_->script(*ours);
}

// Transactions

chain::Transaction Payer::made(chain::Transaction tx) {
    keyring_->note(chain::txid(tx));
    return tx;
}

chain::TxOut Payer::to_stranger(Amount amount, Dice& dice) const {
    const auto name = chain::hash256(as_bytes(std::to_string(dice.next())));
    const ByteView hash(name.bytes);
    if (dice.one_in(3)) return {amount, chain::pkh_script(chain::hash160(hash))};
    if (dice.one_in(2)) return {amount, chain::witness_script(1, hash)};
    return {amount, chain::witness_script(0, hash.first(20))};
}

/// An index within the gap; `furthest`: the last one.
std::optional<ScriptPlace> Payer::place(const Purse& purse, std::int32_t height, Dice& dice,
                                        bool furthest) {
    const auto item = dice.below(keyring_->items().size());
    const auto& [descriptor, since] = keyring_->items()[item];
    const auto branch = static_cast<std::uint32_t>(dice.below(descriptor.branches()));
    const auto step = furthest ? gap_ : dice.below(dice.one_in(4) ? gap_ + 1 : 2);
    const auto used = dice.one_in(6);
    if (height < since) return std::nullopt;
    if (!descriptor.ranged()) return ScriptPlace{item, branch, 0};
    auto index =
        std::max<std::int64_t>(purse.highest(item, branch) + static_cast<std::int64_t>(step), 0);
    if (used && !furthest) index = std::max<std::int64_t>(purse.highest(item, branch), 0);
    return ScriptPlace{item, branch, static_cast<std::uint32_t>(index)};
}

std::optional<chain::TxOut> Payer::to_us(const Purse& purse, std::int32_t height, Amount amount,
                                         Dice& dice) {
    const auto ours = place(purse, height, dice);
    if (!ours) return std::nullopt;
    return chain::TxOut{amount, keyring_->script(*ours)};
}

chain::Transaction Payer::receive(const Purse& purse, std::int32_t height, Dice& dice) {
    std::vector<chain::TxOut> outputs;
    const auto outputs_wanted = 1 + dice.below(3);
    for (std::uint64_t i = 0; i < outputs_wanted; ++i) {
        if (i > 0 && dice.one_in(2)) outputs.push_back(to_stranger(700, dice));
        if (auto ours = to_us(purse, height, dice.between(1'000, 90'000), dice); ours && i < 2)
            outputs.push_back(std::move(*ours));
    }
    if (outputs.empty()) outputs.push_back(to_stranger(5, dice));
    return made(chain_->pay(outputs));
}

/// Of one to three coins; half of them without change, which only the outpoint gives away.
std::optional<chain::Transaction> Payer::spend(const Purse& purse, std::int32_t height,
                                               Dice& dice) {
    auto coins = purse.coins();
    std::erase_if(coins, [&](const PurseCoin& coin) {
        return coin.coinbase && height - coin.height < wallet::coinbase_confirmations;
    });
    const auto wanted = dice.one_in(4) ? 3 : 1;
    std::vector<chain::OutPoint> spent;
    Amount amount = 0;
    for (int i = 0; i < wanted && !coins.empty(); ++i) {
        const auto at = dice.below(coins.size());
        spent.push_back(coins[at].outpoint);
        amount += coins[at].amount;
        coins.erase(coins.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (spent.empty()) return std::nullopt;
    std::vector<chain::TxOut> outputs{to_stranger(amount / 3, dice)};
    auto change = to_us(purse, height, amount / 2, dice);
    if (change && dice.one_in(2)) outputs.push_back(std::move(*change));
    if (dice.one_in(2)) std::ranges::reverse(outputs);
    return made(ChainBuilder::spend(spent, outputs));
}

chain::Transaction Payer::rival(const chain::Transaction& tx, const Purse& purse,
                                std::int32_t height) {
    std::vector<chain::TxOut> outputs{to_stranger(pending_.between(1, 300), pending_)};
    if (auto ours = to_us(purse, height, 200, pending_); ours && pending_.one_in(2))
        outputs.push_back(std::move(*ours));
    return made(ChainBuilder::spend({tx.inputs.front().prevout}, outputs));
}

std::optional<chain::Transaction> Payer::pending(const chain::Hash256& tip,
                                                 const std::vector<chain::Transaction>& mempool) {
    Purse purse(*keyring_, *chain_, tip);
    const auto height = chain_->find(tip)->height + 1;
    const Purse confirmed = purse;
    for (const auto& tx : mempool)
        purse.take(tx, chain::txid(tx), height);
    if (!mempool.empty() && pending_.one_in(4))
        return rival(pending_.pick(mempool), confirmed, height);
    if (pending_.one_in(3)) return spend(purse, height, pending_);
    return receive(purse, height, pending_);
}

} // namespace headlight::tests
