// `unwatch`: removes what was given to `watch`.
#include "wallet/unwatch.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/text.hpp"
#include "cli/watch_items.hpp"
#include "client/client.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

using wallet::Descriptor;

Error own_descriptor(const Descriptor& descriptor) {
    return {errc::bad_argument, descriptor.text() + " is not removed",
            "`create` made it: it is what this wallet is for",
            "Leave it, or move the wallet's file away"};
}

Error not_watched(const wallet::Wallet& wallet, const Descriptor& descriptor) {
    const auto name = label_name(descriptor.text());
    const auto script = descriptor.script_pubkey(0, 0);
    const auto places = script && !descriptor.ranged() ? wallet.scripts().find(*script)
                                                       : std::span<const wallet::ScriptRef>();
    if (places.empty())
        return {errc::not_found, name + " is not watched", "nothing like it was given to watch",
                "Look at `headlight list`"};
    return {errc::not_found, name + " cannot be removed by itself",
            "it belongs to " + wallet.scripts().descriptor(places.front().descriptor).text(),
            "Remove that one"};
}

using Ids = std::vector<std::uint32_t>;

/// An extended public key stands for `several` descriptors; some of them may have gone before.
result<void> find_all(const wallet::Wallet& wallet, const std::vector<Descriptor>& item,
                      bool several, Ids& ids) {
    const auto found_before = ids.size();
    std::optional<Error> missing;
    for (const auto& descriptor : item) {
        const auto id = wallet.scripts().id_of(descriptor);
        if (!id) {
            missing = not_watched(wallet, descriptor);
            if (!several) return *missing;
        } else if (wallet.scripts().is_generated(*id)) {
            return own_descriptor(descriptor);
        } else {
            ids.push_back(*id);
        }
    }
    if (ids.size() == found_before && missing) return *missing;
    return {};
}

/// Sorted, each once.
result<Ids> find_items(const Context& context, const wallet::Wallet& wallet,
                       const command::Unwatch& unwatch) {
    Ids ids;
    const auto take = [&](bool several) {
        return [&, several](const std::vector<Descriptor>& item) {
            return find_all(wallet, item, several, ids);
        };
    };
    if (const auto taken = for_items(context, unwatch.items, take(true)); !taken)
        return taken.error();
    if (!unwatch.file.empty()) {
        const auto lines = for_item_lines(context, unwatch.file, take(false));
        if (!lines) return lines.error();
        if (*lines == 0) return nothing_in(unwatch.file);
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

} // namespace

result<void> perform(Context& context, const command::Unwatch& unwatch) {
    auto opened = client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_write);
    if (!opened) return opened.error();
    auto ids = find_items(context, *opened->wallet, unwatch);
    if (!ids) return ids.error();
    const auto done = wallet::unwatch(*opened->wallet, std::move(*ids));
    if (auto stored = opened->db->apply(done.changes); !stored) return stored;

    const auto removed = static_cast<std::int64_t>(done.changes.removed.size());
    const auto forgotten = static_cast<std::int64_t>(done.changes.erased.size());
    const auto left = static_cast<std::int64_t>(done.scripts_left);
    context.out.note("The next sync loads a filter without it. A peer that kept the one before "
                     "can see what is gone.");
    if (context.out.json())
        context.out.value(boost::json::object{
            {"removed", removed}, {"transactions", forgotten}, {"scripts", left}});
    else
        context.out.text("Removed " + count(removed, "descriptor") + " and " +
                         count(forgotten, "transaction") + ". The wallet '" + context.paths.wallet +
                         "' watches " + count(left, "script") + ".\n");
    return {};
}

} // namespace headlight::cli
