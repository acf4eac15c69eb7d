// `status`: where the wallet stands, from the files alone. Two figures, headers and scan; "synced"
// only when both stand at a fresh tip.
#include "cli/birthday.hpp"
#include "cli/commands.hpp"
#include "cli/sync_report.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"
#include "sync/filter_policy.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace headlight::cli {

namespace {

using wallet::Birthday;

struct Filter {
    bool none = false;     ///< whole blocks were chosen last
    bool too_many = false; ///< no filters hold what is watched
    bip37::FilterSize size;
    std::uint32_t tweak = 0;
    double fp_rate = 0;
    double chosen_rate = 0; ///< as it was chosen last, for a filter that is full
    std::uint32_t split = 1;
    std::uint32_t shards = 1;
};

struct Summary {
    std::int32_t headers = -1;
    std::int32_t scanned = -1;
    bool stale = false;
    bool synced = false;
    std::optional<Birthday> birthday;
    std::optional<Birthday> rescan;
    std::int64_t scripts = 0;
    std::optional<std::int64_t> highest_used;
    std::uint32_t gap = 0;
    Filter filter;
    std::int64_t transactions = 0;
    std::int32_t checked_to = -1;
    bool unchecked() const { return scanned >= 0 && checked_to < scanned; }
};

// The filter that the next sync loads; of the fullest part where there are several.
Filter filter_figures(wallet::Wallet& wallet) {
    const bool none = wallet.filter().whole_blocks;
    client::prepare(wallet);
    const auto& chosen = wallet.filter();
    const sync::Parts parts(wallet);
    const auto filter =
        sync::filter_of(wallet, chosen.fp_rate, parts, sync::fullest(wallet, parts));
    return {.none = none,
            .too_many = client::too_many_for_filters(wallet).has_value(),
            .size = {filter.data().size(), filter.hash_functions()},
            .tweak = filter.tweak(),
            .fp_rate = filter.false_positive_rate(),
            .chosen_rate = chosen.fp_rate,
            .split = chosen.split,
            .shards = chosen.shards};
}

// A height and a time compare through the stored headers; where these end, the time is the later
// one.
bool earlier(const View& view, const Birthday& a, const Birthday& b) {
    if (a.kind == b.kind) return a.value < b.value;
    const auto& height = a.kind == Birthday::Kind::height ? a : b;
    const auto& time = a.kind == Birthday::Kind::height ? b : a;
    const bool height_first =
        height.value == 0 || height.value > view.chain.height
            ? height.value == 0
            : view.headers->at(static_cast<std::int32_t>(height.value)).header.time < time.value;
    return &height == &a ? height_first : !height_first;
}

void add_descriptors(Summary& summary, const View& view) {
    for (const auto& state : view.wallet().scripts().textless_descriptors()) {
        summary.gap = std::max(summary.gap, state.gap);
        if (!summary.birthday || earlier(view, state.birthday, *summary.birthday))
            summary.birthday = state.birthday;
        for (const auto& branch : state.branches)
            if (branch.highest_used >= 0)
                summary.highest_used =
                    std::max(summary.highest_used.value_or(0), branch.highest_used);
    }
}

Summary summarize(const Context& context, const View& view) {
    const auto& wallet = view.wallet();
    Summary summary{.headers = view.chain.height,
                    .scanned = wallet.scan().height,
                    .birthday = {},
                    .rescan = wallet.rescan(),
                    .scripts = static_cast<std::int64_t>(wallet.scripts().size()),
                    .highest_used = {},
                    .filter = filter_figures(*view.opened.wallet),
                    .transactions = static_cast<std::int64_t>(wallet.ledger().size()),
                    .checked_to = wallet.checked_to()};
    const auto age = context.now() - view.chain.time;
    summary.stale =
        context.network().paced && summary.headers >= 0 && age > limits::stale_tip_seconds;
    summary.synced = summary.headers >= 0 && summary.scanned == summary.headers &&
                     !summary.rescan && !summary.stale;
    add_descriptors(summary, view);
    return summary;
}

void print_json(Context& context, const View& view, const Summary& is) {
    const bool any = is.headers >= 0;
    boost::json::object object{
        {"network", context.network().name}, {"headers", is.headers}, {"scanned", is.scanned}};
    object["tip"] = is.headers;
    object["tip_hash"] = any ? boost::json::value(view.chain.hash.to_string()) : nullptr;
    object["tip_time"] = any ? boost::json::value(view.chain.time) : nullptr;
    object["synced"] = is.synced;
    object["birthday"] = is.birthday ? to_json(*is.birthday) : nullptr;
    object["rescan"] = is.rescan ? to_json(*is.rescan) : nullptr;
    object["scripts"] = is.scripts;
    object["highest_used"] = is.highest_used ? boost::json::value(*is.highest_used) : nullptr;
    object["gap"] = is.gap;
    object["method"] = is.filter.none ? "full" : "bip37";
    object["filter"] = {{"bytes", is.filter.size.bytes},
                        {"functions", is.filter.size.hash_functions},
                        {"tweak", is.filter.tweak},
                        {"fp_rate", is.filter.fp_rate},
                        {"chosen_fp_rate", is.filter.chosen_rate},
                        {"split", is.filter.split},
                        {"shards", is.filter.shards}};
    object["transactions"] = is.transactions;
    object["cross_checked"] = is.scanned >= 0 && !is.unchecked();
    object["note"] = is.unchecked() ? boost::json::value(omission_note) : nullptr;
    context.out.value(std::move(object));
}

std::string rate_text(double rate) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", rate);
    return text;
}

