// `privacy`: what the filter that the next sync loads tells a peer, in figures. docs/privacy.md
// says what they mean; the formulas and their sources are in bip37/privacy.hpp.
#include "bip37/privacy.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"
#include "sync/filter_policy.hpp"

#include <boost/json/object.hpp>

#include <cmath>
#include <set>

namespace headlight::cli {

namespace {

/// `ours` scripts of ours among `by_chance` others that match: how sure a guess is.
struct Guess {
    double ours = 0;
    double by_chance = 0;
    double chance(int scripts) const { return bip37::guess_chance(ours, by_chance, scripts); }
};

struct Exposure {
    bip37::BloomFilter filter;
    std::size_t elements = 0;
    std::uint32_t size_class = 0;
    double chosen_rate = 0;
    std::uint32_t split = 1;  ///< groups of peers
    std::uint32_t shards = 1; ///< such filters for each peer
    double rate = 0;
    double chain_scripts = 0;
    Guess used;      ///< our scripts that the chain shows by now
    Guess all;       ///< as if it showed all that are watched
    Guess with_coin; ///< our scripts with a coin, whose outpoint is in the filter as well
    bip37::ExtraTraffic extra;
    double blocks_until_worn = 0;
    double new_element = 0;  ///< strangers that match anew when one element is added
    double both_classes = 0; ///< strangers that match before and after the class has grown
};

/// Scripts of ours that transactions pay, and those with a coin that is not spent in a block.
std::pair<std::size_t, std::size_t> shown_scripts(const wallet::Wallet& wallet) {
    std::set<Bytes> used;
    std::set<Bytes> with_coin;
    for (const auto& stored : wallet.ledger().all())
        for (const auto& output : stored.tx.outputs)
            if (!wallet.scripts().find(output.script_pubkey).empty())
                used.insert(output.script_pubkey);
    for (const auto& coin : wallet.ledger().coins())
        with_coin.insert(coin.output.script_pubkey);
    return {used.size(), with_coin.size()};
}

bip37::FilterSize size_of(const bip37::BloomFilter& filter) {
    return {filter.data().size(), filter.hash_functions()};
}

/// Of what one peer is told: with a split, its share of the scripts.
Exposure exposure_of(wallet::Wallet& wallet, const command::Privacy& wanted) {
    Exposure is;
    client::prepare(wallet, wanted.filter);
    const headlight::sync::Parts parts(wallet);
    is.chosen_rate = wallet.filter().fp_rate;
    is.split = wallet.filter().split;
    is.shards = wallet.filter().shards;
    is.filter = headlight::sync::filter_of(wallet, is.chosen_rate, parts,
                                           headlight::sync::fullest(wallet, parts));
    is.elements = headlight::sync::elements_of(wallet, parts);
    is.size_class = headlight::sync::size_class_for(is.elements, wallet.filter().size_class);
    is.rate = is.filter.false_positive_rate();
    is.chain_scripts = wanted.scripts;

    const auto [used, with_coin] = shown_scripts(wallet);
    const auto share = [&](std::size_t scripts) { return static_cast<double>(scripts) / is.split; };
    const auto any_of_shards = [&](double rate) {
        return is.shards == 1 ? rate : -std::expm1(is.shards * std::log1p(-rate));
    };
    const double by_chance = wanted.scripts * any_of_shards(is.rate);
    is.used = {share(used), by_chance};
    is.all = {share(wallet.scripts().size()), by_chance};
    is.with_coin = {share(with_coin), wanted.scripts * any_of_shards(is.rate * is.rate)};

    const auto size = size_of(is.filter);
    is.extra = bip37::extra_traffic(is.rate);
    for (auto* figure :
         {&is.extra.transactions_per_block, &is.extra.bytes_per_block, &is.extra.bytes_per_day})
        *figure *= parts.count();
    const double worn = limits::refresh_fp_factor * std::max(is.chosen_rate, is.rate);
    is.blocks_until_worn = bip37::blocks_until_rate(size, is.elements, worn);
    is.new_element = wanted.scripts * (bip37::expected_fp_rate(size, is.elements + 1) -
                                       bip37::expected_fp_rate(size, is.elements));
    const std::size_t grown = std::size_t{is.size_class} + 1;
    const auto next = headlight::sync::filter_size_for(grown, is.size_class, is.chosen_rate);
    is.both_classes = wanted.scripts * bip37::expected_fp_rate(size, is.size_class) *
                      bip37::expected_fp_rate(next, grown);
    return is;
}

/// What `sync --method full` fetches instead of all this.
bip37::ExtraTraffic whole_blocks() {
    const bip37::Traffic traffic;
    const double bytes = traffic.transactions_per_block * traffic.bytes_per_transaction;
    return {traffic.transactions_per_block, bytes, bytes * traffic.blocks_per_day};
}

constexpr std::string_view by_whole_blocks =
    "This wallet is synced by whole blocks, which tell nothing. By filters (--method bip37):\n\n";

boost::json::object guess_json(const Guess& guess) {
    return {{"scripts", guess.ours},
            {"by_chance", guess.by_chance},
            {"one", guess.chance(1)},
            {"pair", guess.chance(2)},
            {"triple", guess.chance(3)}};
}

boost::json::object exposure_json(const Exposure& is) {
    const bip37::Traffic traffic;
    boost::json::object object;
    object["filter"] = {{"bytes", is.filter.data().size()},
                        {"functions", is.filter.hash_functions()},
                        {"tweak", is.filter.tweak()},
                        {"elements", is.elements},
                        {"size_class", is.size_class},
                        {"fill", is.filter.fill_ratio()},
                        {"fp_rate", is.rate},
                        {"chosen_fp_rate", is.chosen_rate},
                        {"split", is.split},
                        {"shards", is.shards}};
    object["chain_scripts"] = is.chain_scripts;
    object["by_chance"] = is.used.by_chance;
    object["used"] = guess_json(is.used);
    object["all"] = guess_json(is.all);
    object["with_coin"] = guess_json(is.with_coin);
    object["traffic"] = {{"transactions_per_block", is.extra.transactions_per_block},
                         {"bytes_per_block", is.extra.bytes_per_block},
                         {"bytes_per_day", is.extra.bytes_per_day},
                         {"blocks_until_worn", std::isfinite(is.blocks_until_worn)
                                                   ? boost::json::value(is.blocks_until_worn)
                                                   : nullptr},
                         {"assumed",
                          {{"transactions_per_block", traffic.transactions_per_block},
                           {"tests_per_transaction", traffic.tests_per_transaction},
                           {"outputs_per_transaction", traffic.outputs_per_transaction},
                           {"bytes_per_transaction",
                            traffic.bytes_per_transaction + traffic.overhead_per_transaction}}}};
    const auto whole = whole_blocks();
    object["full"] = {{"bytes_per_block", whole.bytes_per_block},
                      {"bytes_per_day", whole.bytes_per_day}};
    object["refresh"] = {{"elements_until_next_class", is.size_class - is.elements},
                         {"new_element_by_chance", is.new_element},
                         {"both_classes_by_chance", is.both_classes}};
    return object;
}

std::string figure(double value) {
    if (value >= 1'000 && value < 1e15) {
        auto digits = std::to_string(std::llround(value));
        for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
            digits.insert(static_cast<std::size_t>(i), 1, ',');
        return digits;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

void add_guess(Table& table, const std::string& scripts, const Guess& guess) {
    table.add({scripts, figure(guess.ours), figure(guess.by_chance), figure(guess.chance(1)),
               figure(guess.chance(2)), figure(guess.chance(3))});
}

std::string exposure_text(const Exposure& is) {
    using enum Table::Align;
    Table filter({{""}, {""}});
    filter.add({"filter", count(static_cast<std::int64_t>(is.filter.data().size()), "byte") + ", " +
                              count(is.filter.hash_functions(), "function") + ", tweak " +
                              std::to_string(is.filter.tweak())});
    filter.add({"elements", std::to_string(is.elements) + " of a size class of " +
                                std::to_string(is.size_class)});
    filter.add({"made for", "a rate of " + figure(is.chosen_rate) + " once it is full"});
    if (const auto parts = parts_text(is.split, is.shards); !parts.empty())
        filter.add({"parts", parts});
    filter.add({"fill", figure(is.filter.fill_ratio())});
    filter.add({"false positives",
                figure(is.rate) + ", so " + figure(is.used.by_chance) + " of the chain's " +
                    figure(is.chain_scripts) + " scripts" +
                    (is.shards > 1 ? " in the " + std::to_string(is.shards) + " filters of a peer"
                                   : std::string())});
    filter.add({"extra traffic", figure(is.extra.transactions_per_block) + " transactions, " +
                                     figure(is.extra.bytes_per_block) + " bytes a block; " +
                                     figure(is.extra.bytes_per_day) + " bytes a day"});
    filter.add({"renewed", std::isfinite(is.blocks_until_worn)
                               ? "after about " + figure(is.blocks_until_worn) +
                                     " blocks, for what servers add by themselves"
                               : std::string("never for what servers add by themselves")});

    Table guesses({{"SCRIPTS THAT MATCH"},
                   {"OURS", right},
                   {"BY CHANCE", right},
                   {"ONE IS OURS", right},
                   {"A PAIR", right},
                   {"A TRIPLE", right}});
    add_guess(guesses, "used so far", is.used);
    add_guess(guesses, "all, once used", is.all);
    add_guess(guesses, "with a coin that matches too", is.with_coin);

    std::string text = filter.to_string().substr(1) + "\n" + guesses.to_string() + "\n";
    text += "Over restarts, and for every peer: the same bytes while nothing changed.\n";
    text += "A new script or coin: whoever has both filters sees it among " +
            figure(is.new_element) + " strangers that match anew.\n";
    text += "In " + count(static_cast<std::int64_t>(is.size_class - is.elements), "element") +
            " the size class grows: " + figure(is.both_classes) +
            " strangers would match before and after.\n";
    text += is.split * is.shards == 1
                ? "All filters of this wallet have one tweak, which tells that they are one "
                  "wallet's.\n"
                : "All filters of a part have one tweak, which tells that they are one wallet's.\n";
    const auto whole = whole_blocks();
    text += "Whole blocks (sync --method full) tell nothing of this, for " +
            figure(whole.bytes_per_block) + " bytes a block and " + figure(whole.bytes_per_day) +
            " a day.\n";
    return text;
}

} // namespace

result<void> perform(Context& context, const command::Privacy& privacy) {
    const auto view = open_view(context);
    if (!view) return view.error();
    auto& wallet = *view->opened.wallet;
    const bool whole = wallet.filter().whole_blocks;
    const auto exposure = exposure_of(wallet, privacy);
    if (const auto none = client::too_many_for_filters(wallet)) return *none;
    if (context.out.json())
        context.out.value(exposure_json(exposure));
    else
        context.out.text((whole ? std::string(by_whole_blocks) : "") + exposure_text(exposure));
    return {};
}

} // namespace headlight::cli
