// Checks of filterload: sizes, functions, flags, tweaks. The block asked for is genesis, which
// every node has; its one transaction's id is the element.
#include "chain/limits.hpp"
#include "conform/bench.hpp"
#include "conform/check.hpp"

namespace headlight::conform {

namespace {

using bip37::BloomFilter;
using bip37::UpdateFlags;

constexpr std::uint32_t some_tweak = 0x5eed;

/// Loads a filter that has genesis' transaction or another element; how the block is answered.
Filtered loaded(Peer& peer, BloomFilter filter, bool with_element) {
    auto element = genesis_element(peer.network());
    if (!with_element) element[0] ^= 1;
    filter.insert(element);
    peer.send(bip37::FilterLoad{filter});
    return ask_genesis(peer);
}

/// The same bits under one function less, which lack one of the element's bits.
BloomFilter one_bit_short(BloomFilter empty, const Bytes& element) {
    BloomFilter filter(empty.data().size(), empty.hash_functions() - 1, empty.tweak(),
                       empty.flags());
    filter.insert(element);
    return {filter.data(), empty.hash_functions(), empty.tweak(), empty.flags()};
}

/// Pass when a filter of this shape matches what it holds and nothing else.
Outcome works(Bench& bench, const BloomFilter& empty) {
    auto& peer = bench.greet();
    if (!genesis_matched(loaded(peer, empty, true))) return fail("what it holds does not match");
    if (genesis_matched(loaded(peer, empty, false))) return fail("what it does not hold matches");
    const auto element = genesis_element(bench.network());
    const auto less = one_bit_short(empty, element);
    if (less.contains(element)) return pass("matches what it holds, and only that");
    peer.send(bip37::FilterLoad{less});
    return genesis_matched(ask_genesis(peer)) ? fail("what lacks one bit matches")
                                              : pass("matches what it holds, to the last bit");
}

Outcome size_1(Bench& bench) { return works(bench, {1, 1, 0, UpdateFlags::none}); }
Outcome size_36000(Bench& bench) {
    return works(bench, {limits::max_filter_bytes, 10, some_tweak, UpdateFlags::none});
}
Outcome functions_1(Bench& bench) { return works(bench, {100, 1, some_tweak, UpdateFlags::none}); }
Outcome functions_50(Bench& bench) {
    return works(bench, {1'000, limits::max_hash_functions, some_tweak, UpdateFlags::none});
}
Outcome tweak_wraps(Bench& bench) {
    return works(bench, {1'000, 50, 0xffffffff, UpdateFlags::none});
}
Outcome functions_differ(Bench& bench) { return works(bench, {1'000, 7, 0, UpdateFlags::none}); }

/// What becomes of a filter at the edge, which BIP-37 does not speak of.
Outcome at_the_edge(Bench& bench, ByteView payload) {
    auto& peer = bench.greet();
    peer.send_raw("filterload", payload);
    const auto answer = ask_genesis(peer);
    if (!answer.merkleblock) return differs(answer.heard.closed() ? "closed" : "ignored");
    return genesis_matched(answer) ? pass("matches everything") : differs("matches nothing");
}

Outcome size_0(Bench& bench) { return at_the_edge(bench, filterload_payload({}, 5, 0, 0)); }
Outcome functions_0(Bench& bench) {
    return at_the_edge(bench, filterload_payload(Bytes(10), 0, 0, 0));
}

/// A filter over a limit: taken is wrong.
Outcome refused(Bench& bench, ByteView payload) {
    auto& peer = bench.greet();
    peer.send_raw("filterload", payload);
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return fail("the filter is used: " + answer.heard.text());
    return answer.heard.closed() ? pass("closed") : differs("ignored");
}

Outcome size_36001(Bench& bench) {
    return refused(bench, filterload_payload(Bytes(limits::max_filter_bytes + 1, 0xff), 1, 0, 0));
}
Outcome functions_51(Bench& bench) {
    return refused(bench,
                   filterload_payload(Bytes(100, 0xff), limits::max_hash_functions + 1, 0, 0));
}

Outcome unknown_flags(Bench& bench) {
    const auto filter = filter_of({genesis_element(bench.network())});
    auto& peer = bench.greet();
    peer.send_raw("filterload",
                  filterload_payload(filter.data(), filter.hash_functions(), filter.tweak(), 0xff));
    const auto answer = ask_genesis(peer);
    if (!answer.merkleblock) return differs(answer.heard.closed() ? "closed" : "ignored");
    return genesis_matched(answer) ? pass("matches what it holds")
                                   : fail("what it holds does not match");
}

Outcome all_ones(Bench& bench) {
    const auto* block = bench.scene().largest(1);
    auto& peer = bench.greet();
    BloomFilter filter(Bytes(8, 0xff), 5, some_tweak, UpdateFlags::none);
    peer.send(bip37::FilterLoad{filter});
    const auto& asked = bench.need(block, "block");
    return matches(ask(peer, asked.hash), due(filter, asked));
}

Outcome all_zeros(Bench& bench) {
    const auto* block = bench.scene().largest(1);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{BloomFilter(8, 5, some_tweak, UpdateFlags::none)});
    return matches(ask(peer, bench.need(block, "block").hash), {});
}

Outcome replaced(Bench& bench) {
    auto& peer = bench.greet();
    const BloomFilter empty(100, 10, some_tweak, UpdateFlags::none);
    if (!genesis_matched(loaded(peer, empty, true))) return fail("what it holds does not match");
    return genesis_matched(loaded(peer, empty, false)) ? fail("the first filter is still in force")
                                                       : pass("the second one alone is in force");
}

Outcome tweak_used(Bench& bench) {
    const auto filter = filter_of({genesis_element(bench.network())});
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    if (!genesis_matched(ask_genesis(peer))) return fail("what it holds does not match");
    peer.send_raw("filterload", filterload_payload(filter.data(), filter.hash_functions(),
                                                   filter.tweak() + 1, 0));
    return genesis_matched(ask_genesis(peer)) ? fail("another tweak changes nothing")
                                              : pass("another tweak, other bits");
}

Outcome before_verack(Bench& bench) {
    const bip37::FilterLoad load{filter_of({genesis_element(bench.network())})};
    auto& peer = bench.greet({.before_verack = {load}});
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return differs("the filter is used: " + answer.heard.text());
    return answer.heard.closed() ? differs("closed") : pass("ignored");
}

Outcome truncated(Bench& bench) {
    auto payload = filterload_payload(Bytes(100, 0xff), 1, 0, 0);
    payload.resize(50);
    auto& peer = bench.greet();
    peer.send_raw("filterload", payload);
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return fail("half a filter is used: " + answer.heard.text());
    return answer.heard.closed() ? differs("closed") : pass("ignored");
}

} // namespace

std::vector<Check> filterload_checks() {
    return {
        {"filterload.size-0",
         "A filter of no bytes does no harm (most nodes: it matches everything)",
         "BIP-37 is silent; Bitcoin Core", size_0},
        {"filterload.size-1", "A filter of one byte works", "BIP-37, filterload", size_1},
        {"filterload.size-36000", "A filter of 36,000 bytes works", "BIP-37, filterload",
         size_36000},
        {"filterload.size-36001", "A filter over 36,000 bytes is not taken (most nodes: closed)",
         "BIP-37, filterload", size_36001},
        {"filterload.functions-0",
         "A filter of no functions does no harm (most nodes: it matches everything)",
         "BIP-37 is silent; Bitcoin Core", functions_0},
        {"filterload.functions-1", "A filter of one function works", "BIP-37, filterload",
         functions_1},
        {"filterload.functions-7", "Each function has its own seed", "BIP-37, Bloom filter format",
         functions_differ},
        {"filterload.functions-50", "A filter of 50 functions works", "BIP-37, filterload",
         functions_50},
        {"filterload.functions-51", "A filter over 50 functions is not taken (most nodes: closed)",
         "BIP-37, filterload", functions_51},
        {"filterload.flags-255", "Flag bits that BIP-37 does not name leave the filter in force",
         "BIP-37, nFlags", unknown_flags},
        {"filterload.all-ones", "A filter of ones matches everything",
         "BIP-37, Bloom filter format", all_ones},
        {"filterload.all-zeros", "A filter of zeros matches nothing", "BIP-37, Bloom filter format",
         all_zeros},
        {"filterload.replaced", "A second filter takes the place of the first",
         "BIP-37, new messages", replaced},
        {"filterload.tweak", "The tweak is part of every seed", "BIP-37, Bloom filter format",
         tweak_used},
        {"filterload.tweak-wraps", "Seeds wrap around at 2^32", "BIP-37, Bloom filter format",
         tweak_wraps},
        {"filterload.before-verack", "A filter before the verack is ignored",
         "Bitcoin Core: nothing before verack", before_verack},
        {"filterload.truncated", "A filter that ends early is not used", "BIP-37, filterload",
         truncated},
    };
}

} // namespace headlight::conform