std::string scan_text(const Summary& is) {
    if (is.synced) return std::to_string(is.scanned) + " (synced)";
    std::string text = is.scanned < 0 ? "nothing yet" : std::to_string(is.scanned);
    if (is.rescan)
        text += std::string("; the next sync scans ") + (is.scanned < 0 ? "" : "again ") + "from " +
                to_text(*is.rescan);
    return text + " (not synced)";
}

void add_filter(Table& table, const Filter& is) {
    if (is.none) return table.add({"filter", "none: whole blocks, as sync was told last"});
    if (is.too_many)
        return table.add({"filter", "none holds so much: whole blocks only (sync --method full)"});
    table.add({"filter", std::to_string(is.size.bytes) + " bytes, " +
                             count(is.size.hash_functions, "function") + ", tweak " +
                             std::to_string(is.tweak) + ", false positives " +
                             rate_text(is.fp_rate)});
    table.add({"made for", "a rate of " + rate_text(is.chosen_rate)});
    if (const auto parts = parts_text(is.split, is.shards); !parts.empty())
        table.add({"parts", parts});
}

void print_text(Context& context, const View& view, const Summary& is) {
    Table table({{""}, {""}});
    table.add({"wallet", context.paths.wallet + " on " + std::string(context.network().name)});
    table.add({"headers", is.headers < 0 ? "none" : std::to_string(is.headers)});
    table.add({"scanned", scan_text(is)});
    if (is.headers >= 0) {
        table.add({"tip", view.chain.hash.to_string()});
        table.add({"tip time", format_time(view.chain.time)});
    }
    table.add({"birthday", is.birthday ? to_text(*is.birthday) : "none"});
    table.add({"scripts", std::to_string(is.scripts) + ", gap limit " + std::to_string(is.gap) +
                              ", highest used index " +
                              (is.highest_used ? std::to_string(*is.highest_used) : "none")});
    table.add({"transactions", std::to_string(is.transactions)});
    add_filter(table, is.filter);
    if (is.scanned >= 0 && !is.unchecked())
        table.add({"cross-checked", "by a second peer or by whole blocks, as sync was told to"});
    context.out.text(table.to_string().substr(1) +
                     (is.unchecked() ? std::string(omission_note) + "\n" : ""));
}

} // namespace

result<void> perform(Context& context, const command::Status&) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto summary = summarize(context, *view);
    if (summary.stale)
        context.out.warn("the newest block known is of " + format_time(view->chain.time) +
                         ": run `headlight sync`; if that changes nothing, the node is behind");
    if (context.out.json())
        print_json(context, *view, summary);
    else
        print_text(context, *view, summary);
    return {};
}

} // namespace headlight::cli
