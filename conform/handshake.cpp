// Checks of how a node opens a connection, of pings, and of what its service bits promise.
#include "conform/bench.hpp"
#include "conform/check.hpp"
#include "conform/stage.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

template <class... Kinds>
auto is_one_of() {
    return [](const p2p::Message& m) { return (std::holds_alternative<Kinds>(m) || ...); };
}

bool is_feature(const p2p::Message& message) {
    const auto* unknown = std::get_if<p2p::Unknown>(&message);
    return std::holds_alternative<p2p::SendAddrV2>(message) ||
           (unknown && unknown->command == "wtxidrelay");
}

/// What the node says from our version up to its verack.
Heard up_to_verack(Peer& peer, const Greeting& greeting = {}) {
    peer.send_raw("version", version_payload(greeting));
    auto heard = peer.until(is_one_of<p2p::Verack>(), peer.deadlines().answer);
    if (heard.end == WaitEnd::silent) throw Ended{fail("no verack; only " + heard.text())};
    return heard;
}

Outcome version_then_verack(Bench& bench) {
    const auto heard = up_to_verack(bench.connect());
    if (heard.closed()) return fail(heard.text());
    const auto version =
        std::find_if(heard.messages.begin(), heard.messages.end(), is_one_of<p2p::Version>());
    if (version != heard.messages.begin()) return fail("another message first: " + heard.text());
    return pass(heard.text());
}

Outcome waits_for_us(Bench& bench) {
    auto& peer = bench.connect();
    const auto heard = peer.listen(bench.deadlines().quiet);
    if (heard.closed()) return fail("closed before a word was said");
    if (heard.messages.empty()) return pass("nothing");
    return heard.first<p2p::Version>() && heard.messages.size() == 1
               ? differs("speaks first: " + heard.text())
               : fail("before any version: " + heard.text());
}

Outcome features_before_verack(Bench& bench) {
    auto& peer = bench.connect();
    const auto before = up_to_verack(peer);
    peer.send(p2p::Verack{});
    const auto after = peer.fence();
    if (std::any_of(after.messages.begin(), after.messages.end(), is_feature))
        return fail("after its verack: " + after.text());
    return pass(before.text());
}

/// Pass when the handshake comes through with these messages before our verack.
Outcome tolerated(Bench& bench, const std::vector<p2p::Message>& messages) {
    auto& peer = bench.connect();
    const auto before = up_to_verack(peer);
    if (before.closed()) return fail(before.text());
    for (const auto& message : messages)
        peer.send(message);
    peer.send(p2p::Verack{});
    const auto after = peer.fence();
    return after.closed() ? fail("closed") : pass("the handshake goes on");
}

Outcome unknown_message(Bench& bench) {
    return tolerated(bench, {p2p::Unknown{"whatever", 30}, p2p::Unknown{"sendtxrcncl", 12}});
}
Outcome sendaddrv2_early(Bench& bench) { return tolerated(bench, {p2p::SendAddrV2{}}); }
Outcome wtxidrelay_early(Bench& bench) { return tolerated(bench, {p2p::Unknown{"wtxidrelay", 0}}); }

Outcome sendaddrv2_late(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::SendAddrV2{});
    return peer.fence().closed() ? pass("closed") : differs("ignored");
}

Outcome second_version(Bench& bench) {
    auto& peer = bench.greet();
    peer.send_raw("version", version_payload({}));
    const auto heard = peer.fence();
    if (heard.first<p2p::Version>() || heard.first<p2p::Verack>())
        return fail("shakes hands again: " + heard.text());
    return heard.closed() ? differs("closed") : pass("ignored");
}

Outcome request_before_verack(Bench& bench) {
    auto& peer = bench.connect();
    auto heard = up_to_verack(peer);
    peer.send(p2p::GetHeaders{p2p::protocol_version, {bench.network().genesis_hash}, {}});
    peer.send(p2p::Ping{7});
    heard = peer.listen(bench.deadlines().quiet);
    if (heard.closed()) return differs("closed");
    peer.send(p2p::Verack{});
    if (peer.fence().closed()) return fail("closed at our verack");
    return heard.first<p2p::Headers>() || heard.first<p2p::Pong>()
               ? differs("answered early: " + heard.text())
               : pass("not answered");
}

Outcome old_version(Bench& bench) {
    const Greeting greeting{.version = 70001};
    auto& peer = bench.connect();
    const auto before = up_to_verack(peer, greeting);
    if (before.closed()) return differs("closed: it serves no such peer any more");
    peer.send(p2p::Verack{});
    const auto after = peer.fence();
    for (const auto* heard : {&before, &after})
        for (const auto& message : heard->messages)
            if (const auto* unknown = std::get_if<p2p::Unknown>(&message);
                unknown && unknown->command == "wtxidrelay")
                return fail("says wtxidrelay to a peer that cannot know it");
    return after.closed() ? differs("closed") : pass(before.text());
}

Outcome no_feefilter(Bench& bench) {
    auto& peer = bench.connect();
    up_to_verack(peer, {.version = 70012});
    peer.send(p2p::Verack{});
    const auto heard = peer.until(is_one_of<p2p::FeeFilter>(), bench.deadlines().quiet);
    if (heard.end == WaitEnd::reached) return fail(heard.text());
    return peer.fence().closed() ? differs("closed: it serves no such peer any more")
                                 : pass("no feefilter");
}

Outcome ancient_version(Bench& bench) {
    auto& peer = bench.connect();
    const auto heard = up_to_verack(peer, {.version = 209});
    return heard.closed() ? pass(heard.text()) : differs("accepted: " + heard.text());
}

