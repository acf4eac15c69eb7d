// The small world that the engine's fuzz target plays in, built once: a chain with three forks that
// pays one wallet, and what that wallet must hold after each of its blocks.
#pragma once

#include "chain/script.hpp"
#include "regtest/oracle.hpp"
#include "regtest/script_memory.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/wallet.hpp"

#include <array>

namespace headlight::tests {

inline const chain::Network& regtest_network() { return chain::network(chain::NetworkId::regtest); }

class EngineChain {
  public:
    static constexpr std::size_t branches = 4;

    EngineChain() : descriptor_(make_descriptor()), derive_(regtest::remembered_scripts()) {
        for (std::uint32_t branch = 0; branch < 2; ++branch) {
            for (std::uint32_t index = 0; index < 700; ++index)
                scripts_.insert(derive_(descriptor_, branch, index).value());
        }
        const auto made = wallet::Wallet::create(regtest_network(), 0x1234, 0, {}, derive_);
        made->add(descriptor_, 20, {}, true).value();
        fresh_ = made->state();
        build();
        find_truth();
    }

    regtest::ChainBuilder& chain() { return chain_; }
    const std::array<chain::Hash256, branches>& tips() const { return tips_; }
    /// Transactions that no block holds, some of them in conflict with each other.
    const std::vector<chain::Transaction>& loose() const { return loose_; }
    const std::vector<const regtest::SimBlock*>& blocks() const { return blocks_; }

    /// A wallet with nothing scanned.
    const wallet::WalletState& fresh() const { return fresh_; }
    std::unique_ptr<wallet::Wallet> load(const wallet::WalletState& state) const {
        return wallet::Wallet::load(state, regtest_network(), derive_).value();
    }

    /// What a wallet holds that has seen everything up to this block; null for others' blocks.
    const regtest::Expected* expected(const chain::Hash256& block) const {
        const auto found = truth_.find(block);
        return found == truth_.end() ? nullptr : &found->second;
    }
    bool holds(const chain::Hash256& txid) const { return txids_.contains(txid); }

  private:
    static wallet::Descriptor make_descriptor() {
        const auto master = wallet::master_key(Bytes(32, 1));
        const auto text =
            wallet::account_descriptor(*master, wallet::AccountKind::wpkh, 0, regtest_network());
        return wallet::Descriptor::parse(*text, regtest_network()).value();
    }

    Bytes script(std::uint32_t index, std::uint32_t branch = 0) const {
        return derive_(descriptor_, branch, index).value();
    }
    static chain::TxOut to_stranger(Amount amount) {
        return {amount, chain::witness_script(0, Bytes(20, 0x77))};
    }
    static chain::OutPoint coin(const chain::Transaction& tx, std::uint32_t index = 0) {
        return {chain::txid(tx), index};
    }
    chain::Hash256 mine(const chain::Hash256& parent, std::vector<chain::Transaction> transactions,
                        Bytes coinbase_script = {}) {
        regtest::BlockPlan plan;
        plan.transactions = std::move(transactions);
        plan.coinbase_script = std::move(coinbase_script);
        return chain_.mine(parent, std::move(plan)).hash;
    }

    void build() {
        auto at = mine(chain_.genesis().hash, {chain_.pay({to_stranger(1)})});
        const auto first = chain_.pay(script(0), 1'000);
        const auto second = chain_.pay(script(3), 2'000);
        at = mine(at, {first, chain_.pay({to_stranger(2)})});
        at = mine(at, {second}, script(4));
        at = chain_.mine_empty(at, 3).hash;
        // Nothing of it is ours but what it spends; and a spend with change.
        const auto swept = regtest::ChainBuilder::spend({coin(first)}, {to_stranger(900)});
        const auto change =
            regtest::ChainBuilder::spend({coin(second)}, {to_stranger(500), {1'400, script(0, 1)}});
        at = mine(at, {swept});
        at = mine(at, {change});
        const auto low_fork = at; // at height 8
        // One block uses more new indexes than any filter holds so far.
        std::vector<chain::Transaction> jump;
        for (std::uint32_t index = 5; index < 260; index += 19)
            jump.push_back(chain_.pay(script(index), 10'000 + index));
        at = mine(at, jump);
        const auto far = chain_.pay(script(270), 3'000);
        at = mine(at, {far, chain_.pay({to_stranger(3)})});
        at = chain_.mine_empty(at, 6).hash;
        const auto fork = at; // at height 16
        const auto left = regtest::ChainBuilder::spend({coin(far)}, {{2'900, script(1, 1)}});
        const auto right = regtest::ChainBuilder::spend({coin(far)}, {to_stranger(2'800)});
        at = mine(at, {left});
        at = mine(at, {regtest::ChainBuilder::spend({coin(left)}, {{2'700, script(2, 1)}})});
        at = chain_.mine_empty(at, 6).hash;
        tips_[0] = at; // at height 24
        tips_[1] = mine(chain_.mine_empty(at, 2).hash, {chain_.pay(script(280), 50)});
        at = mine(fork, {right}, script(275)); // heavier, and contradicts
        at = mine(at, {chain_.pay(script(281), 70)});
        tips_[2] = chain_.mine_empty(at, 12).hash;             // at height 30
        tips_[3] = mine(low_fork, {chain_.pay(script(6), 5)}); // light
        const auto pending = chain_.pay(script(282), 77);
        loose_ = {pending,
                  left,
                  right,
                  swept,
                  regtest::ChainBuilder::spend({coin(pending)}, {{70, script(3, 1)}}),
                  regtest::ChainBuilder::spend({coin(pending)}, {to_stranger(60)}),
                  chain_.pay({to_stranger(4)})};
    }

    void find_truth() {
        const auto ours = [&](ByteView it) {
            return scripts_.contains(Bytes(it.begin(), it.end()));
        };
        std::set<chain::Hash256> seen;
        for (const auto& tip : tips_) {
            for (const auto* block : chain_.branch(tip)) {
                if (!seen.insert(block->hash).second) continue;
                blocks_.push_back(block);
                truth_.emplace(block->hash, regtest::expect(chain_, block->hash, ours));
                txids_.insert(block->txids.begin(), block->txids.end());
            }
        }
    }

    regtest::ChainBuilder chain_;
    wallet::Descriptor descriptor_;
    wallet::DeriveScript derive_;
    std::set<Bytes> scripts_;
    wallet::WalletState fresh_;
    std::array<chain::Hash256, branches> tips_;
    std::vector<chain::Transaction> loose_;
    std::vector<const regtest::SimBlock*> blocks_;
    std::map<chain::Hash256, regtest::Expected> truth_;
    std::set<chain::Hash256> txids_;
};

} // namespace headlight::tests
