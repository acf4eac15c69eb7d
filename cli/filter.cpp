// `filter`: Bloom filters by hand. plan: how large; make: from items; test: which items match;
// show: what one from the wire holds.
#include "bip37/messages.hpp"
#include "bip37/privacy.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace headlight::cli {

namespace {

using bip37::BloomFilter;
using bip37::FilterSize;
using bip37::UpdateFlags;

constexpr double usual_rate = 0.0005;
/// Hex of the largest filterload (a count of 3 bytes, 9 behind the bits), and a line's end.
constexpr std::size_t max_payload_text_bytes = 2 * (limits::max_filter_bytes + 12) + 2;

/// An unordered_set of 20-byte items as libstdc++ builds it for 64 bits: a node of 8 bytes for the
/// next one, 20 and padding for the item and 8 for its hash takes 48 of malloc; 8 in the table of
/// buckets. bench/filter measures it.
constexpr double hash_set_bytes_per_item = 56;
/// One bit for each value of a hash of 32 bits.
constexpr double bitmap_bytes = 4'294'967'296.0 / 8;

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string with_bytes(double bytes) {
    return bytes < 1e15 ? format_bytes(static_cast<std::uint64_t>(bytes))
                        : short_number(bytes) + " bytes";
}

// ----------------------------------------------------------------------------------------- plan

struct Plan {
    double exact_bits = 0; ///< before rounding, for all items in one filter
    double exact_functions = 0;
    std::size_t filters = 1;
    std::size_t items_per_filter = 0; ///< the most that one of them holds
    FilterSize size;                  ///< of each
    double fp_rate = 0;               ///< of each, after rounding
    double any_rate = 0;              ///< that one of them matches
    double fill = 0;
    double total_bytes() const {
        return static_cast<double>(size.bytes) * static_cast<double>(filters);
    }
};

std::size_t parts(std::size_t whole, std::size_t most) {
    return whole / most + (whole % most != 0);
}

result<FilterSize> size_for(const command::FilterGoal& goal, std::size_t filters,
                            std::size_t items) {
    if (goal.bytes) return bip37::size_of_bytes(parts(*goal.bytes, filters), items);
    return bip37::plan_size(items, *goal.fp_rate);
}

result<Plan> plan_for(const command::FilterPlan& wanted) {
    const auto items = static_cast<double>(wanted.items);
    const auto& goal = wanted.goal;
    Plan plan;
    plan.exact_bits = goal.bytes ? static_cast<double>(*goal.bytes) * 8
                                 : -items * std::log(*goal.fp_rate) / std::pow(std::log(2), 2);
    plan.exact_functions = plan.exact_bits / items * std::log(2);
    if (goal.bytes)
        plan.filters = parts(*goal.bytes, limits::max_filter_bytes);
    else if (!bip37::plan_size(wanted.items, *goal.fp_rate))
        plan.filters = parts(
            wanted.items,
            std::max<std::size_t>(bip37::capacity(limits::max_filter_bytes, *goal.fp_rate), 1));
    plan.items_per_filter = parts(wanted.items, plan.filters);
    const auto size = size_for(goal, plan.filters, plan.items_per_filter);
    if (!size) return size.error();
    plan.size = *size;
    plan.fp_rate = bip37::expected_fp_rate(plan.size, plan.items_per_filter);
    plan.any_rate = -std::expm1(static_cast<double>(plan.filters) * std::log1p(-plan.fp_rate));
    plan.fill = std::pow(plan.fp_rate, 1.0 / plan.size.hash_functions);
    return plan;
}

/// A bitmap is a filter with one function; this one has the plan's rate.
double one_function_bytes(double items, double fp_rate) {
    return -items / std::log1p(-fp_rate) / 8;
}

boost::json::object plan_json(const command::FilterPlan& wanted, const Plan& plan) {
    const auto items = static_cast<double>(wanted.items);
    boost::json::object object{{"items", wanted.items}};
    object["exact"] = {{"bits", plan.exact_bits}, {"functions", plan.exact_functions}};
    object["filters"] = plan.filters;
    object["items_per_filter"] = plan.items_per_filter;
    object["bytes"] = plan.size.bytes;
    object["functions"] = plan.size.hash_functions;
    object["fp_rate"] = plan.fp_rate;
    object["any_fp_rate"] = plan.any_rate;
    object["fill"] = plan.fill;
    object["evaluations"] = {
        {"member", plan.size.hash_functions},
        {"stranger", bip37::expected_evaluations(plan.fill, plan.size.hash_functions)}};
    object["memory"] = {{"filters", plan.total_bytes()},
                        {"hash_set", items * hash_set_bytes_per_item},
                        {"bitmap", bitmap_bytes},
                        {"one_function", one_function_bytes(items, plan.any_rate)}};
    return object;
}

std::string plan_text(const command::FilterPlan& wanted, const Plan& plan) {
    const auto items = static_cast<double>(wanted.items);
    Table table({{""}, {""}});
    table.add({"items", std::to_string(wanted.items)});
    if (wanted.goal.fp_rate)
        table.add({"m = -n ln p / (ln 2)^2", short_number(plan.exact_bits) + " bits"});
    table.add({"k = m/n ln 2", short_number(plan.exact_functions)});
    if (plan.filters > 1)
        table.add({"filters", std::to_string(plan.filters) +
                                  ", since one holds 36,000 bytes; each for " +
                                  std::to_string(plan.items_per_filter) + " items"});
    table.add({plan.filters > 1 ? "each, rounded" : "rounded",
               count(static_cast<std::int64_t>(plan.size.bytes), "byte") + ", " +
                   count(plan.size.hash_functions, "function")});
    table.add(
        {"(1 - e^(-kn/m))^k",
         short_number(plan.fp_rate) + " false positives" +
             (plan.filters > 1 ? " in each, " + short_number(plan.any_rate) + " in any" : "")});
    table.add({"evaluations",
               std::to_string(plan.size.hash_functions) + " for an item that is in, " +
                   short_number(bip37::expected_evaluations(plan.fill, plan.size.hash_functions)) +
                   std::string(" for a stranger") + (plan.filters > 1 ? ", in each" : "")});
    table.add({"memory", with_bytes(plan.total_bytes())});
    table.add({"as a hash set", with_bytes(items * hash_set_bytes_per_item) + ", exact"});
    table.add({"as a bitmap", with_bytes(bitmap_bytes) + " for hashes of 32 bits; " +
                                  with_bytes(one_function_bytes(items, plan.any_rate)) +
                                  " at this rate"});
    return table.to_string().substr(1);
}

// ---------------------------------------------------------------------------- items and payloads

struct Item {
    std::string written;
    Bytes bytes; ///< JSON tells these, in hex: text may be in any encoding
};

/// The items on stdin, one a line; lines without any are skipped.
result<std::vector<Item>> read_items(const Host& host, bool hex) {
    const auto text = read_input(host, "-", limits::max_watch_file_bytes);
    if (!text) return text.error();
    std::vector<Item> items;
    std::size_t number = 0;
    for (std::string_view rest = *text; !rest.empty();) {
        ++number;
        const auto end = rest.find('\n');
        auto line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (hex) line = trim(line);
        if (line.empty()) continue;
        if (!hex) {
            const auto bytes = as_bytes(line);
            items.push_back({std::string(line), Bytes(bytes.begin(), bytes.end())});
            continue;
        }
        auto bytes = from_hex(line);
        if (!bytes)
            return Error{errc::malformed, "line " + std::to_string(number) + " is no hex",
                         "an item has two hex digits for each byte",
                         "Correct it, or leave --hex out if the items are text"};
        items.push_back({std::string(line), std::move(*bytes)});
    }
    return items;
}

result<BloomFilter> read_filterload(const Host& host, const std::string& payload) {
    std::string text = payload;
    if (payload.starts_with('@')) {
        auto read = read_input(host, payload.substr(1), max_payload_text_bytes);
        if (!read) return read.error();
        text = std::move(*read);
    }
    const auto bytes = from_hex(trim(text));
    if (!bytes)
        return Error{errc::malformed, "the filter is no hex", "it has two hex digits for each byte",
                     "Give a filterload's payload in hex, or @FILE"};
    auto load = bip37::decode_filterload(*bytes);
    if (!load) {
        auto error = load.error();
        if (error.cure.empty()) error.cure = "Give the whole payload of a filterload, in hex";
        return error;
    }
    return std::move(load->filter);
}

std::string_view flags_name(UpdateFlags flags) {
    switch (flags) {
    case UpdateFlags::all:
        return "all";
    case UpdateFlags::p2pubkey_only:
        return "pubkey";
    case UpdateFlags::none:
        break;
    }
    return "none";
}

boost::json::object filter_json(const BloomFilter& filter) {
    const auto elements = bip37::estimated_elements(filter);
    boost::json::object object{{"bytes", filter.data().size()},
                               {"functions", filter.hash_functions()},
                               {"tweak", filter.tweak()},
                               {"flags", flags_name(filter.flags())},
                               {"bits_set", filter.bits_set()},
                               {"fill", filter.fill_ratio()},
                               {"fp_rate", filter.false_positive_rate()}};
    object["elements"] =
        std::isfinite(elements) ? boost::json::value(std::round(elements)) : nullptr;
    return object;
}

std::string filter_text(const BloomFilter& filter) {
    const auto elements = bip37::estimated_elements(filter);
    Table table({{""}, {""}});
    table.add({"bytes", std::to_string(filter.data().size())});
    table.add({"functions", std::to_string(filter.hash_functions())});
    table.add({"tweak", std::to_string(filter.tweak())});
    table.add({"flags", std::string(flags_name(filter.flags()))});
    table.add({"fill", short_number(filter.fill_ratio()) + ", " +
                           count(static_cast<std::int64_t>(filter.bits_set()), "bit") + " set"});
    table.add({"false positives", short_number(filter.false_positive_rate())});
    table.add({"elements", std::isfinite(elements)
                               ? "about " + std::to_string(std::llround(elements))
                               : std::string("cannot be told: it matches everything")});
    return table.to_string().substr(1);
}

} // namespace

