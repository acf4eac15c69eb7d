// `watch`: adds what others hold the keys of. Nothing is stored unless all items are
// understood.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/text.hpp"
#include "cli/watch_items.hpp"
#include "client/client.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::Birthday;
using wallet::Descriptor;

// A wallet without a file yet has no db.
result<client::OpenWallet> open_or_new(const Context& context) {
    auto opened = client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_write);
    if (opened || opened.error().code != errc::wallet_missing) return opened;
    return client::OpenWallet{.db = nullptr,
                              .wallet = client::new_wallet(context.network(), {}, context.now())};
}

struct Count {
    std::int64_t added = 0;
    std::int64_t known = 0;
};

/// Into the wallet in memory: what is wrong with a later item leaves the file as it is.
result<Count> add_all(const Context& context, wallet::Wallet& wallet, const command::Watch& watch) {
    Count counted;
    const auto add = [&](const std::vector<Descriptor>& item) -> result<void> {
        for (const auto& descriptor : item) {
            const auto birthday = watch.birthday.value_or(Birthday{});
            const auto added = wallet.add(descriptor, watch.gap, birthday, false);
            if (!added) return added.error();
            ++(added->is_new ? counted.added : counted.known);
            if (!watch.label.empty()) wallet.set_label(label_name(descriptor.text()), watch.label);
        }
        return {};
    };
    if (const auto done = for_items(context, watch.items, add); !done) return done.error();
    if (watch.file.empty()) return counted;
    const auto lines = for_item_lines(context, watch.file, add);
    if (!lines) return lines.error();
    if (*lines == 0 && watch.items.empty()) return nothing_in(watch.file);
    return counted;
}

result<void> store(const Context& context, client::OpenWallet& opened) {
    if (opened.db) return opened.save();
    const auto stored = client::store_new_wallet(context.paths, std::move(opened.wallet));
    if (!stored) return stored.error();
    return {};
}

} // namespace

result<void> perform(Context& context, const command::Watch& watch) {
    if (!watch.label.empty()) {
        if (const auto good = check_label(watch.label); !good) return good.error();
    }
    auto opened = open_or_new(context);
    if (!opened) return opened.error();
    const auto counted = add_all(context, *opened->wallet, watch);
    if (!counted) return counted.error();
    const auto scripts = static_cast<std::int64_t>(opened->wallet->scripts().size());
    if (auto stored = store(context, *opened); !stored) return stored;

    if (counted->added > 0) {
        const auto from = watch.birthday ? to_text(*watch.birthday) : "the first block";
        context.out.note("The next sync scans for what is new from " + from + " on.");
    }
    if (context.out.json())
        context.out.value(boost::json::object{
            {"added", counted->added}, {"known", counted->known}, {"scripts", scripts}});
    else
        context.out.text("Added " + count(counted->added, "descriptor") + "; " +
                         std::to_string(counted->known) + " known before. The wallet '" +
                         context.paths.wallet + "' watches " + count(scripts, "script") + ".\n");
    return {};
}

} // namespace headlight::cli