Outcome ping(Bench& bench) {
    auto& peer = bench.greet();
    const std::uint64_t nonce = 0x0123456789abcdef;
    peer.send(p2p::Ping{nonce});
    const auto heard = peer.fence();
    const auto* pong = heard.first<p2p::Pong>();
    if (pong && pong->nonce == nonce) return pass(heard.text());
    return fail(pong ? "another nonce: " + heard.text() : heard.text());
}

Outcome pings_in_order(Bench& bench) {
    auto& peer = bench.greet();
    for (std::uint64_t nonce = 1; nonce <= 3; ++nonce)
        peer.send(p2p::Ping{nonce});
    const auto heard = peer.fence();
    const std::vector<p2p::Pong> wanted{{1}, {2}, {3}};
    return heard.all<p2p::Pong>() == wanted ? pass(heard.text()) : fail(heard.text());
}

Outcome ping_without_nonce(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::Ping{});
    const auto heard = peer.fence();
    if (heard.closed()) return differs("closed");
    return heard.first<p2p::Pong>() ? fail("answered: " + heard.text()) : pass("not answered");
}

p2p::Version services_of(Peer& peer) {
    const auto heard = up_to_verack(peer);
    const auto* version = heard.first<p2p::Version>();
    if (!version) throw Ended{fail("no version: " + heard.text())};
    peer.send(p2p::Verack{});
    return *version;
}

Outcome network_service(Bench& bench) {
    auto& peer = bench.connect();
    if (!(services_of(peer).services & p2p::services::network))
        return skipped("the node does not offer NODE_NETWORK");
    peer.send(p2p::GetData{{{p2p::InvType::block, bench.network().genesis_hash}}});
    const auto heard = peer.fence();
    return heard.first<p2p::Block>() ? pass(heard.text())
                                     : fail("offered, and not served: " + heard.text());
}

/// Both ways: what is offered is served, and what is not offered is not.
Outcome bloom_service(Bench& bench) {
    auto& peer = bench.connect();
    const bool offered = services_of(peer).services & p2p::services::bloom;
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    const auto answer = ask_genesis(peer);
    const bool served = answer.merkleblock.has_value();
    if (offered) return served ? pass("offered and served") : fail("offered, and not served");
    if (served) return fail("served, and not offered");
    return answer.heard.closed() ? pass("not offered; closed") : differs("not offered; ignored");
}

Outcome start_height(Bench& bench) {
    const auto& known = bench.scene().chain;
    if (!bench.scene().whole_chain) return skipped("the chain's height is not known");
    auto& peer = bench.connect();
    const auto height = services_of(peer).start_height;
    peer.send(p2p::GetHeaders{p2p::protocol_version, {known.back()}, {}});
    const auto heard = peer.fence();
    const auto* more = heard.first<p2p::Headers>(); // blocks that came since
    const auto tip = known.size() - 1 + (more ? more->headers.size() : 0);
    const auto text = std::to_string(height) + ", and the chain's height is " + std::to_string(tip);
    return std::cmp_equal(height, tip) ? pass(text) : fail(text);
}

} // namespace

std::vector<Check> handshake_checks() {
    return {
        {"handshake.version-verack", "A version is answered by a version and then a verack",
         "protocol: version handshake", version_then_verack},
        {"handshake.waits", "Who accepts a connection speaks second", "protocol: version handshake",
         waits_for_us},
        {"handshake.features", "wtxidrelay and sendaddrv2 come before the verack, never later",
         "BIP-339; BIP-155", features_before_verack},
        {"handshake.unknown-message", "Messages nobody knows are ignored, before verack as well",
         "protocol: extension by new messages", unknown_message},
        {"handshake.sendaddrv2", "sendaddrv2 between version and verack is welcome", "BIP-155",
         sendaddrv2_early},
        {"handshake.sendaddrv2-late", "sendaddrv2 after the verack is a breach", "BIP-155",
         sendaddrv2_late},
        {"handshake.wtxidrelay", "wtxidrelay between version and verack is welcome", "BIP-339",
         wtxidrelay_early},
        {"handshake.second-version", "A second version is ignored",
         "Bitcoin Core: redundant version", second_version},
        {"handshake.early-request", "Requests before the verack are not answered",
         "Bitcoin Core: nothing before verack", request_before_verack},
        {"handshake.old-version", "A peer of BIP-37's own version (70001) is not told wtxidrelay",
         "BIP-339, specification 2", old_version},
        {"handshake.feefilter", "A peer below version 70013 gets no feefilter",
         "BIP-133, specification 5", no_feefilter},
        {"handshake.ancient-version", "A peer of version 209 is closed, not left waiting",
         "Bitcoin Core: least version 31800", ancient_version},
        {"handshake.ping", "A pong repeats its ping's nonce", "BIP-31", ping},
        {"handshake.ping-order", "Pings are answered in the order in which they came", "BIP-31",
         pings_in_order},
        {"handshake.ping-empty", "A ping without a nonce is not answered", "BIP-31",
         ping_without_nonce},
        {"handshake.node-network", "Who offers NODE_NETWORK serves blocks from the first on",
         "protocol: services", network_service},
        {"handshake.node-bloom", "Filters are served where NODE_BLOOM is offered, and only there",
         "BIP-111", bloom_service},
        {"handshake.start-height", "The version names the height of the node's chain",
         "protocol: version", start_height},
    };
}

} // namespace headlight::conform
