// `broadcast`: announces a signed transaction. Sent is only what a peer has shown to have taken.
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "client/client.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

result<chain::Transaction> read_transaction(const Context& context, const std::string& source) {
    auto text = from_hex(source) && !source.empty()
                    ? result<std::string>(boost::system::in_place_value, source)
                    : read_input(context.out.host(), source, limits::max_transaction_text_bytes);
    if (!text) return text.error();
    const auto bytes = from_hex(trim(*text));
    if (!bytes || bytes->empty())
        return Error{errc::malformed, "there is no transaction in " + source,
                     "it holds something else than hex digits",
                     "Give the hex of a signed transaction, a file with it, or - for stdin"};
    auto parsed = chain::parse_transaction(*bytes);
    if (parsed) return parsed;
    auto error = parsed.error();
    if (error.cure.empty()) error.cure = "Give the whole hex of a signed transaction";
    return error;
}

// The wallet's own view of it, when it has one: its coins are spent from now on.
result<void> remember(Context& context, const chain::Transaction& tx, const chain::Hash256& txid) {
    auto opened = client::open_wallet(context.paths, wallet::store::WalletDb::Mode::read_write);
    if (!opened && opened.error().code == errc::wallet_missing) return {};
    if (!opened) return opened.error();
    if (!opened->wallet->ledger().relevant(tx)) return {};
    opened->wallet->ledger().record(tx, txid, context.now());
    return opened->save();
}

void show(Context& context, const chain::Hash256& txid, const std::vector<std::string>& shown_by) {
    if (context.out.json()) {
        boost::json::array peers(shown_by.begin(), shown_by.end());
        return context.out.value(
            boost::json::object{{"txid", txid.to_string()}, {"accepted_by", std::move(peers)}});
    }
    std::string text = "Accepted: " + txid.to_string() + "\n";
    for (const auto& peer : shown_by)
        text += "  by " + peer + "\n";
    context.out.text(text);
}

} // namespace

result<void> perform(Context& context, const command::Broadcast& broadcast) {
    const auto tx = read_transaction(context, broadcast.transaction);
    if (!tx) return tx.error();
    client::SyncOptions options;
    options.config.peers = broadcast.peers;
    options.config.proxy = broadcast.proxy;
    options.config.broadcast = *tx;
    options.timeout_ms = broadcast.timeout_ms;
    options.wallet_optional = true;
    const auto outcome = client::run_sync(context.paths, options, [&](const sync::Notice& notice) {
        if (const auto* warning = std::get_if<sync::notice::Warning>(&notice))
            context.out.warn(warning->error);
        if (const auto* log = std::get_if<sync::notice::PeerLog>(&notice))
            context.out.detail(log->address + ": " + log->text);
    });
    if (outcome.error) return *outcome.error;
    const auto txid = chain::txid(*tx);
    if (const auto remembered = remember(context, *tx, txid); !remembered)
        context.out.warn(remembered.error());
    show(context, txid, outcome.statistics.accepted_by);
    return {};
}

} // namespace headlight::cli
