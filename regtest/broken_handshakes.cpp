// Nodes that break the handshake, pings, or the word of their service bits.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

p2p::Unknown wtxidrelay() { return {"wtxidrelay", 0}; }
bool is_wtxidrelay(const p2p::Unknown& message) { return message.command == "wtxidrelay"; }

void speaks_early(SimSession& session) { session.emit(p2p::Message(p2p::Verack{})); }

void late_wtxidrelay(SimSession&, FaultState&, Messages& messages) {
    if (is_first_after_handshake(messages)) messages.emplace_back(p2p::Message(wtxidrelay()));
}
void wtxidrelay_to_all(SimSession&, FaultState&, Messages& messages) {
    if (as<p2p::Version>(messages.front())) messages.emplace_back(p2p::Message(wtxidrelay()));
}
void feefilter_to_all(SimSession&, FaultState&, Messages& messages) {
    if (is_first_after_handshake(messages))
        messages.emplace_back(p2p::Message(p2p::FeeFilter{1'000}));
}

bool any_unknown(SimSession&, const p2p::Unknown& message) { return !is_wtxidrelay(message); }
bool early_sendaddrv2(SimSession& session, const p2p::SendAddrV2&) {
    return !session.established();
}
bool late_sendaddrv2(SimSession& session, const p2p::SendAddrV2&) { return session.established(); }
bool early_wtxidrelay(SimSession& session, const p2p::Unknown& message) {
    return is_wtxidrelay(message) && !session.established();
}
bool ancient(SimSession&, const p2p::Version& version) { return version.version < 31'800; }

bool shakes_hands_again(SimSession& session, FaultState&, const p2p::Message& message) {
    if (!is<p2p::Version>(message) || !session.peer()) return false;
    session.emit(p2p::Message(p2p::Version{}));
    session.emit(p2p::Message(p2p::Verack{}));
    return true;
}

bool minds_early_requests(SimSession& session, FaultState& state, const p2p::Message& message) {
    if (session.established()) return false;
    if (is<p2p::GetHeaders>(message)) state.count = 1;
    if (!is<p2p::Verack>(message) || !state.count) return false;
    session.close();
    return true;
}

void short_pong(SimSession&, p2p::Pong& pong) { pong.nonce &= 0xffffffff; }

/// A pong waits for the next one, and then comes after it.
void turns_pongs_around(SimSession&, FaultState& state, Messages& messages) {
    if (!as<p2p::Pong>(messages.front())) return;
    if (state.held.empty()) {
        std::swap(state.held, messages);
        return;
    }
    messages.push_back(std::move(state.held.front()));
    state.held.clear();
}

bool answers_empty_pings(SimSession& session, FaultState&, const p2p::Message& message) {
    if (message == p2p::Message(p2p::Ping{})) session.emit(p2p::Message(p2p::Pong{}));
    return false;
}

bool asks_a_block(SimSession&, const p2p::GetData& message) {
    return std::any_of(message.entries.begin(), message.entries.end(),
                       [](const auto& entry) { return entry.type == p2p::InvType::block; });
}

void hides_bloom(SimSession&, p2p::Version& version) { version.services &= ~p2p::services::bloom; }

} // namespace

std::vector<Fault> broken_handshakes() {
    return {
        {.name = "broken-speaks-early",
         .does = "says verack before the client's version",
         .opened = speaks_early},
        {.name = "broken-late-feature",
         .does = "says wtxidrelay after its verack",
         .outgoing = late_wtxidrelay},
        {.name = "broken-minds-unknown",
         .does = "closes at messages that it does not know",
         .swallow = closes_at<p2p::Unknown, any_unknown>},
        {.name = "broken-minds-sendaddrv2",
         .does = "closes at sendaddrv2 before verack",
         .swallow = closes_at<p2p::SendAddrV2, early_sendaddrv2>},
        {.name = "broken-late-sendaddrv2",
         .does = "hangs at sendaddrv2 after verack",
         .swallow = hangs_at<p2p::SendAddrV2, late_sendaddrv2>},
        {.name = "broken-minds-wtxidrelay",
         .does = "closes at wtxidrelay before verack",
         .swallow = closes_at<p2p::Unknown, early_wtxidrelay>},
        {.name = "broken-second-handshake",
         .does = "answers a second version",
         .swallow = shakes_hands_again},
        {.name = "broken-minds-early",
         .does = "closes at verack after an earlier request",
         .swallow = minds_early_requests},
        {.name = "broken-wtxidrelay-to-all",
         .does = "says wtxidrelay to old versions",
         .outgoing = wtxidrelay_to_all},
        {.name = "broken-feefilter-to-all",
         .does = "says feefilter to old versions",
         .outgoing = feefilter_to_all},
        {.name = "broken-ancient",
         .does = "leaves ancient versions without an answer",
         .swallow = ignores<p2p::Version, ancient>},
        {.name = "broken-short-pong",
         .does = "repeats half of a ping's nonce",
         .outgoing = sends_changed<p2p::Pong, short_pong>},
        {.name = "broken-pong-order",
         .does = "answers pings in pairs, the later one first",
         .outgoing = turns_pongs_around},
        {.name = "broken-empty-ping",
         .does = "answers pings without a nonce",
         .swallow = answers_empty_pings},
        {.name = "broken-no-blocks",
         .does = "serves no whole blocks",
         .swallow = ignores<p2p::GetData, asks_a_block>},
        {.name = "broken-hides-bloom",
         .does = "serves filters, and does not offer NODE_BLOOM",
         .outgoing = sends_changed<p2p::Version, hides_bloom>},
    };
}

} // namespace headlight::regtest
