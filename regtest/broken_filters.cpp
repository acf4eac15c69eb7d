// Nodes that break filterload, filteradd or filterclear.
#include "chain/limits.hpp"
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

using bip37::BloomFilter;
using bip37::FilterAdd;
using bip37::FilterClear;
using bip37::FilterLoad;

BloomFilter with(const BloomFilter& filter, std::uint32_t functions, std::uint32_t tweak) {
    return {filter.data(), functions, tweak, filter.flags()};
}

// ------------------------------------------------------------------------------- filterload

bool of_no_bytes(SimSession&, const FilterLoad& load) { return load.filter.data().empty(); }
bool of_few_bytes(SimSession&, const FilterLoad& load) {
    return load.filter.data().size() == 1 && load.filter.hash_functions() > 0;
}
bool of_many_bytes(SimSession&, const FilterLoad& load) {
    return load.filter.data().size() > 20'000;
}
bool of_no_functions(SimSession&, const FilterLoad& load) {
    return load.filter.hash_functions() == 0;
}
bool before_verack(SimSession& session, const FilterLoad&) { return !session.established(); }

template <std::uint32_t most>
bool at_most_functions(SimSession&, FilterLoad& load) {
    const auto functions = std::min(load.filter.hash_functions(), most);
    load.filter = with(load.filter, functions, load.filter.tweak());
    return true;
}
bool another_function(SimSession&, FilterLoad& load) {
    if (load.filter.hash_functions() != 1) return false;
    load.filter = with(load.filter, 2, load.filter.tweak());
    return true;
}
bool no_tweak(SimSession&, FilterLoad& load) {
    load.filter = with(load.filter, load.filter.hash_functions(), 0);
    return true;
}
bool short_tweak(SimSession&, FilterLoad& load) {
    load.filter = with(load.filter, load.filter.hash_functions(), load.filter.tweak() & 0x7fffffff);
    return true;
}
bool merged(SimSession& session, FilterLoad& load) {
    const auto& old = session.filter();
    if (!old || old->data().size() != load.filter.data().size()) return false;
    auto data = load.filter.data();
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] |= old->data()[i];
    load.filter = {std::move(data), load.filter.hash_functions(), load.filter.tweak(),
                   load.filter.flags()};
    return true;
}

/// Takes any filterload, however large or short.
bool takes_filter(SimSession& session, const NodeFrame& frame) {
    chain::Reader reader(frame.payload);
    const auto size = static_cast<std::size_t>(reader.compact_size());
    const auto data = reader.bytes(std::min(size, reader.remaining()));
    const auto functions = reader.remaining() >= 4 ? reader.u32() : 1;
    session.set_filter(
        BloomFilter(Bytes(data.begin(), data.end()), functions, 0, bip37::UpdateFlags::none));
    return true;
}
template <FrameTrouble trouble>
bool takes_bad_filter(SimSession& session, FaultState&, const NodeFrame& frame) {
    return frame.command == "filterload" && frame.trouble == trouble &&
           takes_filter(session, frame);
}
bool no_filter_by_flags(SimSession& session, FaultState&, const NodeFrame& frame) {
    if (frame.command != "filterload" || frame.payload.back() < 3) return false;
    session.set_filter(BloomFilter(8, 1, 0, bip37::UpdateFlags::none));
    return true;
}

bool misses_full_filters(BloomFilter& filter, const chain::Transaction& tx,
                         const chain::Hash256& id) {
    return filter.fill_ratio() < 1 && match_and_update(filter, tx, id);
}
bool finds_in_empty_filters(BloomFilter& filter, const chain::Transaction& tx,
                            const chain::Hash256& id) {
    return filter.bits_set() == 0 || match_and_update(filter, tx, id);
}

// --------------------------------------------------------------------- filteradd, filterclear

bool empties_at_nothing(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* add = std::get_if<FilterAdd>(&message);
    if (add && add->element.empty() && session.filter())
        session.set_filter(BloomFilter(8, 1, 0, bip37::UpdateFlags::none));
    return false;
}
bool short_element(SimSession&, const FilterAdd& add) { return add.element.size() == 1; }
bool long_element(SimSession&, const FilterAdd& add) { return add.element.size() > 255; }

bool adds_too_long(SimSession& session, FaultState&, const NodeFrame& frame) {
    if (frame.command != "filteradd" || frame.trouble != FrameTrouble::over_limit) return false;
    chain::Reader reader(frame.payload);
    auto filter = session.filter().value();
    filter.insert(reader.var_bytes(frame.payload.size()));
    session.set_filter(std::move(filter));
    return true;
}

