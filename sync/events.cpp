#include "sync/events.hpp"

namespace headlight::sync {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string peer_text(PeerId peer) { return "peer " + std::to_string(peer); }

std::string event_kind(wallet::LedgerDelta::Event::Kind kind) {
    using Kind = wallet::LedgerDelta::Event::Kind;
    switch (kind) {
    case Kind::seen:
        return "seen";
    case Kind::confirmed:
        return "confirmed";
    case Kind::unconfirmed:
        return "unconfirmed";
    case Kind::conflicted:
        return "conflicted";
    case Kind::abandoned:
        return "abandoned";
    case Kind::dropped:
        return "dropped";
    }
    return "?";
}

} // namespace

std::string_view to_string(Loss loss) {
    switch (loss) {
    case Loss::unresolved:
        return "the name has no address";
    case Loss::refused:
        return "nobody listens there";
    case Loss::closed:
        return "the peer closed the connection";
    case Loss::network:
        return "the network failed";
    case Loss::write_stuck:
        return "the peer takes nothing we send";
    case Loss::wrong_magic:
        return "the bytes are not of this network";
    case Loss::bad_frame:
        return "the bytes are no message";
    case Loss::no_proxy:
        return "nobody listens at the proxy's address";
    case Loss::proxy_refused:
        return "the proxy does not serve us";
    case Loss::proxy_failed:
        return "the proxy does not reach the peer";
    }
    return "?";
}

std::string_view to_string(DropReason reason) {
    switch (reason) {
    case DropReason::bad_headers:
        return "bad headers";
    case DropReason::bad_block:
        return "bad block";
    case DropReason::bad_merkleblock:
        return "bad merkleblock";
    case DropReason::bad_transaction:
        return "bad transaction";
    case DropReason::omission:
        return "left a transaction out";
    case DropReason::useless:
        return "lacks what we need";
    case DropReason::handshake:
        return "handshake failed";
    case DropReason::stalled:
        return "stalled";
    case DropReason::flood:
        return "flood";
    case DropReason::headers_limit:
        return "headers without end";
    case DropReason::refused_blocks:
        return "leaves blocks out";
    case DropReason::done:
        return "done";
    }
    return "?";
}

bool is_ban(DropReason reason) {
    return reason == DropReason::bad_headers || reason == DropReason::bad_merkleblock ||
           reason == DropReason::bad_block || reason == DropReason::bad_transaction ||
           reason == DropReason::omission;
}

std::string_view notice::to_string(Phase phase) {
    switch (phase) {
    case Phase::connecting:
        return "connecting";
    case Phase::headers:
        return "headers";
    case Phase::blocks:
        return "blocks";
    case Phase::mempool:
        return "mempool";
    case Phase::at_tip:
        return "at tip";
    }
    return "?";
}

std::string to_string(const Event& event) {
    return std::visit(
        Overloaded{
            [](const event::Started&) -> std::string { return "started"; },
            [](const event::Connected& it) { return peer_text(it.peer) + " connected"; },
            [](const event::Received& it) {
                return peer_text(it.peer) + " sent " + p2p::summary(it.message);
            },
            [](const event::Bytes& it) {
                return peer_text(it.peer) + " bytes in " + std::to_string(it.received) + " out " +
                       std::to_string(it.sent);
            },
            [](const event::Disconnected& it) {
                return peer_text(it.peer) + " gone: " + std::string(to_string(it.loss)) + " (" +
                       it.detail + ")";
            },
            [](const event::Tick&) -> std::string { return "tick"; },
            [](const event::Stored& it) {
                return "stored " + std::to_string(it.id) +
                       (it.error ? " failed: " + headlight::to_string(*it.error) : "");
            },
            [](const event::Stop& it) { return "stop: " + std::string(it.why); },
        },
        event);
}

std::string to_string(const Action& action) {
    return std::visit(
        Overloaded{
            [](const action::Connect& it) {
                return "connect " + peer_text(it.peer) + " to " + p2p::to_string(it.endpoint) +
                       " on " + std::string(chain::network(it.network).name);
            },
            [](const action::Send& it) {
                return "send " + peer_text(it.peer) + " " + p2p::summary(it.message);
            },
            [](const action::Disconnect& it) {
                return "disconnect " + peer_text(it.peer) + ": " +
                       std::string(to_string(it.reason));
            },
            [](const action::KeepBan& it) {
                return "ban " + p2p::to_string(it.ban.endpoint) + " until " +
                       std::to_string(it.ban.until) + ": " + it.ban.reason;
            },
            [](const action::Persist& it) {
                return "persist " + std::to_string(it.id) + ": " +
                       std::to_string(it.headers.headers.size()) + " headers above " +
                       std::to_string(it.headers.fork) + ", " +
                       std::to_string(it.changes.transactions.size()) + " transactions, scan " +
                       (it.changes.scan ? std::to_string(it.changes.scan->height) : "as it was");
            },
            [](const action::WakeAt& it) { return "wake at " + std::to_string(it.steady_ms); },
            [](const action::Notify& it) { return "notify " + to_string(it.notice); },
        },
        action);
}

std::string to_string(const Notice& notice) {
    return std::visit(
        Overloaded{
            [](const notice::Progress& it) {
                return std::string(notice::to_string(it.phase)) + " " + std::to_string(it.done) +
                       " of " + std::to_string(it.total) + ", headers " +
                       std::to_string(it.headers) + ", scanned " + std::to_string(it.scanned);
            },
            [](const notice::Transaction& it) {
                return "transaction " + it.event.txid.to_string() + " " + event_kind(it.event.kind);
            },
            [](const notice::Block& it) {
                return "block " + std::to_string(it.height) + " " + it.hash.to_string() +
                       (it.fork >= 0 ? ", reorganised above " + std::to_string(it.fork) : "");
            },
            [](const notice::Warning& it) { return "warning: " + headlight::to_string(it.error); },
            [](const notice::PeerLog& it) { return it.address + ": " + it.text; },
            [](const notice::Finished& it) {
                return it.error ? "finished: " + headlight::to_string(*it.error)
                                : std::string("finished");
            },
        },
        notice);
}

} // namespace headlight::sync
