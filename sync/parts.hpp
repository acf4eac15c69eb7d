// The parts that a wallet's scripts are spread over. Each part has a filter of its own, on
// connections of its own: several to one peer where one filter cannot hold everything (shards), or
// one for each group of peers so that nobody is shown all (split).
//
// A script's part follows from its bytes and the wallet's secret, so it stays where it is whatever
// else is watched; when the shards are doubled, each part falls into two and none changes its
// group.
#pragma once

#include "wallet/wallet.hpp"

namespace headlight::sync {

class Parts {
  public:
    /// By the wallet's parameters as they are now. The wallet outlives this.
    explicit Parts(const wallet::Wallet& wallet) : Parts(wallet, wallet.filter()) {}
    /// By others, that it may get.
    Parts(const wallet::Wallet& wallet, wallet::FilterParameters parameters);

    std::uint32_t count() const { return count_; }
    /// Of any script.
    std::uint32_t of(ByteView script_pubkey) const;
    /// Of the script at this place of the book's log.
    std::uint32_t at(std::size_t position) const;
    /// Of a coin that the ledger knows.
    std::uint32_t of(const chain::OutPoint& coin) const;

  private:
    const wallet::Wallet& wallet_;
    const wallet::FilterParameters parameters_;
    const std::uint32_t count_;
    mutable std::vector<std::uint8_t> at_; ///< by place in the log, as far as asked
};

/// The parts that a peer of this group ("host:port" is in FilterParameters::groups) serves.
std::vector<std::uint32_t> parts_of_group(const wallet::FilterParameters& parameters,
                                          std::uint32_t group);

/// The tweak of a part's filter. `identity` is whom the peer knows us as, where that is not to be
/// one and the same for all (a circuit of a proxy); a wallet with one part and one identity has the
/// tweak that it was made with. Two of these tweaks tell nothing of a third one.
std::uint32_t tweak_of(const wallet::FilterParameters& parameters, std::uint32_t part,
                       std::string_view identity);

/// With so many groups. Another number of them spreads all scripts anew, so that fewer shards may
/// do then.
wallet::FilterParameters with_split(wallet::FilterParameters parameters, std::uint32_t split);

/// Decides, at the start of a run, over how many parts the scripts are spread, and which peer
/// ("host:port") belongs to which group. Changes only what has to change.
void choose_parts(wallet::Wallet& wallet, double fp_rate, std::uint32_t split,
                  const std::vector<std::string>& peers);

} // namespace headlight::sync
