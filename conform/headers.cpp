// Checks of getheaders and getblocks.
#include "chain/limits.hpp"
#include "conform/bench.hpp"
#include "conform/check.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

using Hashes = std::vector<chain::Hash256>;

chain::Hash256 nobodys(int number) { return chain::hash256(as_bytes(std::to_string(number))); }

/// The known chain, of more blocks than `height`.
const Hashes& chain_above(Bench& bench, std::size_t height) {
    const auto& known = bench.scene().chain;
    if (known.size() <= height + 1)
        throw Ended{skipped("the chain is shorter than " + std::to_string(height) + " blocks")};
    return known;
}

Heard headers_heard(Peer& peer, const Hashes& locator, const chain::Hash256& stop) {
    peer.send(p2p::GetHeaders{p2p::protocol_version, locator, stop});
    return peer.fence();
}

/// The hashes in the one answer; throws Ended (fail) without one.
Hashes headers_after(Peer& peer, const Hashes& locator, const chain::Hash256& stop = {}) {
    const auto heard = headers_heard(peer, locator, stop);
    const auto answers = heard.all<p2p::Headers>();
    if (answers.size() != 1) throw Ended{fail(heard.text())};
    Hashes hashes;
    for (const auto& header : answers[0].headers)
        hashes.push_back(hash_of(header));
    return hashes;
}

std::string height_text(const Hashes& known, const chain::Hash256& hash) {
    const auto found = std::find(known.begin(), known.end(), hash);
    return found == known.end() ? "an unknown block" : std::to_string(found - known.begin());
}

std::string range_text(const Hashes& known, const Hashes& hashes) {
    if (hashes.empty()) return "no headers";
    return std::to_string(hashes.size()) + " headers from " + height_text(known, hashes.front()) +
           " to " + height_text(known, hashes.back());
}

/// Pass when the answer goes on from `height`, as far as one message does.
Outcome continues(Bench& bench, const Hashes& locator, std::size_t height,
                  const chain::Hash256& stop = {}) {
    const auto& known = bench.scene().chain;
    const auto hashes = headers_after(bench.greet(), locator, stop);
    const auto text = range_text(known, hashes);
    const auto begin = known.begin() + static_cast<std::ptrdiff_t>(height) + 1;
    const auto common = std::mismatch(hashes.begin(), hashes.end(), begin, known.end());
    const bool matches = common.first == hashes.end() || common.second == known.end();
    return !hashes.empty() && matches ? pass(text)
                                      : fail(text + "; due from " + std::to_string(height + 1));
}

Outcome from_genesis(Bench& bench) { return continues(bench, {chain_above(bench, 1)[0]}, 0); }

Outcome linked(Bench& bench) {
    auto& peer = bench.greet();
    const auto heard = headers_heard(peer, {chain_above(bench, 1)[0]}, {});
    const auto* answer = heard.first<p2p::Headers>();
    if (!answer) return fail(heard.text());
    auto previous = bench.network().genesis_hash;
    for (const auto& header : answer->headers) {
        if (header.previous != previous) return fail("a header does not follow the one before");
        previous = hash_of(header);
    }
    return pass(heard.text());
}

Outcome limit(Bench& bench) {
    const auto& known = chain_above(bench, limits::max_headers_per_message);
    const auto hashes = headers_after(bench.greet(), {known[0]});
    const auto text = range_text(known, hashes);
    return hashes.size() == limits::max_headers_per_message ? pass(text) : fail(text);
}

Outcome at_the_tip(Bench& bench) {
    const auto& known = chain_above(bench, 1);
    if (!bench.scene().whole_chain) return skipped("the end of the chain is not known");
    auto& peer = bench.greet();
    auto tip = known.back();
    auto more = headers_after(peer, {tip}); // blocks that came since
    if (!more.empty()) tip = more.back();
    const auto heard = headers_heard(peer, {tip}, {});
    const auto* answer = heard.first<p2p::Headers>();
    if (!answer) return heard.closed() ? fail("closed") : differs(heard.text());
    return answer->headers.empty() ? pass(heard.text()) : fail(heard.text());
}

Outcome stop(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    const auto hashes = headers_after(bench.greet(), {known[2]}, known[7]);
    const auto text = range_text(known, hashes);
    return hashes == Hashes(known.begin() + 3, known.begin() + 8) ? pass(text) : fail(text);
}

Outcome unknown_stop(Bench& bench) {
    return continues(bench, {chain_above(bench, 10)[3]}, 3, nobodys(1));
}

Outcome unknown_locator(Bench& bench) {
    chain_above(bench, 1);
    return continues(bench, {nobodys(1), nobodys(2)}, 0);
}

Outcome first_known(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    return continues(bench, {nobodys(1), known[8], known[4], known[0]}, 8);
}

Outcome locator_order(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    const auto hashes = headers_after(bench.greet(), {known[4], known[8]});
    const auto text = range_text(known, hashes);
    if (!hashes.empty() && hashes.front() == known[5]) return pass(text);
    return !hashes.empty() && hashes.front() == known[9] ? differs(text) : fail(text);
}

