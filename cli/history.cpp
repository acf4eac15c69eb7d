// `history`: the wallet's transactions, oldest first.
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::HistoryEntry;

boost::json::object to_json(const HistoryEntry& entry) {
    boost::json::object object{{"txid", entry.txid.to_string()}};
    object["height"] = entry.height ? boost::json::value(*entry.height) : nullptr;
    object["block"] = entry.block ? boost::json::value(entry.block->to_string()) : nullptr;
    object["time"] = entry.time;
    object["amount"] = entry.amount;
    object["fee"] = entry.fee ? boost::json::value(*entry.fee) : nullptr;
    object["status"] = to_string(entry.status);
    object["stale"] = entry.stale;
    auto& conflicts = object["conflicts"].emplace_array();
    for (const auto& other : entry.conflicts)
        conflicts.emplace_back(other.to_string());
    return object;
}

std::string status_text(const HistoryEntry& entry) {
    std::string text(to_string(entry.status));
    if (entry.stale) text += ", not seen for 14 days";
    if (entry.status == wallet::TxStatus::pending && !entry.conflicts.empty())
        text += ", in conflict with " + entry.conflicts.begin()->to_string();
    return text;
}

std::string as_table(const std::vector<HistoryEntry>& history) {
    using enum Table::Align;
    Table table(
        {{"TIME"}, {"BLOCK", right}, {"AMOUNT", right}, {"FEE", right}, {"TXID"}, {"STATUS"}});
    for (const auto& entry : history)
        table.add({format_time(entry.time), entry.height ? std::to_string(*entry.height) : "-",
                   format_amount(entry.amount), entry.fee ? format_amount(*entry.fee) : "-",
                   entry.txid.to_string(), status_text(entry)});
    return table.to_string();
}

} // namespace

result<void> perform(Context& context, const command::History&) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto history = view->wallet().ledger().history(context.now());
    if (context.out.json()) {
        boost::json::array array;
        for (const auto& entry : history)
            array.push_back(to_json(entry));
        context.out.value(array);
    } else if (history.empty()) {
        context.out.text("No transactions.\n");
    } else {
        context.out.text(as_table(history));
    }
    return {};
}

} // namespace headlight::cli
