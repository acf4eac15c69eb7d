// Checks of filteradd and filterclear.
#include "conform/bench.hpp"
#include "conform/check.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

bip37::FilterLoad nothing_matches() { return {filter_of({Bytes(20, 0x77)})}; }

void add(Peer& peer, const Bytes& element) {
    peer.send_raw("filteradd", chain::Writer().var_bytes(element).data());
}

/// An output that pushes `size` bytes, no more and no less.
Spot pushing(Bench& bench, std::size_t size) {
    const auto spot = bench.scene().output([&](const chain::TxOut& output) {
        const auto ops = ops_of(output.script_pubkey);
        return std::any_of(ops.begin(), ops.end(),
                           [&](const auto& op) { return op.push.size() == size; });
    });
    return bench.need(spot, "push of " + std::to_string(size) + " bytes");
}

Bytes pushed(const Spot& spot, std::size_t size) {
    for (const auto& op : ops_of(spot.output().script_pubkey))
        if (op.push.size() == size) return to_bytes(op.push);
    return {};
}

/// Adds a push of a transaction to a filter that does not match it.
Outcome added(Bench& bench, std::size_t size) {
    const auto spot = pushing(bench, size);
    const auto element = pushed(spot, size);
    auto& peer = bench.greet();
    auto filter = nothing_matches().filter;
    peer.send(nothing_matches());
    add(peer, element);
    filter.insert(element);
    return matches(ask(peer, spot.block->hash), due(filter, *spot.block));
}

Outcome add_1(Bench& bench) { return added(bench, 1); }
Outcome add_520(Bench& bench) { return added(bench, 520); }

Outcome add_521(Bench& bench) {
    const auto spot = pushing(bench, 521);
    auto& peer = bench.greet();
    peer.send(nothing_matches());
    add(peer, pushed(spot, 521));
    const auto answer = ask(peer, spot.block->hash);
    if (answer.heard.closed()) return pass("closed");
    return matched(answer).empty() ? differs("ignored")
                                   : fail("the element is added: " + answer.heard.text());
}

Outcome add_0(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    add(peer, {});
    const auto answer = ask_genesis(peer);
    if (answer.heard.closed()) return differs("closed");
    return genesis_matched(answer) ? pass("the filter is as it was")
                                   : fail("the filter matches no more");
}

Outcome extends(Bench& bench) {
    const auto spot = bench.need(
        bench.scene().output([](const auto& out) { return out.script_pubkey.size() > 1; }),
        "payment");
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    const auto id = to_bytes(spot.txid());
    add(peer, id);
    if (!genesis_matched(ask_genesis(peer))) return fail("what was loaded matches no more");
    auto filter = filter_of({genesis_element(bench.network()), id});
    return matches(ask(peer, spot.block->hash), due(filter, *spot.block));
}

/// An element without a filter: nothing to add it to.
Outcome homeless(Bench& bench, Peer& peer) {
    add(peer, genesis_element(bench.network()));
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return fail("a filter comes about: " + answer.heard.text());
    return answer.heard.closed() ? pass("closed") : differs("ignored");
}

Outcome without_filter(Bench& bench) { return homeless(bench, bench.greet()); }

Outcome add_after_clear(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(nothing_matches());
    peer.send(bip37::FilterClear{});
    return homeless(bench, peer);
}

Outcome clear(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    peer.send(bip37::FilterClear{});
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return fail("the filter is still in force: " + answer.heard.text());
    if (answer.heard.closed()) return fail("closed");
    return answer.heard.messages.empty() ? pass("silence") : differs(answer.heard.text());
}

Outcome clear_twice(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(nothing_matches());
    peer.send(bip37::FilterClear{});
    peer.send(bip37::FilterClear{});
    return peer.fence().closed() ? fail("closed") : pass("kept");
}

Outcome clear_first(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterClear{});
    return peer.fence().closed() ? fail("closed") : pass("kept");
}

Outcome load_after_clear(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(nothing_matches());
    peer.send(bip37::FilterClear{});
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    return genesis_matched(ask_genesis(peer)) ? pass("matches what it holds")
                                              : fail("what it holds does not match");
}

} // namespace

std::vector<Check> filteradd_checks() {
    return {
        {"filteradd.size-0", "An empty element changes nothing", "BIP-37, filteradd", add_0},
        {"filteradd.size-1", "An element of one byte is added", "BIP-37, filteradd", add_1},
        {"filteradd.size-520", "An element of 520 bytes is added", "BIP-37, filteradd", add_520},
        {"filteradd.size-521", "An element over 520 bytes is not added (most nodes: closed)",
         "BIP-37, filteradd", add_521},
        {"filteradd.extends", "What was loaded before stays in the filter", "BIP-37, filteradd",
         extends},
        {"filteradd.no-filter", "Nothing can be added before a filter (most nodes: closed)",
         "BIP-37, filteradd", without_filter},
        {"filteradd.after-clear", "Nothing can be added after filterclear (most nodes: closed)",
         "BIP-37, filteradd", add_after_clear},
        {"filteradd.clear", "filterclear takes the filter away", "BIP-37, filterclear", clear},
        {"filteradd.clear-twice", "filterclear without a filter is harmless", "BIP-37, filterclear",
         clear_twice},
        {"filteradd.clear-first", "filterclear is harmless before any filter",
         "BIP-37, filterclear", clear_first},
        {"filteradd.load-after-clear", "A filter after filterclear works", "BIP-37, filterclear",
         load_after_clear},
    };
}

} // namespace headlight::conform
