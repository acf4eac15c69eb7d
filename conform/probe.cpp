#include "conform/probe.hpp"

#include "conform/bench.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace headlight::conform {

namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t probe_pings = 5;

double ms_since(SteadyClock::time_point start) {
    return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

/// Nodes tell it right after the handshake, or never.
void hear_feefilter(Peer& peer, ProbeFindings& found) {
    const auto is_feefilter = [&](const p2p::Message& message) {
        const auto* fee = std::get_if<p2p::FeeFilter>(&message);
        if (fee) found.feefilter = fee->fee_rate;
        return fee != nullptr;
    };
    (void)peer.until(is_feefilter, peer.deadlines().quiet);
}

void measure_latency(Peer& peer, ProbeFindings& found) {
    std::array<double, probe_pings> times{};
    for (auto& time : times) {
        const auto start = SteadyClock::now();
        const auto heard = peer.fence();
        time = ms_since(start);
        if (heard.closed()) throw Ended{fail("the node closed after the handshake")};
    }
    std::sort(times.begin(), times.end());
    found.latency_ms = times[probe_pings / 2];
}

/// The genesis block is on every chain. The filter has no bit set, so that it tells nothing.
Serves ask_for_filtered(Peer& peer) {
    peer.send(bip37::FilterLoad{
        bip37::BloomFilter(limits::min_filter_bytes, 1, 0, bip37::UpdateFlags::none)});
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return Serves::yes;
    return answer.heard.closed() ? Serves::closes : Serves::silent;
}

} // namespace

std::string_view to_string(Serves serves) {
    switch (serves) {
    case Serves::yes:
        return "served";
    case Serves::silent:
        return "not answered";
    case Serves::closes:
        return "the node closes the connection";
    }
    return "?";
}

result<ProbeFindings> probe(const NodeAddress& node, const Deadlines& deadlines) {
    try {
        ProbeFindings found;
        const auto start = SteadyClock::now();
        Peer peer(node, deadlines);
        const auto heard = shake_hands(peer, {}, found.version);
        if (heard.end != WaitEnd::reached) throw Ended{fail("no handshake: " + heard.text())};
        found.handshake_ms = ms_since(start);
        hear_feefilter(peer, found);
        measure_latency(peer, found);
        found.serves = ask_for_filtered(peer);
        return found;
    } catch (const Ended& ended) {
        return no_talk(node, ended.outcome.got);
    }
}

std::vector<std::string> service_names(std::uint64_t services) {
    static const std::map<int, std::string> known{
        {0, "NODE_NETWORK"},          {1, "NODE_GETUTXO"}, {2, "NODE_BLOOM"},
        {3, "NODE_WITNESS"},          {4, "NODE_XTHIN"},   {6, "NODE_COMPACT_FILTERS"},
        {10, "NODE_NETWORK_LIMITED"}, {11, "NODE_P2P_V2"}, {26, "NODE_REPLACE_BY_FEE"}};
    std::vector<std::string> names;
    for (int bit = 0; bit < 64; ++bit) {
        if ((services >> bit & 1) == 0) continue;
        const auto name = known.find(bit);
        names.push_back(name == known.end() ? "bit " + std::to_string(bit) : name->second);
    }
    return names;
}

} // namespace headlight::conform