result<void> perform(Context& context, const command::FilterPlan& wanted) {
    const auto plan = plan_for(wanted);
    if (!plan) return plan.error();
    if (context.out.json())
        context.out.value(plan_json(wanted, *plan));
    else
        context.out.text(plan_text(wanted, *plan));
    return {};
}

result<void> perform(Context& context, const command::FilterMake& make) {
    const auto items = read_items(context.out.host(), make.hex);
    if (!items) return items.error();
    const auto size = make.goal.bytes
                          ? bip37::size_of_bytes(*make.goal.bytes, items->size())
                          : bip37::plan_size(items->size(), make.goal.fp_rate.value_or(usual_rate));
    if (!size) return size.error();
    const auto tweak = make.tweak ? *make.tweak : std::random_device{}();
    BloomFilter filter(size->bytes, size->hash_functions, tweak, make.flags);
    for (const auto& item : *items)
        filter.insert(item.bytes);
    const auto payload = to_hex(bip37::encode(bip37::FilterLoad{filter}));
    if (!context.out.json()) {
        context.out.text(payload + "\n");
        return {};
    }
    auto object = filter_json(filter);
    object["items"] = items->size();
    object["payload"] = payload;
    context.out.value(std::move(object));
    return {};
}

result<void> perform(Context& context, const command::FilterTest& test) {
    const auto filter = read_filterload(context.out.host(), test.payload);
    if (!filter) return filter.error();
    const auto items = read_items(context.out.host(), test.hex);
    if (!items) return items.error();
    boost::json::array array;
    std::string text;
    for (const auto& item : *items) {
        const bool maybe = filter->contains(item.bytes);
        if (context.out.json())
            array.push_back(boost::json::object{{"item", to_hex(item.bytes)}, {"maybe", maybe}});
        else
            text += (maybe ? "maybe  " : "no     ") + item.written + "\n";
    }
    if (context.out.json())
        context.out.value(array);
    else
        context.out.text(text);
    return {};
}

result<void> perform(Context& context, const command::FilterShow& show) {
    const auto filter = read_filterload(context.out.host(), show.payload);
    if (!filter) return filter.error();
    if (context.out.json())
        context.out.value(filter_json(*filter));
    else
        context.out.text(filter_text(*filter));
    return {};
}

} // namespace headlight::cli
