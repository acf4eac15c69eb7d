// Headers: one peer at a time is led through the whole chain; the others are asked once it is done
// and only have to add what the first one did not know.
#pragma once

#include "sync/context.hpp"

#include <map>

namespace headlight::sync {

class HeaderSync {
  public:
    explicit HeaderSync(Context& context) : context_(context) {}

    void add_peer(PeerId peer, std::int32_t start_height);
    void forget(PeerId peer);
    /// A block (or a header that does not connect) was announced: ask what leads to it.
    void want(PeerId peer);
    void on_block_announced(PeerId peer, const chain::Hash256& hash);

    /// What is wrong with the peer, if anything.
    struct Verdict {
        std::string_view broken_rule{}; ///< proven false: a literal
        bool over_limit = false;        ///< endless or never connecting
        bool unlinked = false;          ///< stopped at a header that does not connect
        bool set_aside = false;         ///< stopped at a header dated too far ahead
        bool wiped = false; ///< its whole chain shares only genesis with ours, and is lighter
        std::optional<std::int32_t> fork{}; ///< the best chain was reorganised above this height
    };
    Verdict on_headers(PeerId peer, const p2p::Headers& message);

    /// Sends what is due, to one peer at a time.
    void pump();
    /// The peer whose answer is overdue.
    std::optional<PeerId> overdue() const;
    /// It is slow but moves: more time for the answer.
    void extend(PeerId peer);
    std::int64_t next_wake_ms() const;

    bool done(PeerId peer) const;
    bool any_done() const;
    bool all_done() const;
    /// How many headers of ours the peer is known to have: its best height on our best chain.
    std::int32_t known_height(PeerId peer) const;

    struct Future {
        PeerId peer = 0;
        chain::Hash256 hash;
        std::int64_t time = 0;
    };
    /// A header that was set aside since it is dated too far ahead.
    const std::optional<Future>& future() const { return future_; }

  private:
    struct Peer {
        std::int32_t start_height = 0;
        bool wanted = true;                        ///< has to be asked
        bool done = false;                         ///< has been led to its end once
        std::int64_t deadline_ms = Context::never; ///< of the question under way
        int unlinked = 0;
        int fruitless = 0; ///< answers since anybody's last new header that brought none
        std::optional<chain::Hash256> best;     ///< the last header it sent that we know
        std::optional<chain::Hash256> ask_from; ///< go on from here instead of from our tip
        bool asking() const { return deadline_ms != Context::never; }
    };

    void count_fruitless(Peer& peer, bool fruitful);
    Verdict take(Peer& peer, PeerId id, const std::vector<chain::BlockHeader>& headers);
    bool wiped(const Peer& peer) const;

    Context& context_;
    std::map<PeerId, Peer> peers_;
    std::optional<Future> future_;
    std::int64_t future_retry_ms_ = Context::never;
};

} // namespace headlight::sync
