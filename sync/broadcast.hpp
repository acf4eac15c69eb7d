// Announcing a signed transaction. Sent is only what a peer asked for; accepted only what a peer
// shows when asked: another one where there are several, else the one that took it.
#pragma once

#include "sync/peers.hpp"

#include <set>

namespace headlight::sync {

class Broadcast {
  public:
    Broadcast(Context& context, Peers& peers);

    void on_getdata(PeerId peer, const p2p::GetData& message);
    void on_transaction(PeerId peer, const chain::Hash256& txid);
    void on_reject(PeerId peer, const p2p::Reject& message);
    void forget(PeerId peer);
    /// Announces and polls as it is due.
    void pump();
    std::int64_t next_wake_ms() const;

    bool accepted() const { return accepted_; }
    /// Set when the time is over, or a peer said no.
    std::optional<Error> failure() const;
    /// What can be said when the run ends now without an acceptance.
    Error not_shown() const;

  private:
    void announce(PeerId peer);
    void poll();

    Context& context_;
    Peers& peers_;
    chain::Transaction tx_;
    chain::Hash256 txid_;
    std::optional<PeerId> announced_to_;
    bool taken_ = false;
    bool accepted_ = false;
    std::optional<Error> refused_;
    std::int64_t deadline_ms_ = Context::never;
    std::int64_t next_poll_ms_ = Context::never;
};

} // namespace headlight::sync
