// Removing one of the watched elements, in both ways: the filter is built again from the others,
// or a counting filter (Fan and others, "Summary Cache", 2000: a counter of 4 bits for each bit)
// takes it out and is folded to the bits. Up to the filterload's payload, since the whole filter
// has to be sent either way. docs/privacy.md has the figures, and why the program builds again.
#include "bip37/messages.hpp"
#include "bip37/sizing.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace headlight::bip37 {
namespace {

constexpr double wanted_rate = 0.001;
constexpr std::uint32_t tweak = 0x6a09e667;

/// 20 bytes, as a key's hash has.
std::vector<Bytes> random_elements(std::size_t count) {
    std::vector<Bytes> elements(count, Bytes(20));
    std::uint32_t number = 0;
    for (auto& element : elements)
        for (std::size_t at = 0; at < element.size(); at += 4) {
            const auto word = murmur3(++number, {});
            std::memcpy(element.data() + at, &word, 4);
        }
    return elements;
}

/// core_size() without its limits, so that one number of elements is one filter.
FilterSize size_for(std::size_t elements) {
    const double bits = -std::log(wanted_rate) / std::pow(std::log(2), 2);
    return {static_cast<std::size_t>(bits * static_cast<double>(elements) / 8),
            static_cast<std::uint32_t>(bits * std::log(2))};
}

class CountingFilter {
  public:
    explicit CountingFilter(const FilterSize& size)
        : size_(size), counters_(size.bytes * counters_per_byte / 2) {}

    void insert(ByteView element) {
        each(element, [this](std::uint8_t& pair, int shift) {
            if ((pair >> shift & most) == most) return;
            pair = static_cast<std::uint8_t>(pair + (1 << shift));
            if ((pair >> shift & most) == most) ++saturated_;
        });
    }
    /// Of what was inserted. A counter that is full no longer knows its number, and stays.
    void remove(ByteView element) {
        each(element, [](std::uint8_t& pair, int shift) {
            if ((pair >> shift & most) == most) return;
            pair = static_cast<std::uint8_t>(pair - (1 << shift));
        });
    }
    BloomFilter folded() const {
        Bytes bits(size_.bytes);
        for (std::size_t i = 0; i < bits.size(); ++i) {
            std::uint32_t eight = 0;
            std::memcpy(&eight, counters_.data() + i * sizeof eight, sizeof eight);
            eight |= eight >> 2;
            eight |= eight >> 1;
            eight &= 0x11111111; // one bit a counter; and now side by side
            eight = (eight | eight >> 3) & 0x03030303;
            eight = (eight | eight >> 6) & 0x000f000f;
            bits[i] = static_cast<std::uint8_t>(eight | eight >> 12);
        }
        return {std::move(bits), size_.hash_functions, tweak, UpdateFlags::all};
    }
    std::size_t bytes() const { return counters_.size(); }
    std::size_t saturated() const { return saturated_; }

  private:
    static constexpr int most = 15;
    static constexpr std::size_t counters_per_byte = 8; // of the filter

    template <class Change>
    void each(ByteView element, const Change& change) {
        constexpr std::uint32_t seed_step = 0xfba4c795; // BIP-37
        for (std::uint32_t i = 0; i < size_.hash_functions; ++i) {
            const auto bit = murmur3(i * seed_step + tweak, element) % (size_.bytes * 8);
            change(counters_[bit / 2], bit % 2 == 0 ? 0 : 4);
        }
    }

    FilterSize size_;
    Bytes counters_; ///< two a byte, the lower half first: on little-endian machines, as bits are
    std::size_t saturated_ = 0;
};

/// Of all but the one at `without`.
BloomFilter built(const std::vector<Bytes>& elements, const FilterSize& size, std::size_t without) {
    BloomFilter filter(size.bytes, size.hash_functions, tweak, UpdateFlags::all);
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (i != without) filter.insert(elements[i]);
    return filter;
}

CountingFilter counted(const std::vector<Bytes>& elements, const FilterSize& size) {
    CountingFilter filter(size);
    for (const auto& element : elements)
        filter.insert(element);
    return filter;
}

std::size_t count_of(const benchmark::State& state) {
    return static_cast<std::size_t>(state.range(0));
}

void rebuild(benchmark::State& state) {
    const auto elements = random_elements(count_of(state));
    const auto size = size_for(elements.size());
    std::size_t at = 0;
    for (auto _ : state) {
        const auto payload = encode(FilterLoad{built(elements, size, at++ % elements.size())});
        benchmark::DoNotOptimize(payload.data());
    }
    state.counters["held"] = 0; // the elements are the wallet's, which is there anyway
    state.counters["payload"] = static_cast<double>(encode(FilterLoad{built({}, size, 0)}).size());
}

bool differed = false;

void take_out(benchmark::State& state) {
    const auto elements = random_elements(count_of(state));
    const auto size = size_for(elements.size());
    auto counting = counted(elements, size);
    std::size_t at = 0;
    for (auto _ : state) {
        const auto& element = elements[at++ % elements.size()];
        counting.remove(element);
        const auto payload = encode(FilterLoad{counting.folded()});
        benchmark::DoNotOptimize(payload.data());
        state.PauseTiming();
        counting.insert(element);
        state.ResumeTiming();
    }
    bool equal = true;
    for (std::size_t tried = 0; tried < 50; ++tried) {
        const auto without = tried * 7919 % elements.size();
        counting.remove(elements[without]);
        equal = equal && counting.folded() == built(elements, size, without);
        counting.insert(elements[without]);
    }
    differed = differed || (!equal && counting.saturated() == 0);
    state.counters["held"] = static_cast<double>(counting.bytes());
    state.counters["saturated"] = static_cast<double>(counting.saturated());
    state.counters["equal"] = equal;
}

/// What a program that starts pays before it can take anything out, unless counters are stored.
void count_all(benchmark::State& state) {
    const auto elements = random_elements(count_of(state));
    for (auto _ : state)
        benchmark::DoNotOptimize(counted(elements, size_for(elements.size())).bytes());
}

/// Ten times as many as the filter is made for; then all of them go. What is left is wrong.
void empty_an_overfull_one(benchmark::State& state) {
    const auto elements = random_elements(count_of(state));
    const auto size = size_for(elements.size() / 10);
    for (auto _ : state) {
        auto counting = counted(elements, size);
        for (const auto& element : elements)
            counting.remove(element);
        state.counters["saturated"] = static_cast<double>(counting.saturated());
        state.counters["bits_left"] = static_cast<double>(counting.folded().bits_set());
    }
}

void register_all() {
    using Bench = void (*)(benchmark::State&);
    const auto add = [](const char* name, Bench bench, std::int64_t elements) {
        benchmark::RegisterBenchmark(name, bench)->Arg(elements)->Unit(benchmark::kMicrosecond);
    };
    for (const std::int64_t elements : {1'000, 10'000, 20'000, 100'000}) {
        add("rebuild", rebuild, elements);
        add("take_out", take_out, elements);
        add("count_all", count_all, elements);
    }
    add("empty_an_overfull_one", empty_an_overfull_one, 20'000);
}

} // namespace
} // namespace headlight::bip37

int main(int argc, char** argv) {
    headlight::bip37::register_all();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return headlight::bip37::differed ? EXIT_FAILURE : EXIT_SUCCESS;
}
