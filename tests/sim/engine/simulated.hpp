// A wallet among simulated nodes, and the slow, obvious truth to hold it against.
#pragma once

#include "chain/script.hpp"
#include "regtest/oracle.hpp"
#include "regtest/sim_world.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/wallet.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {

using regtest::BlockPlan;
using regtest::ChainBuilder;
using regtest::SimNode;
using regtest::SimNodeConfig;
using regtest::SimWorld;

inline const chain::Network& regtest_network() { return chain::network(chain::NetworkId::regtest); }

/// The account of a seed that nobody uses, of one kind: receive and change.
wallet::Descriptor account(wallet::AccountKind kind = wallet::AccountKind::wpkh,
                           std::uint8_t seed = 1);

class Simulated : public testing::Test {
  protected:
    Simulated();

    /// Puts a wallet with these descriptors on the disk, nothing scanned.
    void make_wallet(const std::vector<wallet::Descriptor>& descriptors, std::uint32_t gap = 20);

    /// Our script at a place of the first (or another) descriptor.
    Bytes script(std::uint32_t index, std::uint32_t branch = 0, std::uint32_t descriptor = 0);
    chain::Transaction pay(std::uint32_t index, Amount amount = 100'000, std::uint32_t branch = 0);
    static chain::TxOut to_stranger(Amount amount);
    static chain::OutPoint coin(const chain::Transaction& tx, std::uint32_t index = 0) {
        return {chain::txid(tx), index};
    }

    /// A node of this world that stands at `tip`.
    SimNode& node(const chain::Hash256& tip, std::vector<regtest::FaultChoice> faults = {},
                  bool noban = false);
    bool dropped(const SimNode& node, sync::DropReason reason) const;
    sync::Statistics statistics() const { return world->engine().statistics(); }

    /// Runs the client to its end; it must end by itself, and well.
    void sync(sync::Config config = {});
    /// The same when it must fail, with this error code.
    void sync_fails(std::string_view code, sync::Config config = {});
    /// What the disk holds is what the branch ending in `tip` (the first node's by default) says.
    void expect_right(std::optional<chain::Hash256> tip = {},
                      const std::vector<chain::Transaction>& pending = {});
    std::unique_ptr<wallet::Wallet> stored() const;
    /// Of the wallet on the disk, which gets a secret as well.
    void change_filter(const std::function<void(wallet::FilterParameters&)>& change);
    wallet::Balance balance() const;
    bool warned(std::string_view code) const;
    std::string places(const chain::Hash256& txid) const;
    std::string story() const; ///< the last actions, for messages

    ChainBuilder chain;
    std::unique_ptr<SimWorld> world; ///< new_world() starts another with its own seed
    void new_world(std::uint64_t seed);

  private:
    std::vector<wallet::Descriptor> descriptors_;
};

} // namespace headlight::tests
