#include "wallet/unwatch.hpp"

#include <algorithm>

namespace headlight::wallet {

Unwatched unwatch(const Wallet& wallet, std::vector<std::uint32_t> ids) {
    Unwatched done{.changes = {}, .scripts_left = wallet.scripts().size()};
    for (const auto id : ids)
        done.scripts_left -= wallet.scripts().scripts_of(id);
    const auto stays = [&](const ScriptRef& ref) {
        return !std::ranges::binary_search(ids, ref.descriptor);
    };
    for (const auto& stored : wallet.ledger().all())
        if (!wallet.ledger().relevant(stored.tx, stays)) done.changes.erased.push_back(stored.txid);
    done.changes.removed = std::move(ids);
    return done;
}

} // namespace headlight::wallet