Outcome stale_locator(Bench& bench) {
    const auto& known = chain_above(bench, 1);
    const auto& stale = bench.need(bench.scene().stale, "block that was replaced by another");
    const auto fork = std::find(known.begin(), known.end(), stale.header.previous);
    if (fork == known.end()) return skipped("the fork is not on the known chain");
    return continues(bench, {stale.hash, stale.header.previous},
                     static_cast<std::size_t>(fork - known.begin()));
}

Outcome no_locator(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    const auto heard = headers_heard(bench.greet(), {}, known[6]);
    const auto* answer = heard.first<p2p::Headers>();
    if (!answer) return heard.closed() ? fail("closed") : differs(heard.text());
    return answer->headers.size() == 1 && hash_of(answer->headers[0]) == known[6]
               ? pass(heard.text())
               : fail("another header than the one: " + heard.text());
}

Hashes long_locator(const Hashes& known, std::size_t count) {
    Hashes locator;
    for (std::size_t i = 0; i + 1 < count; ++i)
        locator.push_back(nobodys(static_cast<int>(i)));
    locator.push_back(known[5]);
    return locator;
}

Outcome locator_of_101(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    return continues(bench, long_locator(known, limits::max_locator_hashes), 5);
}

Outcome locator_of_102(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    const auto heard =
        headers_heard(bench.greet(), long_locator(known, limits::max_locator_hashes + 1), {});
    if (heard.closed()) return pass("closed");
    const auto* answer = heard.first<p2p::Headers>();
    if (!answer) return differs("ignored");
    return !answer->headers.empty() && hash_of(answer->headers[0]) == known[6]
               ? differs("answered")
               : fail("answered wrongly: " + heard.text());
}

Outcome get_blocks(Bench& bench) {
    const auto& known = chain_above(bench, 10);
    auto& peer = bench.greet();
    peer.send(p2p::GetBlocks{p2p::protocol_version, {known[2]}, known[7]});
    const auto heard = peer.fence();
    const auto* inv = heard.first<p2p::Inv>();
    if (!inv) return fail(heard.text());
    Hashes hashes;
    for (const auto& entry : inv->entries)
        if (entry.type == p2p::InvType::block) hashes.push_back(entry.hash);
    const auto text = range_text(known, hashes);
    if (hashes == Hashes(known.begin() + 3, known.begin() + 7)) return pass(text);
    if (hashes == Hashes(known.begin() + 3, known.begin() + 8)) return differs(text);
    return fail(text);
}

Outcome unknown_get_blocks(Bench& bench) {
    constexpr std::size_t most = 500;
    const auto& known = chain_above(bench, most);
    auto& peer = bench.greet();
    peer.send(p2p::GetBlocks{p2p::protocol_version, {nobodys(1)}, {}});
    const auto heard = peer.fence();
    const auto* inv = heard.first<p2p::Inv>();
    if (!inv) return fail(heard.text());
    const auto text = std::to_string(inv->entries.size()) + " blocks";
    return inv->entries.size() == most && inv->entries.back().hash == known[most] ? pass(text)
                                                                                  : fail(text);
}

} // namespace

std::vector<Check> headers_checks() {
    constexpr std::string_view rule = "protocol: getheaders";
    constexpr std::string_view core = "Bitcoin Core: getheaders";
    return {
        {"headers.genesis", "Headers go on from the block that the locator names", rule,
         from_genesis},
        {"headers.linked", "Each header follows the one before it", rule, linked},
        {"headers.limit", "An answer has at most 2,000 headers, and as many when there are more",
         rule, limit},
        {"headers.tip", "At the tip the answer is empty (most nodes), or there is none", core,
         at_the_tip},
        {"headers.stop", "The stop hash is the last header of the answer", rule, stop},
        {"headers.stop-unknown", "A stop hash that is not on the way changes nothing", rule,
         unknown_stop},
        {"headers.locator-unknown", "Where no hash is known the answer starts after genesis", rule,
         unknown_locator},
        {"headers.locator-first", "The first known hash of the locator counts", rule, first_known},
        {"headers.locator-order", "It counts in the order of the message, not of the heights", core,
         locator_order},
        {"headers.locator-stale", "A hash of a replaced block is passed over", rule, stale_locator},
        {"headers.no-locator", "An empty locator asks for the stop hash's header (most nodes)",
         core, no_locator},
        {"headers.locator-101", "A locator of 101 hashes is answered",
         "Bitcoin Core: MAX_LOCATOR_SZ", locator_of_101},
        {"headers.locator-102", "A locator of 102 hashes is answered right or not (most: closed)",
         "Bitcoin Core: MAX_LOCATOR_SZ", locator_of_102},
        {"headers.getblocks", "getblocks is answered by an inv up to the stop hash",
         "protocol: getblocks", get_blocks},
        {"headers.getblocks-limit", "That inv names at most 500 blocks", "protocol: getblocks",
         unknown_get_blocks},
    };
}

} // namespace headlight::conform
