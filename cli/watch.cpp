// `watch`: adds what others hold the keys of. All items are understood before anything is changed.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/text.hpp"
#include "client/client.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

using wallet::Birthday;
using wallet::Descriptor;

// The rest of an item's own error says what and why; the line says where.
Error in_line(Error error, std::size_t line, std::string_view text) {
    auto where = "line " + std::to_string(line);
    // A secret is not repeated, nor what the message quotes.
    const bool quoted = error.message.find(text) != std::string::npos;
    if (!quoted && error.code != errc::private_key) where += " ('" + std::string(text) + "')";
    error.message = where + ": " + error.message;
    return error;
}

result<void> parse_item(const chain::Network& network, std::string_view text,
                        std::vector<Descriptor>& all) {
    auto parsed = wallet::parse_watch_item(trim(text), network);
    if (!parsed) return parsed.error();
    for (auto& descriptor : *parsed)
        all.push_back(std::move(descriptor));
    return {};
}

result<void> parse_lines(const chain::Network& network, std::string_view text,
                         std::vector<Descriptor>& all) {
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty() || line.front() == '#') continue;
        if (const auto parsed = parse_item(network, line, all); !parsed)
            return in_line(parsed.error(), number, line);
    }
    return {};
}

result<std::vector<Descriptor>> parse_all(const Context& context, const command::Watch& watch) {
    std::vector<Descriptor> all;
    for (const auto& item : watch.items) {
        if (const auto parsed = parse_item(context.network(), item, all); !parsed)
            return parsed.error();
    }
    if (watch.file.empty()) return all;
    const auto text = read_input(context.out.host(), watch.file, limits::max_watch_file_bytes);
    if (!text) return text.error();
    if (const auto parsed = parse_lines(context.network(), *text, all); !parsed)
        return parsed.error();
    if (!all.empty()) return all;
    return Error{errc::bad_argument, "there is nothing to watch in " + watch.file,
                 "it has no line but blanks and comments", "Write one item a line"};
}

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

result<void> store(const Context& context, client::OpenWallet& opened) {
    if (opened.db) return opened.save();
    const auto stored = client::store_new_wallet(context.paths, std::move(opened.wallet));
    if (!stored) return stored.error();
    return {};
}

} // namespace

result<void> perform(Context& context, const command::Watch& watch) {
    const auto all = parse_all(context, watch);
    if (!all) return all.error();
    auto opened = open_or_new(context);
    if (!opened) return opened.error();
    const auto birthday = watch.birthday.value_or(Birthday{});
    const auto counted = add_all(*opened->wallet, *all, watch.gap, birthday);
    if (!counted) return counted.error();
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
