// A Bloom filter against a hash set, 10,000 to 10,000,000 items of 20 bytes: time to insert and to
// test, bytes an item, false positives seen and predicted. (Filters here may be larger than BIP-37
// allows, so that one number of items is one filter.)
#include "bip37/privacy.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <unordered_set>

namespace headlight::bip37 {
namespace {

constexpr double wanted_rate = 0.001;
constexpr std::uint64_t strangers_from = 1'000'000'000; // numbers above are not inserted
constexpr std::uint64_t tests = 1'000'000;
constexpr std::uint64_t spread = 9'973; // a prime: tested items are far apart

using Item = std::array<std::uint8_t, 20>;

/// The n-th item: a mixed counter, so that ten million of them need no memory.
Item item(std::uint64_t number) {
    Item made;
    for (std::size_t i = 0; i < made.size(); i += 4) {
        auto word = number * 0x9e3779b97f4a7c15 + i;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        const auto half = static_cast<std::uint32_t>(word >> 32);
        std::memcpy(made.data() + i, &half, 4);
    }
    return made;
}

struct HashOfItem {
    std::size_t operator()(const Item& one) const noexcept {
        std::size_t hash = 0; // the items are random already
        std::memcpy(&hash, one.data(), sizeof hash);
        return hash;
    }
};
using Set = std::unordered_set<Item, HashOfItem>;

/// The formulas of core_size() without its limits.
BloomFilter empty_filter(std::uint64_t items) {
    const double bits = -std::log(wanted_rate) / std::pow(std::log(2), 2);
    return {static_cast<std::size_t>(bits * static_cast<double>(items) / 8),
            static_cast<std::uint32_t>(bits * std::log(2)), 1, UpdateFlags::none};
}

/// Full ones of the size under way: each takes seconds to build, and is tested twice.
std::unique_ptr<BloomFilter> filter;
std::unique_ptr<Set> set;

void count_items(benchmark::State& state, std::uint64_t each) {
    using benchmark::Counter;
    state.counters["per_item"] =
        Counter(static_cast<double>(each), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void insert_into_filter(benchmark::State& state) {
    const auto items = static_cast<std::uint64_t>(state.range(0));
    for (auto _ : state) {
        filter = std::make_unique<BloomFilter>(empty_filter(items));
        for (std::uint64_t i = 0; i < items; ++i)
            filter->insert(item(i));
    }
    count_items(state, items);
    state.counters["bytes"] =
        static_cast<double>(filter->data().size()) / static_cast<double>(items);
}

void insert_into_hash_set(benchmark::State& state) {
    const auto items = static_cast<std::uint64_t>(state.range(0));
    const auto held = [] { // what malloc hands out, its own headers included
        const auto info = mallinfo2();
        return static_cast<double>(info.uordblks + info.hblkhd);
    };
    double bytes = 0;
    set.reset();
    for (auto _ : state) {
        const auto before = held();
        set = std::make_unique<Set>();
        for (std::uint64_t i = 0; i < items; ++i)
            set->insert(item(i));
        bytes = held() - before;
    }
    count_items(state, items);
    state.counters["bytes"] = bytes / static_cast<double>(items);
}

/// A million tests: of what is in, spread over all of it, or of strangers. The share that is found.
template <class Container>
double test_a_million(benchmark::State& state, const Container& container, bool members) {
    const auto items = static_cast<std::uint64_t>(state.range(0));
    std::uint64_t found = 0;
    for (auto _ : state) {
        found = 0;
        for (std::uint64_t i = 0; i < tests; ++i)
            found += container.contains(item(members ? i * spread % items : strangers_from + i));
        benchmark::DoNotOptimize(found);
    }
    count_items(state, tests);
    return static_cast<double>(found) / tests;
}

void members_in_filter(benchmark::State& state) {
    if (test_a_million(state, *filter, true) < 1) state.SkipWithError("an item is missing");
}
void members_in_hash_set(benchmark::State& state) {
    if (test_a_million(state, *set, true) < 1) state.SkipWithError("an item is missing");
}
void strangers_in_filter(benchmark::State& state) {
    state.counters["seen"] = test_a_million(state, *filter, false);
    const FilterSize size{filter->data().size(), filter->hash_functions()};
    state.counters["predicted"] = expected_fp_rate(size, static_cast<std::size_t>(state.range(0)));
    state.counters["functions"] = expected_evaluations(filter->fill_ratio(), size.hash_functions);
}
void strangers_in_hash_set(benchmark::State& state) {
    state.counters["seen"] = test_a_million(state, *set, false);
}

void register_all() {
    using Bench = void (*)(benchmark::State&);
    for (const std::int64_t items : {10'000, 100'000, 1'000'000, 10'000'000}) {
        const auto add = [&](const char* name, Bench bench) {
            benchmark::RegisterBenchmark(name, bench)
                ->Arg(items)
                ->Unit(benchmark::kMillisecond)
                ->Iterations(1);
        };
        add("insert_into_filter", insert_into_filter);
        add("members_in_filter", members_in_filter);
        add("strangers_in_filter", strangers_in_filter);
        add("insert_into_hash_set", insert_into_hash_set);
        add("members_in_hash_set", members_in_hash_set);
        add("strangers_in_hash_set", strangers_in_hash_set);
    }
}

} // namespace
} // namespace headlight::bip37

int main(int argc, char** argv) {
    headlight::bip37::register_all();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
