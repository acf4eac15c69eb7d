// What the engine is told and what it answers: closed sets of plain values that compare and print,
// so that a run can be replayed from them byte for byte.
#pragma once

#include "chain/header_tree.hpp"
#include "p2p/message.hpp"
#include "wallet/ledger.hpp"
#include "wallet/state.hpp"

#include <string>
#include <variant>
#include <vector>

namespace headlight::sync {

/// The two clocks, handed in with every event: a steady one for waits, the wall's for the chain.
struct Now {
    std::int64_t steady_ms = 0;    ///< never runs backwards
    std::int64_t unix_seconds = 0; ///< since 1970 UTC

    friend bool operator==(const Now&, const Now&) = default;
};

/// A connection (or the attempt at one). Never used twice in a run.
using PeerId = std::uint32_t;

// ---------------------------------------------------------------------------------------- events

/// How a connection ended when the engine did not end it.
enum class Loss {
    unresolved,    ///< the name has no address
    refused,       ///< nobody listens, unreachable, or no connection in time
    closed,        ///< the peer closed it
    network,       ///< reset and the like
    write_stuck,   ///< the peer took nothing for too long
    wrong_magic,   ///< the peer's bytes are another network's, or noise
    bad_frame,     ///< envelope or payload that does not decode
    no_proxy,      ///< the proxy is not reached
    proxy_refused, ///< it is no SOCKS5 proxy, or does not serve us
    proxy_failed,  ///< it does not reach the peer
};
std::string_view to_string(Loss loss);

namespace event {

struct Started {
    friend bool operator==(const Started&, const Started&) = default;
};
struct Connected {
    PeerId peer = 0;
    friend bool operator==(const Connected&, const Connected&) = default;
};
struct Received {
    PeerId peer = 0;
    p2p::Message message;
    friend bool operator==(const Received&, const Received&) = default;
};
/// After every read: total bytes so far. It tells a slow peer from a silent one.
struct Bytes {
    PeerId peer = 0;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    friend bool operator==(const Bytes&, const Bytes&) = default;
};
/// Also follows action::Disconnect (the loss is ignored then).
struct Disconnected {
    PeerId peer = 0;
    Loss loss{};
    std::string detail;
    friend bool operator==(const Disconnected&, const Disconnected&) = default;
};
/// The time of the last action::WakeAt has come.
struct Tick {
    friend bool operator==(const Tick&, const Tick&) = default;
};
/// The answer to action::Persist: always the very next event after it, so that nothing is decided
/// between what was meant to be stored and the knowledge of whether it is.
struct Stored {
    std::uint64_t id = 0;
    std::optional<Error> error{};
    friend bool operator==(const Stored&, const Stored&) = default;
};
/// End in an orderly way: keep what is whole. `why` is errc::stopped or errc::timeout.
struct Stop {
    std::string_view why;
    friend bool operator==(const Stop&, const Stop&) = default;
};

} // namespace event

using Event = std::variant<event::Started, event::Connected, event::Received, event::Bytes,
                           event::Disconnected, event::Tick, event::Stored, event::Stop>;

// --------------------------------------------------------------------------------------- notices

/// For people and programs that watch a run; the engine's decisions never depend on them.
namespace notice {

enum class Phase { connecting, headers, blocks, mempool, at_tip };
std::string_view to_string(Phase phase);

/// Where the run stands. `done` of `total` spans this run's work only; neither runs backwards
/// within a phase.
struct Progress {
    Phase phase{};
    std::int64_t done = 0;
    std::int64_t total = 0;
    std::int32_t headers = 0; ///< best header's height
    std::int32_t scanned = 0; ///< last scanned height
    friend bool operator==(const Progress&, const Progress&) = default;
};
/// One transaction of ours changed. Sent only once it is stored.
struct Transaction {
    wallet::LedgerDelta::Event event;
    friend bool operator==(const Transaction&, const Transaction&) = default;
};
/// The best chain moved (stored): at the tip, one for each new block; for a reorganisation, one.
struct Block {
    std::int32_t height = 0;
    chain::Hash256 hash;
    std::int32_t fork = -1; ///< >= 0: a reorganisation that disconnected what was above this height
    friend bool operator==(const Block&, const Block&) = default;
};
/// Something people should know, that does not end the run.
struct Warning {
    Error error;
    friend bool operator==(const Warning&, const Warning&) = default;
};
/// For -v: what happened with a peer and why.
struct PeerLog {
    PeerId peer = 0;
    std::string address;
    std::string text;
    friend bool operator==(const PeerLog&, const PeerLog&) = default;
};
/// The run is over; no action follows. `error` empty: all that was asked for is done.
struct Finished {
    std::optional<Error> error{};
    bool kept_part = false; ///< stopped before the tip: what was scanned is kept
    friend bool operator==(const Finished&, const Finished&) = default;
};

} // namespace notice

using Notice = std::variant<notice::Progress, notice::Transaction, notice::Block, notice::Warning,
                            notice::PeerLog, notice::Finished>;

// --------------------------------------------------------------------------------------- actions

/// Why we end a connection. The first group proves the peer false and bans it for the run.
enum class DropReason {
    bad_headers,     ///< work, bits, links or times that break the rules
    bad_merkleblock, ///< a proof that does not hold
    bad_block,       ///< a whole block that is not what its header commits to
    bad_transaction, ///< 64 bytes, the size of an inner node
    omission,        ///< left a transaction of ours out of a block, as another peer's proof shows
    // no proof from here on: only a lower rank
    useless,        ///< lacks a service we need
    handshake,      ///< out of order, too old, ourselves, or too slow
    stalled,        ///< no pong or no progress in time
    flood,          ///< more than the limits allow
    headers_limit,  ///< endless or never connecting headers
    refused_blocks, ///< leaves blocks or their transactions out, again and again
    done,           ///< the run is over
};
std::string_view to_string(DropReason reason);
bool is_ban(DropReason reason);

/// A peer that is proven false is not dialled before `until` (seconds since 1970).
struct Ban {
    p2p::Endpoint endpoint;
    std::int64_t until = 0;
    std::string reason;
    friend bool operator==(const Ban&, const Ban&) = default;
};

namespace action {

/// Connect to an endpoint, speaking a network's magic (not always ours: to name a node's network).
struct Connect {
    PeerId peer = 0;
    p2p::Endpoint endpoint;
    chain::NetworkId network{};
    friend bool operator==(const Connect&, const Connect&) = default;
};
/// Strictly in this order on the connection.
struct Send {
    PeerId peer = 0;
    p2p::Message message;
    friend bool operator==(const Send&, const Send&) = default;
};
struct Disconnect {
    PeerId peer = 0;
    DropReason reason{};
    friend bool operator==(const Disconnect&, const Disconnect&) = default;
};
/// Remember this for later runs (Config::bans); it takes the place of an earlier one.
struct KeepBan {
    Ban ban;
    friend bool operator==(const KeepBan&, const KeepBan&) = default;
};
/// Make the headers durable, then apply the wallet's changes in one transaction; then
/// event::Stored.
struct Persist {
    std::uint64_t id = 0;
    chain::HeaderChange headers;
    wallet::WalletChanges changes;
    friend bool operator==(const Persist&, const Persist&) = default;
};
/// Send event::Tick at this steady time (one timer: the last one counts).
struct WakeAt {
    std::int64_t steady_ms = 0;
    friend bool operator==(const WakeAt&, const WakeAt&) = default;
};
struct Notify {
    Notice notice;
    friend bool operator==(const Notify&, const Notify&) = default;
};

} // namespace action

using Action = std::variant<action::Connect, action::Send, action::Disconnect, action::KeepBan,
                            action::Persist, action::WakeAt, action::Notify>;

/// One line each, for logs and for comparing runs.
std::string to_string(const Event& event);
std::string to_string(const Action& action);
std::string to_string(const Notice& notice);

} // namespace headlight::sync
