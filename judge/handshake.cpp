// Checks of clients: how they introduce themselves.
#include "judge/transcript.hpp"

namespace headlight::judge {

namespace {

std::string said(const Line& line) { return p2p::summary(*line.spoken->message); }

Outcome version_first(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation) {
            if (!line.from_client()) continue;
            if (!line.client_says<p2p::Version>())
                return fail("the first message is " + said(line));
            break;
        }
    }
    return pass("each connection begins with version");
}

Outcome one_version(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        int versions = 0;
        for (const auto& line : conversation)
            versions += line.client_says<p2p::Version>() != nullptr;
        if (versions > 1) return fail("a second version on one connection");
    }
    return pass("never twice on a connection");
}

/// Between version and verack only what announces features.
Outcome waits_for_verack(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        bool node_done = false;
        for (const auto& line : conversation) {
            if (line.node_says<p2p::Verack>()) node_done = true;
            if (!line.from_client() || node_done) continue;
            const bool allowed =
                line.client_says<p2p::Version>() || line.client_says<p2p::Verack>() ||
                line.client_says<p2p::SendAddrV2>() || line.client_says<p2p::Unknown>();
            if (!allowed) return fail(said(line) + " before the node's verack");
        }
    }
    return pass("nothing is asked before the handshake ends");
}

Outcome sends_verack(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        bool due = false;
        for (const auto& line : conversation) {
            if (line.node_says<p2p::Version>()) due = true;
            if (line.client_says<p2p::Verack>()) due = false;
            if (due && line.from_client() && line.established) break;
            if (due && line.client_says<p2p::GetHeaders>())
                return fail("requests without a verack");
        }
        if (due && conversation.back().spoken->what != Spoken::What::closed_by_client)
            return fail("no verack came for the node's version");
    }
    return pass("each version of the node gets its verack");
}

Outcome protocol_version(const Transcript& transcript) {
    const auto found = transcript.each<p2p::Version>(
        [](const p2p::Version& version, const Line&) -> std::optional<Outcome> {
            if (version.version >= p2p::least_protocol_version) return std::nullopt;
            return fail("protocol " + std::to_string(version.version));
        });
    return found.value_or(pass("70011 or later"));
}

Outcome relay_flag(const Transcript& transcript) {
    const auto found = transcript.each<p2p::Version>(
        [](const p2p::Version& version, const Line&) -> std::optional<Outcome> {
            if (!version.relay) return std::nullopt;
            return fail("relay is on: every transaction is announced until the filter comes");
        });
    return found.value_or(pass("relay is off until a filter is loaded"));
}

Outcome offers_nothing(const Transcript& transcript) {
    const auto found = transcript.each<p2p::Version>(
        [](const p2p::Version& version, const Line&) -> std::optional<Outcome> {
            constexpr auto blocks = p2p::services::network | p2p::services::network_limited;
            if ((version.services & (blocks | p2p::services::bloom)) == 0) return std::nullopt;
            return fail("offers services " + std::to_string(version.services));
        });
    return found.value_or(pass("offers no blocks and no filters"));
}

Outcome features_in_time(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        bool done = false;
        for (const auto& line : conversation) {
            const auto* unknown = line.client_says<p2p::Unknown>();
            const bool feature = line.client_says<p2p::SendAddrV2>() ||
                                 (unknown && unknown->command == "wtxidrelay");
            if (feature && done) return fail(said(line) + " after its verack");
            if (line.client_says<p2p::Verack>()) done = true;
        }
    }
    return pass("none after its verack");
}

Outcome answers_pings(const Transcript& transcript) {
    std::size_t asked = 0;
    for (const auto& conversation : transcript.conversations()) {
        std::vector<std::uint64_t> open;
        std::int64_t last_ms = 0;
        for (const auto& line : conversation) {
            last_ms = line.spoken->ms;
            const auto* ping = line.node_says<p2p::Ping>();
            if (ping && ping->nonce) {
                open.push_back(*ping->nonce);
                ++asked;
            }
            const auto* pong = line.client_says<p2p::Pong>();
            if (pong && std::erase(open, pong->nonce) == 0)
                return fail("a pong with a nonce that no ping had");
        }
        constexpr std::int64_t patience_ms = 1'000;
        for (const auto& line : conversation) {
            const auto* ping = line.node_says<p2p::Ping>();
            const bool late = ping && ping->nonce &&
                              std::find(open.begin(), open.end(), *ping->nonce) != open.end() &&
                              line.spoken->ms + patience_ms < last_ms;
            if (late) return fail("a ping was not answered");
        }
    }
    return asked == 0 ? skipped("the node sent no ping")
                      : pass(std::to_string(asked) + " answered");
}

Outcome good_frames(const Transcript& transcript) {
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation)
            if (line.spoken->what == Spoken::What::broken_frame)
                return fail("bytes that are no good message: " + line.spoken->note);
    }
    return pass("every message decodes");
}

} // namespace

std::vector<ClientCheck> client_handshake_checks() {
    return {
        {{"client.version-first", "version is the first message of a connection",
          "P2P protocol: handshake"},
         version_first},
        {{"client.version-once", "version is sent once", "P2P protocol: handshake"}, one_version},
        {{"client.verack", "the node's version is answered with verack", "P2P protocol: handshake"},
         sends_verack},
        {{"client.waits", "nothing but feature messages before the node's verack",
          "P2P protocol: handshake"},
         waits_for_verack},
        {{"client.protocol", "speaks protocol 70011, to know who serves filters", "BIP-111"},
         protocol_version},
        {{"client.relay-off", "the relay flag is off, so that nothing comes before the filter",
          "BIP-37: version"},
         relay_flag},
        {{"client.services", "offers no service that a light client cannot give",
          "P2P protocol: services; BIP-111"},
         offers_nothing},
        {{"client.features", "sendaddrv2 and wtxidrelay come before verack", "BIP-155; BIP-339"},
         features_in_time},
        {{"client.pong", "pings are answered with their nonce", "BIP-31"}, answers_pings},
        {{"client.frames", "envelopes, checksums and payloads are well formed",
          "P2P protocol: messages"},
         good_frames},
    };
}

} // namespace headlight::judge
