// `unwatch`: removes what was given to `watch`.
#include "wallet/unwatch.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/text.hpp"
#include "cli/watch_items.hpp"
#include "client/client.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::Descriptor;

Error own_descriptor(const Descriptor& descriptor) {
    return {errc::bad_argument, descriptor.text() + " is not removed",
            "`create` made it: it is what this wallet is for",
            "Leave it, or move the wallet's file away"};
}

Error not_watched(const wallet::Wallet& wallet, const Descriptor& descriptor) {
    const auto name = label_name(descriptor, wallet.network());
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

/// An extended public key stands for several descriptors; some of them may have gone before.
result<std::set<std::uint32_t>> find_all(const wallet::Wallet& wallet,
                                         const std::vector<Descriptor>& all, bool several) {
    std::set<std::uint32_t> ids;
    std::optional<Error> missing;
    for (const auto& descriptor : all) {
        const auto id = wallet.scripts().id_of(descriptor);
        if (!id) {
            missing = not_watched(wallet, descriptor);
            if (!several) return *missing;
        } else if (wallet.scripts().state(*id).generated) {
            return own_descriptor(descriptor);
        } else {
            ids.insert(*id);
        }
    }
    if (ids.empty() && missing) return *missing;
    return ids;
}

result<std::set<std::uint32_t>> find_items(const Context& context, const wallet::Wallet& wallet,
                                           const command::Unwatch& unwatch) {
    std::set<std::uint32_t> ids;
    const auto take = [&](const std::vector<Descriptor>& all, bool several) -> result<void> {
        auto found = find_all(wallet, all, several);
        if (!found) return found.error();
        ids.merge(*found);
        return {};
    };
    for (const auto& item : unwatch.items) {
        const auto parsed = parse_watch_items(context, {item}, {});
        if (!parsed) return parsed.error();
        if (const auto taken = take(*parsed, true); !taken) return taken.error();
    }
    if (unwatch.file.empty()) return ids;
    const auto parsed = parse_watch_items(context, {}, unwatch.file);
    if (!parsed) return parsed.error();
    if (const auto taken = take(*parsed, false); !taken) return taken.error();
    return ids;
}

} // namespace

result<void> perform(Context& context, const command::Unwatch& unwatch) {
    auto opened = client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_write);
    if (!opened) return opened.error();
    const auto ids = find_items(context, *opened->wallet, unwatch);
    if (!ids) return ids.error();
    const auto done = wallet::unwatch(opened->wallet->state(), *ids, context.network());
    if (!done) return done.error();
    if (auto stored = opened->db->apply(done->changes); !stored) return stored;

    const auto removed = static_cast<std::int64_t>(ids->size());
    const auto forgotten = static_cast<std::int64_t>(done->changes.erased.size());
    const auto left = static_cast<std::int64_t>(done->scripts_left);
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
