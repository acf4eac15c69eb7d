// Makes blocks on top of a node's chain: regtest, where every second hash is enough work.
#pragma once

#include "conform/maker.hpp"
#include "conform/scene.hpp"

namespace headlight::conform {

/// The output script that anybody spends with the witness of anyone_witness(): a script hash of
/// OP_TRUE.
Bytes anyone_script();
std::vector<Bytes> anyone_witness();

class Mill {
  public:
    /// Starts at the node's tip. Errors: those of the maker.
    static result<Mill> open(Maker& maker, const chain::Network& network);

    const Maker::Tip& tip() const { return tip_; }
    /// What a block may pay out at the next height.
    Amount subsidy() const;
    /// Mines on the tip, which it becomes; the coinbase pays to anybody.
    result<SceneBlock> mine(std::vector<chain::Transaction> transactions = {});
    /// Goes on from `tip`, an ancestor of the one before.
    void go_back(const Maker::Tip& tip) { tip_ = tip; }

  private:
    Mill(Maker& maker, const Maker::Tip& tip, std::uint32_t bits)
        : maker_(&maker), tip_(tip), bits_(bits) {}
    chain::Transaction coinbase(const std::vector<chain::Transaction>& others);

    Maker* maker_;
    Maker::Tip tip_;
    std::uint32_t bits_ = 0;
    std::uint64_t serial_ = 0;
};

} // namespace headlight::conform
