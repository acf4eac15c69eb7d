// How fast a filter is asked and filled, transactions are matched, and merkle proofs are walked.
#include "bip37/messages.hpp"
#include "bip37/relevance.hpp"
#include "bip37/sizing.hpp"
#include "chain/script.hpp"

#include <benchmark/benchmark.h>

#include <random>

namespace headlight::bip37 {
namespace {

Bytes random_bytes(std::mt19937_64& random, std::size_t count) {
    Bytes bytes(count);
    for (auto& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

chain::Hash256 random_hash(std::mt19937_64& random) {
    return *chain::Hash256::from_bytes(random_bytes(random, 32));
}

/// A wallet's filter: `elements` key hashes at a rate of 0.0001.
BloomFilter wallet_filter(std::mt19937_64& random, std::size_t elements) {
    const auto size = plan_size(elements, 0.0001).value();
    BloomFilter filter(size.bytes, size.hash_functions, 1, UpdateFlags::all);
    for (std::size_t i = 0; i < elements; ++i)
        filter.insert(random_bytes(random, 20));
    return filter;
}

/// One input with signature and key, two outputs to key hashes.
chain::Transaction ordinary_transaction(std::mt19937_64& random) {
    chain::Transaction tx;
    chain::TxIn input{{random_hash(random), 1}, {}, 0xffffffff, {}};
    chain::append_push(input.script_sig, random_bytes(random, 71));
    chain::append_push(input.script_sig, random_bytes(random, 33));
    tx.inputs.push_back(std::move(input));
    for (int i = 0; i < 2; ++i)
        tx.outputs.push_back({50'000, chain::pkh_script(random_bytes(random, 20))});
    return tx;
}

void murmur3_of(benchmark::State& state) {
    std::mt19937_64 random(1);
    const auto data = random_bytes(random, static_cast<std::size_t>(state.range(0)));
    std::uint32_t seed = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(seed = murmur3(seed, data));
}
BENCHMARK(murmur3_of)->Arg(20)->Arg(36)->Arg(520);

void filter_insert(benchmark::State& state) {
    std::mt19937_64 random(2);
    auto filter = wallet_filter(random, 1'000);
    const auto element = random_bytes(random, 20);
    for (auto _ : state)
        filter.insert(element);
}
BENCHMARK(filter_insert);

void filter_contains(benchmark::State& state) {
    std::mt19937_64 random(3);
    const auto filter = wallet_filter(random, 1'000);
    std::vector<Bytes> elements;
    for (int i = 0; i < 1'024; ++i)
        elements.push_back(random_bytes(random, 20));
    std::size_t next = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(filter.contains(elements[next++ % elements.size()]));
}
BENCHMARK(filter_contains);

void match_and_update_ordinary(benchmark::State& state) {
    std::mt19937_64 random(4);
    auto filter = wallet_filter(random, 1'000);
    std::vector<std::pair<chain::Transaction, chain::Hash256>> txs;
    for (int i = 0; i < 1'024; ++i) {
        auto tx = ordinary_transaction(random);
        const auto txid = chain::txid(tx);
        txs.emplace_back(std::move(tx), txid);
    }
    std::size_t next = 0;
    for (auto _ : state) {
        const auto& [tx, txid] = txs[next++ % txs.size()];
        benchmark::DoNotOptimize(match_and_update(filter, tx, txid));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(match_and_update_ordinary);

/// A block of range(0) transactions with range(1) matches.
void extract_matches_of(benchmark::State& state) {
    std::mt19937_64 random(5);
    std::vector<chain::Hash256> txids(static_cast<std::size_t>(state.range(0)));
    for (auto& txid : txids)
        txid = random_hash(random);
    std::vector<bool> matched(txids.size());
    for (std::int64_t i = 0; i < state.range(1); ++i)
        matched[random() % matched.size()] = true;
    const auto tree = build_partial_merkle_tree(txids, matched);
    for (auto _ : state)
        benchmark::DoNotOptimize(extract_matches(tree));
}
BENCHMARK(extract_matches_of)
    ->Args({80, 0})
    ->Args({80, 2})
    ->Args({3'000, 3})
    ->Args({16'000, 16'000});

void build_tree_of(benchmark::State& state) {
    std::mt19937_64 random(6);
    std::vector<chain::Hash256> txids(static_cast<std::size_t>(state.range(0)));
    for (auto& txid : txids)
        txid = random_hash(random);
    std::vector<bool> matched(txids.size());
    matched[txids.size() / 2] = true;
    for (auto _ : state)
        benchmark::DoNotOptimize(build_partial_merkle_tree(txids, matched));
}
BENCHMARK(build_tree_of)->Arg(80)->Arg(3'000);

} // namespace
} // namespace headlight::bip37

BENCHMARK_MAIN();
