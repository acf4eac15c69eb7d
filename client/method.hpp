// How a sync gets its blocks, and what a wallet remembers of what was chosen for its filter.
#pragma once

#include "chain/result.hpp"
#include "wallet/wallet.hpp"

#include <optional>

namespace headlight::client {

enum class Method {
    bip37, ///< filtered by the peers
    full,  ///< whole blocks, matched here: nothing is told to anybody
    either ///< filtered ones, and whole ones where no peer filters or no filter is large enough
};

/// What is chosen for the filter; absent: as it was chosen last.
struct FilterChoice {
    std::optional<double> fp_rate{};
    std::optional<std::uint32_t> split{};
    std::optional<bool> whole_blocks{}; ///< none at all
};

/// Notes in the wallet what is chosen for its filter; the usual rate where none ever was.
void remember(wallet::Wallet& wallet, const FilterChoice& choice);
/// And spreads it over parts, as the next sync by filters would: for looking at what that loads.
void prepare(wallet::Wallet& wallet, FilterChoice choice = {});

/// too_large, when all the filters there may be cannot hold what the wallet watches at its rate.
std::optional<Error> too_many_for_filters(const wallet::Wallet& wallet);

} // namespace headlight::client