bool add_replaces(SimSession& session, FaultState&, const p2p::Message& message) {
    if (is<FilterAdd>(message) && session.filter())
        session.set_filter(BloomFilter(1'000, 20, 0, session.filter()->flags()));
    return false;
}
bool add_makes_filter(SimSession& session, FaultState&, const p2p::Message& message) {
    if (is<FilterAdd>(message) && !session.filter())
        session.set_filter(BloomFilter(1'000, 20, 0, bip37::UpdateFlags::none));
    return false;
}
bool clear_empties(SimSession& session, FaultState&, const p2p::Message& message) {
    if (!is<FilterClear>(message) || !session.filter()) return false;
    const auto& filter = *session.filter();
    session.set_filter(
        BloomFilter(filter.data().size(), filter.hash_functions(), filter.tweak(), filter.flags()));
    return true;
}
bool without_filter(SimSession& session, const FilterClear&) { return !session.filter(); }

bool deaf_after_clear(SimSession&, FaultState& state, const p2p::Message& message) {
    if (is<FilterClear>(message)) state.count = 1;
    return state.count && is<FilterLoad>(message);
}

} // namespace

std::vector<Fault> broken_filters() {
    return {
        {.name = "broken-filter-0",
         .does = "hangs at a filter of no bytes",
         .swallow = hangs_at<FilterLoad, of_no_bytes>},
        {.name = "broken-filter-1",
         .does = "ignores a filter of one byte",
         .swallow = ignores<FilterLoad, of_few_bytes>},
        {.name = "broken-filter-36000",
         .does = "closes at filters over 20,000 bytes",
         .swallow = closes_at<FilterLoad, of_many_bytes>},
        {.name = "broken-filter-over-limit",
         .does = "takes filters of any size and number of functions",
         .frame = takes_bad_filter<FrameTrouble::over_limit>},
        {.name = "broken-filter-truncated",
         .does = "takes what there is of a filter",
         .frame = takes_bad_filter<FrameTrouble::malformed>},
        {.name = "broken-functions-0",
         .does = "hangs at a filter of no functions",
         .swallow = hangs_at<FilterLoad, of_no_functions>},
        {.name = "broken-functions-1",
         .does = "uses two functions where one is asked for",
         .swallow = takes_for<FilterLoad, another_function>},
        {.name = "broken-functions-6",
         .does = "uses six functions at most",
         .swallow = takes_for<FilterLoad, at_most_functions<6>>},
        {.name = "broken-functions-49",
         .does = "uses 49 functions at most",
         .swallow = takes_for<FilterLoad, at_most_functions<49>>},
        {.name = "broken-flags",
         .does = "empties filters with unknown flags",
         .frame = no_filter_by_flags},
        {.name = "broken-full-filter",
         .does = "matches nothing when all bits are set",
         .match = misses_full_filters},
        {.name = "broken-empty-filter",
         .does = "matches everything when no bit is set",
         .match = finds_in_empty_filters},
        {.name = "broken-merged-filters",
         .does = "adds a new filter to the old one",
         .swallow = takes_for<FilterLoad, merged>},
        {.name = "broken-no-tweak",
         .does = "uses no tweak",
         .swallow = takes_for<FilterLoad, no_tweak>},
        {.name = "broken-short-tweak",
         .does = "uses 31 bits of the tweak",
         .swallow = takes_for<FilterLoad, short_tweak>},
        {.name = "broken-early-filter",
         .does = "hangs at a filter before verack",
         .swallow = hangs_at<FilterLoad, before_verack>},
        {.name = "broken-add-0",
         .does = "empties the filter when nothing is added",
         .swallow = empties_at_nothing},
        {.name = "broken-add-1",
         .does = "adds no single bytes",
         .swallow = ignores<FilterAdd, short_element>},
        {.name = "broken-add-520",
         .does = "closes at elements over 255 bytes",
         .swallow = closes_at<FilterAdd, long_element>},
        {.name = "broken-add-521", .does = "adds elements of any size", .frame = adds_too_long},
        {.name = "broken-add-replaces",
         .does = "makes a new filter at each filteradd",
         .swallow = add_replaces},
        {.name = "broken-add-makes",
         .does = "makes a filter for a filteradd without one",
         .swallow = add_makes_filter},
        {.name = "broken-clear-empties",
         .does = "keeps an empty filter after filterclear",
         .swallow = clear_empties},
        {.name = "broken-clear-minds",
         .does = "closes at filterclear without a filter",
         .swallow = closes_at<FilterClear, without_filter>},
        {.name = "broken-clear-for-good",
         .does = "takes no filter after filterclear",
         .swallow = deaf_after_clear},
    };
}

} // namespace headlight::regtest
