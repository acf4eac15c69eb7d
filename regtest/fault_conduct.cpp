// Peers that stop, leave things out, close, or talk too much.
#include "bip37/messages.hpp"
#include "chain/limits.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

/// Closes in place of every n-th message after the handshake.
void closes_after(SimSession& session, FaultState& state, Messages& messages) {
    if (!session.established() || ++state.count <= state.n) return;
    messages = {CloseConnection{}};
}

bool over_upload_limit(SimSession& session, FaultState&, const p2p::Message& message) {
    if (asks_blocks(message)) session.close();
    return asks_blocks(message);
}

bool ignore_filtered(SimSession&, FaultState&, const p2p::Message& message) {
    return asks_filtered(message);
}

/// Leaves out every n-th block.
void skip_blocks(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    if (++state.count % std::max<std::int64_t>(state.n, 1) == 0) answer.clear();
}

/// Falls silent once n blocks are served; pongs included.
void stall_after(SimSession&, FaultState& state, Messages& messages) {
    if (as<bip37::MerkleBlock>(messages.front()) || as<p2p::Block>(messages.front())) ++state.count;
    if (state.count > state.n) messages.clear();
}

bool no_pongs(SimSession& session, FaultState&, const p2p::Message& message) {
    return is<p2p::Ping>(message) && session.established();
}

// ---------------------------------------------------------------------------------- floods

template <class Make>
void flood(SimSession& session, FaultState& state, Make make) {
    for (std::int64_t i = 0; i < state.n; ++i)
        session.emit(p2p::Message(make(static_cast<std::uint64_t>(++state.count))));
}

void inv_flood(SimSession& session, FaultState& state) {
    flood(session, state, [](std::uint64_t count) {
        p2p::Inv inv;
        for (std::uint64_t i = 0; i < 1'000; ++i)
            inv.entries.push_back(
                {p2p::InvType::tx, chain::hash256(as_bytes(std::to_string(count * 1'000 + i)))});
        return inv;
    });
}

void ping_flood(SimSession& session, FaultState& state) {
    flood(session, state, [](std::uint64_t count) { return p2p::Ping{count}; });
}

void addr_flood(SimSession& session, FaultState& state) {
    flood(session, state, [](std::uint64_t) {
        return p2p::Addr{std::vector<p2p::NetAddress>(limits::max_addr_entries)};
    });
}

void unknown_flood(SimSession& session, FaultState& state) {
    flood(session, state, [](std::uint64_t) { return p2p::Unknown{"whatever", 100}; });
}

void transaction_flood(SimSession& session, FaultState& state) {
    flood(session, state,
          [&](std::uint64_t) { return p2p::Tx{session.node().chain().pay(Bytes{0x51}, 1)}; });
}

/// Odd, allowed, of no use: all at once after the handshake.
void chatter(SimSession& session, FaultState&, Messages& messages) {
    if (!session.established() || !as<p2p::FeeFilter>(messages.front())) return;
    const auto hash = session.node().tip().hash;
    for (p2p::Message message : std::initializer_list<p2p::Message>{
             p2p::Alert{Bytes(100, 1)}, p2p::Ping{}, p2p::FeeFilter{-1}, p2p::FeeFilter{INT64_MAX},
             p2p::NotFound{{{p2p::InvType::tx, hash}}}, p2p::Unknown{"sendtxrcncl", 12},
             p2p::Addr{}, p2p::AddrV2{}, p2p::SendHeaders{}, p2p::Reject{"tx", 64, "dust", {}},
             p2p::GetAddr{}, p2p::Pong{12'345}, p2p::GetHeaders{p2p::protocol_version, {hash}, {}}})
        messages.emplace_back(std::move(message));
}

/// Never answers a block, and never stops talking either.
void chatter_for_ever(SimSession& session, FaultState& state) {
    for (std::int64_t i = 0; i < state.n; ++i)
        session.emit(p2p::Message(p2p::Unknown{"whatever", 1'000}));
}

/// Before each answer to getheaders, a block that does not exist is announced.
void phantom_blocks(SimSession&, FaultState& state, Messages& messages) {
    if (!as<p2p::Headers>(messages.front())) return;
    const auto phantom = chain::hash256(as_bytes(std::to_string(++state.count)));
    messages.insert(messages.begin(),
                    Outgoing(p2p::Message(p2p::Inv{{{p2p::InvType::block, phantom}}})));
}

} // namespace

std::vector<Fault> conduct_faults() {
    return {
        {.name = "closes-after",
         .does = "closes after n messages, each time",
         .n = 20,
         .outgoing = closes_after},
        {.name = "over-upload-limit",
         .does = "closes at each request for blocks",
         .swallow = over_upload_limit},
        {.name = "ignores-filtered",
         .does = "never answers requests for filtered blocks",
         .swallow = ignore_filtered},
        {.name = "skips-blocks",
         .does = "leaves out every n-th block",
         .n = 10,
         .answer = skip_blocks,
         .whole = skip_blocks},
        {.name = "stalls-after",
         .does = "says nothing more after n blocks",
         .n = 10,
         .outgoing = stall_after},
        {.name = "no-pongs", .does = "never answers pings", .swallow = no_pongs},
        {.name = "inv-flood",
         .does = "n inv messages of 1,000 entries a second",
         .n = 10,
         .tick = inv_flood,
         .every_ms = 1'000},
        {.name = "ping-flood",
         .does = "n pings a second",
         .n = 1'000,
         .tick = ping_flood,
         .every_ms = 1'000},
        {.name = "addr-flood",
         .does = "n addr messages of 1,000 addresses a second",
         .n = 10,
         .tick = addr_flood,
         .every_ms = 1'000},
        {.name = "unknown-flood",
         .does = "n unknown messages a second",
         .n = 1'000,
         .tick = unknown_flood,
         .every_ms = 1'000},
        {.name = "transaction-flood",
         .does = "n transactions nobody asked for a second",
         .n = 500,
         .tick = transaction_flood,
         .every_ms = 1'000},
        {.name = "phantom-blocks",
         .does = "announces blocks that do not exist, again and again",
         .outgoing = phantom_blocks},
        {.name = "chatter-for-ever",
         .does = "answers no request for blocks and no ping, and sends n messages a second",
         .n = 3,
         .swallow =
             [](SimSession& session, FaultState&, const p2p::Message& message) {
                 return asks_blocks(message) || (is<p2p::Ping>(message) && session.established());
             },
         .tick = chatter_for_ever,
         .every_ms = 1'000},
        {.name = "chatter",
         .does = "odd, allowed messages after the handshake",
         .outgoing = chatter},
    };
}

} // namespace headlight::regtest
