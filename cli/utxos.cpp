// `utxos`: the coins that no confirmed transaction has spent.
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"
#include "wallet/address.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

using wallet::Coin;

boost::json::object to_json(const View& view, const Coin& coin) {
    const auto& script = coin.output.script_pubkey;
    const auto address = wallet::encode_address(script, view.wallet().network());
    boost::json::object object{{"txid", coin.outpoint.txid.to_string()},
                               {"vout", coin.outpoint.index},
                               {"amount", coin.output.amount}};
    object["address"] = address ? boost::json::value(*address) : nullptr;
    object["script"] = to_hex(script);
    object["height"] = coin.height >= 0 ? boost::json::value(coin.height) : nullptr;
    object["confirmations"] = view.confirmations(coin.height);
    object["coinbase"] = coin.coinbase;
    object["spent_by"] = coin.spent_by ? boost::json::value(coin.spent_by->to_string()) : nullptr;
    object["label"] = label_json(script_label(view.wallet(), script));
    return object;
}

std::string remark(const View& view, const Coin& coin) {
    if (coin.spent_by) return "spent by pending " + coin.spent_by->to_string();
    if (coin.coinbase && view.confirmations(coin.height) < wallet::coinbase_confirmations)
        return "immature";
    return "";
}

std::string as_table(const View& view, const std::vector<Coin>& coins) {
    using enum Table::Align;
    const bool labelled = std::ranges::any_of(coins, [&](const Coin& coin) {
        return !script_label(view.wallet(), coin.output.script_pubkey).empty();
    });
    std::vector<Table::Column> columns{{"OUTPUT"},
                                       {"AMOUNT", right},
                                       {"BLOCK", right},
                                       {"CONFIRMATIONS", right},
                                       {"ADDRESS OR SCRIPT"},
                                       {"REMARK"}};
    if (labelled) columns.push_back({"LABEL"});
    Table table(std::move(columns));
    for (const auto& coin : coins) {
        const auto& script = coin.output.script_pubkey;
        const auto address = wallet::encode_address(script, view.wallet().network());
        std::vector<std::string> row{coin.outpoint.to_string(),
                                     format_amount(coin.output.amount),
                                     coin.height >= 0 ? std::to_string(coin.height) : "-",
                                     std::to_string(view.confirmations(coin.height)),
                                     address ? *address : to_hex(script),
                                     remark(view, coin)};
        if (labelled) row.push_back(script_label(view.wallet(), script));
        table.add(std::move(row));
    }
    return table.to_string();
}

} // namespace

result<void> perform(Context& context, const command::Utxos&) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto coins = view->wallet().ledger().coins();
    if (context.out.json()) {
        boost::json::array array;
        for (const auto& coin : coins)
            array.push_back(to_json(*view, coin));
        context.out.value(array);
    } else if (coins.empty()) {
        context.out.text("No coins.\n");
    } else {
        context.out.text(as_table(*view, coins));
    }
    return {};
}

} // namespace headlight::cli
