#include "wallet/unwatch.hpp"

#include "wallet/wallet.hpp"

namespace headlight::wallet {

result<Unwatched> unwatch(const WalletState& state, const std::set<std::uint32_t>& ids,
                          const chain::Network& network) {
    auto rest = state;
    std::erase_if(rest.descriptors, [&](const auto& one) { return ids.contains(one.id); });
    const auto wallet = Wallet::load(std::move(rest), network);
    if (!wallet) return wallet.error();
    Unwatched done{.changes = {}, .scripts_left = (*wallet)->scripts().size()};
    done.changes.removed.assign(ids.begin(), ids.end());
    for (const auto& stored : state.transactions)
        if (!(*wallet)->ledger().relevant(stored.tx)) done.changes.erased.push_back(stored.txid);
    return done;
}

} // namespace headlight::wallet
