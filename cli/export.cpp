// `export`: everything the wallet knows, as one JSON object.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/parts.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

boost::json::object transaction_json(const View& view, const wallet::HistoryEntry& entry) {
    const auto& stored = *view.wallet().ledger().find(entry.txid);
    auto object = history_json(entry, transaction_label(view.wallet(), entry.txid));
    object["transaction"] = to_hex(chain::serialize(stored.tx));
    object["first_seen"] = stored.first_seen;
    object["last_seen"] = stored.last_seen;
    const auto proof = proof_of(view, stored);
    object["proof"] = proof ? boost::json::value(to_json(*proof)) : nullptr;
    return object;
}

boost::json::object labels_json(const wallet::Wallet& wallet) {
    boost::json::object object;
    for (const auto& [name, text] : wallet.labels())
        object[name] = text;
    return object;
}

} // namespace

result<void> perform(Context& context, const command::Export&) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto& wallet = view->wallet();
    boost::json::object object{{"network", context.network().name},
                               {"wallet", context.paths.wallet},
                               {"fingerprint", wallet.fingerprint()},
                               {"time", context.now()}};
    object["scan"] = {{"height", wallet.scan().height},
                      {"hash", wallet.scan().height < 0
                                   ? boost::json::value(nullptr)
                                   : boost::json::value(wallet.scan().hash.to_string())}};
    object["tip"] = view->chain.height;
    object["rescan"] = wallet.rescan() ? to_json(*wallet.rescan()) : nullptr;
    object["balance"] = to_json(wallet.ledger().balance(view->best_height()));
    boost::json::object tail;
    auto& transactions = tail["transactions"].emplace_array();
    for (const auto& entry : wallet.ledger().history(context.now()))
        transactions.push_back(transaction_json(*view, entry));
    tail["labels"] = labels_json(wallet);
    const auto descriptors = [&](const Output::Write& write) { write_descriptors(wallet, write); };
    context.out.value(object, "descriptors", descriptors, std::move(tail)); // for people as well
    return {};
}

} // namespace headlight::cli
