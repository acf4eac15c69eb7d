// `history`: the wallet's transactions, oldest first.
#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/label.hpp"
#include "cli/parts.hpp"
#include "cli/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

using wallet::HistoryEntry;

boost::json::object history_json(const HistoryEntry& entry, const std::string& label) {
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
    object["label"] = label_json(label);
    return object;
}

namespace {

std::string status_text(const HistoryEntry& entry) {
    std::string text(to_string(entry.status));
    if (entry.stale) text += ", not seen for 14 days";
    if (entry.status == wallet::TxStatus::pending && !entry.conflicts.empty())
        text += ", in conflict with " + entry.conflicts.begin()->to_string();
    return text;
}

using Labels = std::vector<std::string>; // of each entry, in order

Labels labels_of(const wallet::Wallet& wallet, const std::vector<HistoryEntry>& history) {
    Labels labels;
    for (const auto& entry : history)
        labels.push_back(transaction_label(wallet, entry.txid));
    return labels;
}

// The column of labels is there when there are some.
std::string as_table(const std::vector<HistoryEntry>& history, const Labels& labels) {
    using enum Table::Align;
    const bool labelled = std::ranges::any_of(labels, [](auto& label) { return !label.empty(); });
    std::vector<Table::Column> columns{{"TIME"},       {"BLOCK", right}, {"AMOUNT", right},
                                       {"FEE", right}, {"TXID"},         {"STATUS"}};
    if (labelled) columns.push_back({"LABEL"});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < history.size(); ++i) {
        const auto& entry = history[i];
        std::vector<std::string> row{
            format_time(entry.time),     entry.height ? std::to_string(*entry.height) : "-",
            format_amount(entry.amount), entry.fee ? format_amount(*entry.fee) : "-",
            entry.txid.to_string(),      status_text(entry)};
        if (labelled) row.push_back(labels[i]);
        table.add(std::move(row));
    }
    return table.to_string();
}

std::string as_csv(const std::vector<HistoryEntry>& history, const Labels& labels) {
    auto text = csv_line({"time", "height", "amount_satoshis", "amount_btc", "fee_satoshis", "txid",
                          "status", "label"});
    for (std::size_t i = 0; i < history.size(); ++i) {
        const auto& entry = history[i];
        text += csv_line({format_iso_time(entry.time),
                          entry.height ? std::to_string(*entry.height) : "",
                          std::to_string(entry.amount), format_bitcoins(entry.amount),
                          entry.fee ? std::to_string(*entry.fee) : "", entry.txid.to_string(),
                          std::string(to_string(entry.status)), labels[i]});
    }
    return text;
}

} // namespace

result<void> perform(Context& context, const command::History& wanted) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto history = view->wallet().ledger().history(context.now());
    const auto labels = labels_of(view->wallet(), history);
    if (wanted.csv) {
        context.out.text(as_csv(history, labels));
    } else if (context.out.json()) {
        boost::json::array array;
        for (std::size_t i = 0; i < history.size(); ++i)
            array.push_back(history_json(history[i], labels[i]));
        context.out.value(array);
    } else if (history.empty()) {
        context.out.text("No transactions.\n");
    } else {
        context.out.text(as_table(history, labels));
    }
    return {};
}

} // namespace headlight::cli
