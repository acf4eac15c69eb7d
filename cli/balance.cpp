// `balance`: what the wallet holds, as far as it is scanned.
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

std::string as_table(const wallet::Balance& balance) {
    Table table({{""}, {"", Table::Align::right}});
    table.add({"confirmed", format_amount(balance.confirmed)});
    table.add({"unconfirmed", format_amount(balance.unconfirmed)});
    table.add({"immature", format_amount(balance.immature)});
    table.add({"total", format_amount(balance.total())});
    return table.to_string().substr(1); // without the empty heading
}

// What the balance is not up to, if anything.
std::string remark(std::int32_t scanned, std::int32_t tip) {
    if (scanned < 0) return "Nothing is scanned yet";
    const auto at = "Scanned to block " + std::to_string(scanned);
    if (tip < 0) return at + ", and its header is not stored any more";
    if (tip < scanned) return at + ", but the stored headers end at " + std::to_string(tip);
    return tip == scanned ? "" : at + " of " + std::to_string(tip);
}

} // namespace

result<void> perform(Context& context, const command::Balance&) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto balance = view->wallet().ledger().balance(view->best_height());
    const auto scanned = view->wallet().scan().height;
    if (context.out.json()) {
        auto object = to_json(balance);
        object["height"] = scanned;
        object["tip"] = view->chain.height;
        context.out.value(std::move(object));
        return {};
    }
    context.out.text(as_table(balance));
    if (const auto note = remark(scanned, view->chain.height); !note.empty())
        context.out.note(note + ": run `headlight sync`.");
    return {};
}

} // namespace headlight::cli
