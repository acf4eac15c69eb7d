#include "regtest/oracle.hpp"

namespace headlight::regtest {

namespace {

class Counter {
  public:
    explicit Counter(const IsOurs& ours) : ours_(ours) {}

    /// Whether the transaction is ours; its coins come and go.
    bool take(const chain::Transaction& tx, const chain::Hash256& id, std::int32_t height) {
        bool relevant = false;
        for (const auto& input : tx.inputs)
            relevant |= coins.erase(input.prevout) > 0;
        for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
            if (!ours_(tx.outputs[i].script_pubkey)) continue;
            coins[{id, i}] = {tx.outputs[i], height, tx.is_coinbase()};
            relevant = true;
        }
        return relevant;
    }

    std::map<chain::OutPoint, ExpectedCoin> coins;

  private:
    const IsOurs& ours_;
};

wallet::Balance balance_of(const std::map<chain::OutPoint, ExpectedCoin>& coins, std::int32_t tip) {
    wallet::Balance balance;
    for (const auto& [outpoint, coin] : coins) {
        const bool young = tip - coin.height + 1 < wallet::coinbase_confirmations;
        auto& part = coin.height < 0          ? balance.unconfirmed
                     : coin.coinbase && young ? balance.immature
                                              : balance.confirmed;
        part += coin.output.amount;
    }
    return balance;
}

} // namespace

Expected expect(const ChainBuilder& chain, const chain::Hash256& tip, const IsOurs& ours,
                const std::vector<chain::Transaction>& pending, std::int32_t first) {
    Expected expected;
    Counter counter(ours);
    const auto blocks = chain.branch(tip);
    for (const auto* block : blocks) {
        if (block->height < first) continue;
        for (std::size_t i = 0; i < block->transactions.size(); ++i)
            if (counter.take(block->transactions[i], block->txids[i], block->height))
                expected.confirmed.emplace(block->txids[i], block->height);
    }
    for (const auto& tx : pending)
        if (counter.take(tx, txid(tx), -1)) expected.pending.insert(txid(tx));
    expected.coins = std::move(counter.coins);
    expected.balance = balance_of(expected.coins, blocks.back()->height);
    return expected;
}

} // namespace headlight::regtest
