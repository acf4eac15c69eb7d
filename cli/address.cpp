// `address`: the next unused receive address, or all of them with their use.
#include "wallet/address.hpp"
#include "cli/commands.hpp"
#include "cli/label.hpp"
#include "cli/qr.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>
#include <ranges>

namespace headlight::cli {

namespace {

using wallet::ScriptRef;

struct Use {
    std::int64_t transactions = 0;
    Amount received = 0;
};

struct Listed {
    ScriptRef ref;
    std::string address; ///< or the script in hex, where there is none
    Use use;
    std::string label;
};

// How often each place was paid, abandoned and conflicted payments left out.
std::map<ScriptRef, Use> uses(const wallet::Wallet& wallet, std::int64_t now) {
    std::map<ScriptRef, Use> all;
    for (const auto& entry : wallet.ledger().history(now)) {
        using enum wallet::TxStatus;
        if (entry.status == conflicted || entry.status == abandoned) continue;
        std::map<ScriptRef, Amount> paid;
        for (const auto& output : wallet.ledger().find(entry.txid)->tx.outputs)
            for (const auto& ref : wallet.scripts().find(output.script_pubkey))
                paid[ref] += output.amount;
        for (const auto& [ref, amount] : paid) {
            ++all[ref].transactions;
            all[ref].received += amount;
        }
    }
    return all;
}

std::string address_text(const wallet::Wallet& wallet, ByteView script_pubkey) {
    return wallet::encode_address(script_pubkey, wallet.network()).value_or(to_hex(script_pubkey));
}

/// What `--list` shows, one row at a time: there may be a million.
class List {
  public:
    List(const wallet::Wallet& wallet, std::int64_t now)
        : wallet_(wallet), used_(uses(wallet, now)) {
        const auto& scripts = wallet.scripts();
        for (std::size_t position = 0; position < scripts.size(); ++position)
            if (scripts.required(position))
                positions_.push_back(static_cast<std::uint32_t>(position));
        std::ranges::sort(positions_, {}, [&](auto position) { return scripts.at(position).ref; });
    }
    auto rows() const {
        return std::views::all(positions_) |
               std::views::transform([this](std::uint32_t position) { return row(position); });
    }

  private:
    Listed row(std::size_t position) const {
        const auto script = wallet_.scripts().at(position);
        const auto found = used_.find(script.ref);
        return {script.ref, address_text(wallet_, script.script_pubkey),
                found == used_.end() ? Use{} : found->second,
                script_label(wallet_, script.script_pubkey)};
    }

    const wallet::Wallet& wallet_;
    std::map<ScriptRef, Use> used_;
    std::vector<std::uint32_t> positions_; ///< in the order of refs
};

boost::json::object to_json(const Listed& one) {
    return {{"address", one.address},           {"index", one.ref.index},
            {"branch", one.ref.branch},         {"descriptor", one.ref.descriptor},
            {"used", one.use.transactions > 0}, {"transactions", one.use.transactions},
            {"received", one.use.received},     {"label", label_json(one.label)}};
}

Table::Row row_of(const Listed& one, bool labelled) {
    Table::Row row{std::to_string(one.ref.descriptor),
                   std::to_string(one.ref.branch),
                   std::to_string(one.ref.index),
                   one.address,
                   std::to_string(one.use.transactions),
                   one.use.transactions > 0 ? format_amount(one.use.received) : "-"};
    if (labelled) row.push_back(one.label);
    return row;
}

void print_list(Context& context, const List& list) {
    const auto rows = list.rows();
    if (context.out.json()) {
        return context.out.value([&](const Output::Write& write) {
            for (const auto& one : rows)
                write(to_json(one));
        });
    }
    using enum Table::Align;
    const bool labelled = std::ranges::any_of(rows, [](auto&& one) { return !one.label.empty(); });
    std::vector<Table::Column> columns{{"DESCRIPTOR", right},   {"CHAIN", right},
                                       {"INDEX", right},        {"ADDRESS"},
                                       {"TRANSACTIONS", right}, {"RECEIVED", right}};
    if (labelled) columns.push_back({"LABEL"});
    Table table(std::move(columns));
    for (const auto& one : rows)
        table.measure(row_of(one, labelled));
    context.out.text(table.heading());
    for (const auto& one : rows)
        context.out.text(table.line(row_of(one, labelled)));
}

Error no_next(const Context& context) {
    return {errc::not_found, "the wallet '" + context.paths.wallet + "' has no next address",
            "it watches single addresses or scripts only",
            "Use `headlight address --list`, or watch an extended public key"};
}

result<void> print_next(Context& context, const wallet::Wallet& wallet, bool with_code) {
    const auto next = wallet.scripts().next_receive();
    const auto script = next ? wallet.scripts().script(*next) : std::nullopt;
    if (!script) return no_next(context);
    const auto address = address_text(wallet, script->script_pubkey);
    std::string code;
    if (with_code) {
        auto drawn = qr_code(address);
        if (!drawn) return drawn.error();
        code = std::move(*drawn);
    }
    if (!context.out.json()) {
        context.out.text(code + address + "\n");
        return {};
    }
    boost::json::object object{{"address", address},
                               {"index", next->index},
                               {"branch", next->branch},
                               {"descriptor", next->descriptor}};
    if (with_code) object["qr"] = code;
    context.out.value(std::move(object));
    return {};
}

} // namespace

result<void> perform(Context& context, const command::Address& address) {
    const auto opened =
        client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_only);
    if (!opened) return opened.error();
    if (!address.list) return print_next(context, *opened->wallet, address.qr);
    print_list(context, List(*opened->wallet, context.now()));
    return {};
}

} // namespace headlight::cli
