// Nodes that announce too much, too little, or in the wrong way.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

bool names_transactions(const p2p::Inv& inv) {
    return !inv.entries.empty() && inv.entries.front().type != p2p::InvType::block;
}

/// Says no inv of transactions where `silent` says so.
template <auto silent>
void says_no_inv(SimSession& session, FaultState& state, Messages& messages) {
    std::erase_if(messages, [&](Outgoing& outgoing) {
        const auto* inv = as<p2p::Inv>(outgoing);
        return inv && names_transactions(*inv) && silent(session, state);
    });
}
bool has_filter(SimSession& session, FaultState&) { return session.filter().has_value(); }
bool has_no_filter(SimSession& session, FaultState&) { return !session.filter(); }
bool is_old(SimSession& session, FaultState&) { return session.peer()->version < 70'002; }
bool was_told(SimSession&, FaultState& state) { return state.count != 0; }

template <class Kind>
bool remembers(SimSession&, FaultState& state, const p2p::Message& message) {
    if (is<Kind>(message)) state.count = 1;
    return false;
}

bool matches_all(bip37::BloomFilter&, const chain::Transaction&, const chain::Hash256&) {
    return true;
}

void relays_at_once(SimSession& session, FaultState&, Messages& messages) {
    if (is_first_after_handshake(messages)) session.set_relay(true);
}

bool minds_clear(SimSession& session, const bip37::FilterClear&) {
    return session.filter().has_value();
}

/// Announces transactions as of this type, whatever the hash.
template <p2p::InvType type>
void announces_as(SimSession&, p2p::Inv& inv) {
    if (!names_transactions(inv)) return;
    for (auto& entry : inv.entries)
        entry.type = type;
}

bool late_wtxidrelay_counts(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto* unknown = std::get_if<p2p::Unknown>(&message);
    if (!unknown || unknown->command != "wtxidrelay" || !session.established()) return false;
    session.set_wtxid_relay();
    return true;
}

void with_witness_always(SimSession& session, p2p::Tx& tx) {
    const auto* entry = session.node().find_in_mempool(chain::txid(tx.transaction));
    if (entry) tx.transaction = entry->tx;
}
void never_with_witness(SimSession&, p2p::Tx& tx) {
    for (auto& input : tx.transaction.inputs)
        input.witness.clear();
}
void closes_at_unknown(SimSession&, FaultState&, Messages& messages) {
    if (as<p2p::NotFound>(messages.front())) messages = {CloseConnection{}};
}

void names_a_part(SimSession& session, p2p::Inv& inv) {
    if (!session.filter() && inv.entries.size() > 1) inv.entries.erase(inv.entries.begin());
}

// ------------------------------------------------------------------------------------- blocks

void announces_by_header(SimSession& session, FaultState&, Messages& messages) {
    const auto* inv = as<p2p::Inv>(messages.front());
    if (!inv || names_transactions(*inv)) return;
    const auto* block = session.node().block(inv->entries.back().hash);
    if (block) messages.front() = p2p::Message(p2p::Headers{{block->header}});
}

void announces_no_headers(SimSession&, FaultState& state, Messages& messages) {
    if (!state.count) return;
    std::erase_if(messages, [](Outgoing& outgoing) {
        const auto* headers = as<p2p::Headers>(outgoing);
        return headers && !headers->headers.empty();
    });
}

void last_header_alone(SimSession&, FaultState& state, Messages& messages) {
    auto* headers = as<p2p::Headers>(messages.front());
    if (state.count && headers && headers->headers.size() > 1)
        headers->headers = {headers->headers.back()};
}

} // namespace

std::vector<Fault> broken_relay() {
    return {
        {.name = "broken-mute-filter",
         .does = "announces no transactions under a filter",
         .outgoing = says_no_inv<has_filter>},
        {.name = "broken-matches-all", .does = "matches everything", .match = matches_all},
        {.name = "broken-relays-at-once",
         .does = "announces transactions whatever fRelay says",
         .outgoing = relays_at_once},
        {.name = "broken-mute",
         .does = "announces no transactions without a filter",
         .outgoing = says_no_inv<has_no_filter>},
        {.name = "broken-mute-to-old",
         .does = "announces no transactions to old versions",
         .outgoing = says_no_inv<is_old>},
        {.name = "broken-minds-clear",
         .does = "closes at filterclear",
         .swallow = closes_at<bip37::FilterClear, minds_clear>},
        {.name = "broken-always-wtx",
         .does = "announces all transactions as MSG_WTX",
         .outgoing = sends_changed<p2p::Inv, announces_as<p2p::InvType::wtx>>},
        {.name = "broken-never-wtx",
         .does = "announces all transactions as MSG_TX",
         .outgoing = sends_changed<p2p::Inv, announces_as<p2p::InvType::tx>>},
        {.name = "broken-late-wtxidrelay",
         .does = "honours wtxidrelay after verack",
         .swallow = late_wtxidrelay_counts},
        {.name = "broken-tx-witness",
         .does = "sends pending transactions with their witness always",
         .outgoing = sends_changed<p2p::Tx, with_witness_always>},
        {.name = "broken-no-witness",
         .does = "sends transactions without their witness always",
         .outgoing = sends_changed<p2p::Tx, never_with_witness>},
        {.name = "broken-minds-missing",
         .does = "closes where notfound is due",
         .outgoing = closes_at_unknown},
        {.name = "broken-part-of-mempool",
         .does = "leaves the first of several announced transactions out",
         .outgoing = sends_changed<p2p::Inv, names_a_part>},
        {.name = "broken-feefilter",
         .does = "announces no transactions after any feefilter",
         .swallow = remembers<p2p::FeeFilter>,
         .outgoing = says_no_inv<was_told>},
        {.name = "broken-header-always",
         .does = "announces blocks by their header alone",
         .outgoing = announces_by_header},
        {.name = "broken-sendheaders",
         .does = "announces no blocks by headers after sendheaders",
         .swallow = remembers<p2p::SendHeaders>,
         .outgoing = announces_no_headers},
        {.name = "broken-last-header",
         .does = "announces the last header of several alone",
         .swallow = remembers<p2p::SendHeaders>,
         .outgoing = last_header_alone},
    };
}

} // namespace headlight::regtest
