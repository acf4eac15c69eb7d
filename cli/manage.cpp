// `rescan`, `abandon`, `reset-chain`: what people change by hand.
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "client/client.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

constexpr auto read_write = wallet::store::WalletDb::Mode::read_write;

} // namespace

result<void> perform(Context& context, const command::Rescan& rescan) {
    auto opened = client::open_wallet(context.paths, read_write);
    if (!opened) return opened.error();
    const auto scanned = opened->wallet->scan().height;
    opened->wallet->request_rescan({wallet::Birthday::Kind::height, rescan.from});
    if (auto saved = opened->save(); !saved) return saved;
    if (context.out.json())
        context.out.value(boost::json::object{{"from", rescan.from}, {"scanned", scanned}});
    else if (rescan.from > scanned)
        context.out.text("Nothing is scanned from block " + std::to_string(rescan.from) +
                         " on yet: the next sync goes on as it would have.\n");
    else
        context.out.text("The next sync scans again from block " + std::to_string(rescan.from) +
                         " on.\n");
    return {};
}

result<void> perform(Context& context, const command::Abandon& abandon) {
    auto opened = client::open_wallet(context.paths, read_write);
    if (!opened) return opened.error();
    const auto delta = opened->wallet->ledger().abandon(abandon.txid);
    if (!delta) return delta.error();
    if (auto saved = opened->save(); !saved) return saved;

    boost::json::array abandoned;
    std::string text;
    for (const auto& event : delta->events) {
        if (event.kind != wallet::LedgerDelta::Event::Kind::abandoned) continue;
        abandoned.emplace_back(event.txid.to_string());
        text += "Abandoned " + event.txid.to_string() + "\n";
    }
    if (context.out.json())
        context.out.value(boost::json::object{{"abandoned", std::move(abandoned)}});
    else
        context.out.text(text.empty() ? "It was abandoned before.\n" : text);
    return {};
}

result<void> perform(Context& context, const command::ResetChain&) {
    const auto file = context.paths.headers();
    std::error_code ignored;
    const bool there = std::filesystem::exists(file, ignored);
    if (there) {
        if (auto removed = wallet::store::remove_header_file(file); !removed) return removed;
    }
    if (context.out.json())
        context.out.value(boost::json::object{{"removed", there}, {"file", file.string()}});
    else
        context.out.text((there ? "Removed the stored headers " : "There are no stored headers ") +
                         file.string() + ". The wallets are as they were.\n");
    return {};
}

} // namespace headlight::cli
