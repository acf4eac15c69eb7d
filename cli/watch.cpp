// `watch`: adds what others hold the keys of. All items are understood before anything is changed.
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

result<Count> add_all(wallet::Wallet& wallet, const std::vector<Descriptor>& all, std::uint32_t gap,
                      Birthday birthday) {
    Count counted;
    for (const auto& descriptor : all) {
        const auto added = wallet.add(descriptor, gap, birthday, false);
        if (!added) return added.error();
        ++(added->is_new ? counted.added : counted.known);
    }
    return counted;
}

void label_all(wallet::Wallet& wallet, const std::vector<Descriptor>& all,
               const std::string& label) {
    if (label.empty()) return;
    for (const auto& descriptor : all)
        wallet.set_label(label_name(descriptor, wallet.network()), label);
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
    const auto all = parse_watch_items(context, watch.items, watch.file);
    if (!all) return all.error();
    auto opened = open_or_new(context);
    if (!opened) return opened.error();
    const auto birthday = watch.birthday.value_or(Birthday{});
    const auto counted = add_all(*opened->wallet, *all, watch.gap, birthday);
    if (!counted) return counted.error();
    label_all(*opened->wallet, *all, watch.label);
    const auto scripts = static_cast<std::int64_t>(opened->wallet->scripts().size());
    if (auto stored = store(context, *opened); !stored) return stored;

    if (counted->added > 0) {
        const auto from = watch.birthday ? to_text(birthday) : "the first block";
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
