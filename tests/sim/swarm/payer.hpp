// Makes the transactions and the blocks of a world: what wallets receive and spend, and what only
// looks like it.
#pragma once

#include "tests/sim/swarm/knobs.hpp"
#include "tests/sim/swarm/purse.hpp"

namespace headlight::tests {

class Payer {
  public:
    Payer(regtest::ChainBuilder& chain, Keyring& keyring, const Knobs& knobs, std::uint64_t seed);

    /// The gap limit that wallets of this world keep.
    void set_gap(std::uint32_t gap) { gap_ = gap; }
    std::uint32_t gap() const { return gap_; }

    /// Seconds from block to block; in some worlds so many that birthdays by time matter.
    std::uint32_t spacing() const { return spacing_; }

    /// Mines `count` blocks on `tip`. They hold what `offered` has that they can hold (each
    /// transaction with three chances in four), and what comes to mind.
    chain::Hash256 grow(chain::Hash256 tip, std::uint64_t count,
                        std::vector<chain::Transaction> offered = {});
    /// A transaction for the mempool, given what stands there.
    std::optional<chain::Transaction> pending(const chain::Hash256& tip,
                                              const std::vector<chain::Transaction>& mempool);
    /// Another transaction that spends the first coin of this one.
    chain::Transaction rival(const chain::Transaction& tx, const Purse& purse, std::int32_t height);

  private:
    struct Draft { ///< a block under way
        Purse* purse;
        std::int32_t height;
        regtest::BlockPlan plan{};
    };

    void add(Draft& draft, chain::Transaction tx);
    void add_offered(Draft& draft, std::vector<chain::Transaction>& offered);
    void add_payments(Draft& draft);
    void add_jump(Draft& draft);
    void add_spends(Draft& draft);
    void add_strangers(Draft& draft);
    void add_coinbase(Draft& draft);

    chain::Transaction receive(const Purse& purse, std::int32_t height, regtest::Dice& dice);
    std::optional<chain::Transaction> spend(const Purse& purse, std::int32_t height,
                                            regtest::Dice& dice);
    std::optional<chain::TxOut> to_us(const Purse& purse, std::int32_t height, Amount amount,
                                      regtest::Dice& dice);
    std::optional<ScriptPlace> place(const Purse& purse, std::int32_t height, regtest::Dice& dice,
                                     bool furthest = false);
    chain::TxOut to_stranger(Amount amount, regtest::Dice& dice) const;
    chain::Transaction made(chain::Transaction tx);

    regtest::ChainBuilder* chain_;
    Keyring* keyring_;
    const Knobs* knobs_;
    std::uint32_t gap_ = 20;
    std::uint32_t spacing_;
    std::uint64_t busy_; ///< payments are made in one block of so many

    // A stream for each kind of choice.
    regtest::Dice payments_, jumps_, spends_, strangers_, coinbases_, pending_, offered_;
};

} // namespace headlight::tests
