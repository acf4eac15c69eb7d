// `wallets`: every wallet of the network. One that cannot be opened does not hide the others.
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

struct Entry {
    std::string name;
    std::int32_t scanned = -1;
    Amount total = 0;
    std::optional<Error> error;
};

Entry look_into(const client::Paths& all, const std::string& name, std::int32_t tip) {
    auto paths = all;
    paths.wallet = name;
    const auto opened = client::open_wallet(paths, wallet::store::WalletDb::Mode::read_only);
    if (!opened) return {.name = name, .error = opened.error()};
    const auto scanned = opened->wallet->scan().height;
    const auto balance = opened->wallet->ledger().balance(std::max(tip, scanned));
    return {.name = name, .scanned = scanned, .total = balance.total(), .error = {}};
}

boost::json::object to_json(const Entry& entry) {
    boost::json::object object{{"name", entry.name}};
    if (entry.error) {
        object["error"] = cli::to_json(*entry.error);
        return object;
    }
    object["scanned"] = entry.scanned;
    object["total"] = entry.total;
    return object;
}

std::string as_table(const std::vector<Entry>& entries) {
    using enum Table::Align;
    Table table({{"WALLET"}, {"SCANNED", right}, {"TOTAL", right}, {"REMARK"}});
    for (const auto& entry : entries) {
        if (entry.error)
            table.add({entry.name, "-", "-", to_string(*entry.error)});
        else
            table.add({entry.name, entry.scanned < 0 ? "-" : std::to_string(entry.scanned),
                       format_amount(entry.total), ""});
    }
    return table.to_string();
}

} // namespace

result<void> perform(Context& context, const command::Wallets&) {
    const auto headers = open_headers(context);
    if (!headers) return headers.error();
    std::vector<Entry> entries;
    for (const auto& name : client::wallet_names(context.paths))
        entries.push_back(look_into(context.paths, name, (*headers)->tip_height()));
    if (context.out.json()) {
        boost::json::array array;
        for (const auto& entry : entries)
            array.push_back(to_json(entry));
        context.out.value(array);
    } else {
        context.out.text(entries.empty()
                             ? "No wallets on " + std::string(context.network().name) + ".\n"
                             : as_table(entries));
    }
    return {};
}

} // namespace headlight::cli
