// What the files of broken nodes share.
#pragma once

#include "bip37/relevance.hpp"
#include "chain/script.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

/// From the first message of this kind that `wanted` accepts, nothing is answered any more.
template <class Kind, auto wanted>
bool hangs_at(SimSession& session, FaultState& state, const p2p::Message& message) {
    const auto* kind = std::get_if<Kind>(&message);
    if (kind && wanted(session, *kind)) state.count = 1;
    return state.count != 0;
}

/// Ends the connection at messages of this kind that `wanted` accepts.
template <class Kind, auto wanted>
bool closes_at(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* kind = std::get_if<Kind>(&message);
    if (!kind || !wanted(session, *kind)) return false;
    session.close();
    return true;
}

/// Does not see messages of this kind that `wanted` accepts.
template <class Kind, auto wanted>
bool ignores(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* kind = std::get_if<Kind>(&message);
    return kind && wanted(session, *kind);
}

/// Takes a message of this kind for another one, which `change` makes of it.
template <class Kind, auto change>
bool takes_for(SimSession& session, FaultState& state, const p2p::Message& message) {
    const auto* kind = std::get_if<Kind>(&message);
    if (!kind || state.count) return false;
    auto other = *kind;
    if (!change(session, other)) return false;
    state.count = 1; // so that the changed message passes
    session.on(p2p::Message(other), session.now_ms());
    state.count = 0;
    return true;
}

/// Changes messages of this kind on their way out.
template <class Kind, auto change>
void sends_changed(SimSession& session, FaultState&, Messages& messages) {
    for (auto& outgoing : messages)
        if (auto* kind = as<Kind>(outgoing)) change(session, *kind);
}

/// The first message that every client gets after its handshake.
inline bool is_first_after_handshake(Messages& messages) {
    return !messages.empty() && as<p2p::Ping>(messages.front());
}

// The table's parts, one file each.
std::vector<Fault> broken_handshakes();
std::vector<Fault> broken_filters();
std::vector<Fault> broken_matching();
std::vector<Fault> broken_updates();
std::vector<Fault> broken_blocks();
std::vector<Fault> broken_relay();
std::vector<Fault> broken_headers();
std::vector<Fault> broken_limits();

} // namespace headlight::regtest
