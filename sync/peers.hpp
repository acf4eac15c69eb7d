// Connections: which endpoint is tried when, handshakes, ranks, bans, back-off, and when there is
// nobody left to ask.
#pragma once

#include "p2p/handshake.hpp"
#include "sync/context.hpp"

#include <functional>
#include <map>

namespace headlight::sync {

class Peers {
  public:
    explicit Peers(Context& context);

    void start();
    void on_connected(PeerId peer);
    /// Takes what belongs to the handshake. `ready`: it has just ended well.
    enum class Taken { no, yes, ready };
    Taken on_message(PeerId peer, const p2p::Message& message);
    void on_bytes(PeerId peer, std::uint64_t received, std::uint64_t sent);
    void on_disconnected(PeerId peer, Loss loss, const std::string& detail);
    /// Handshakes out of time, and attempts that are due.
    void tick();
    std::int64_t next_wake_ms() const;

    /// Ends a connection for a reason; one that bans ends the endpoint's part in this run.
    void drop(PeerId peer, DropReason reason, Error why, bool for_good = false);
    /// Ends all connections to this address, if there are any, for a reason that bans.
    void ban(const std::string& address, DropReason reason, const Error& why);
    /// All connections to the endpoint of this one, itself included.
    std::vector<PeerId> siblings(PeerId peer) const;
    /// Only a lower place when the scanning peer is chosen.
    void lower_rank(PeerId peer, const std::string& why);
    /// It did something useful: earlier failures are forgiven.
    void progressed(PeerId peer);
    /// Counts a message nobody asked for; true when there are too many.
    bool flooded(PeerId peer);
    void log(PeerId peer, const std::string& text);
    void close_all();

    bool ready(PeerId peer) const;
    std::vector<PeerId> ready_peers() const; ///< best rank first, then in the order given
    bool connecting() const;                 ///< somebody may still become ready
    /// Somebody has not had a first chance yet: deciding without them would be hasty.
    bool first_attempts_pending() const;
    /// Whether bytes come from the peer at a rate worth waiting for, since the last time this was
    /// asked. Whole messages that nobody asked for are not worth it.
    bool moving(PeerId peer);
    std::string address(PeerId peer) const;
    std::vector<PeerId> at_address(const std::string& address) const;
    /// Which part of the scripts the connection is for.
    std::uint32_t part(PeerId peer) const;
    /// Those of ready_peers() that are for this part.
    std::vector<PeerId> ready_peers(std::uint32_t part) const;
    /// How many endpoints may ever serve this part.
    std::size_t endpoints_for(std::uint32_t part) const;
    /// Somebody else for this part than this address was connected once and is being dialled again.
    bool coming_back(std::uint32_t part, const std::string& except) const;
    /// It has failed so often in a row that nothing should wait for it.
    bool failing(PeerId peer) const;
    const p2p::Version* version(PeerId peer) const;
    /// When nobody is connected and nobody will be tried again: why (the most telling cause).
    std::optional<Error> exhausted() const;
    void fill(Statistics& statistics) const;

    /// What the block scan was doing when the peer closed: it tells an upload limit from a lost
    /// line.
    void set_scanning(PeerId peer, bool scanning);

  private:
    struct Slot {
        p2p::Endpoint endpoint;
        std::uint32_t part = 0;
        PeerId current = 0; ///< 0: not connected
        std::int64_t next_attempt_ms = 0;
        std::int64_t backoff_ms = limits::first_backoff_ms;
        int failures = 0; ///< in a row, without anything useful in between
        int stalls = 0;   ///< in all: some progress before each does not excuse them
        int rank = 0;
        bool given_up = false;
        std::int64_t banned_until_ms = Context::never; ///< given up until then, in a long run
        std::optional<Error> last_error;
        std::size_t probe =
            0; ///< the next network to try, to name a node that closes without a byte
        bool probed = false;
        bool reached = false; ///< somebody has taken a connection there
        std::string agent;
        std::uint64_t bytes_received = 0;
        std::uint64_t bytes_sent = 0;
    };
    struct Peer {
        std::size_t slot = 0;
        const chain::Network* network = nullptr;
        std::optional<p2p::Handshake> handshake;
        std::int64_t deadline_ms = Context::never; ///< of connecting and handshake
        bool connected = false;
        bool ready = false;
        bool scanning = false;
        bool progressed = false;
        std::uint64_t bytes_received = 0;
        std::uint64_t bytes_sent = 0;
        std::uint64_t looked_bytes = 0; ///< at the last moving()
        bool chatters = false;          ///< what it has sent since then is nothing we asked for
        std::int64_t looked_ms = 0;
        std::int64_t flood_window_ms = 0;
        std::int64_t flood_count = 0;
    };

    void add_slot(const p2p::Endpoint& endpoint, std::uint32_t part);
    void connect(std::size_t slot, const chain::Network& network);
    void drop_one(PeerId peer, DropReason reason, Error why, bool for_good);
    std::vector<PeerId> ready_peers_where(const std::function<bool(const Slot&)>& wanted) const;
    std::optional<Error> exhausted(std::uint32_t part) const;
    Taken handshake_step(PeerId id, Peer& peer, const p2p::Message& message);
    void check_services(PeerId id, const p2p::Version& version);
    void failed(std::size_t slot, Error why, bool for_good);
    void keep_ban(std::size_t slot, const Error& why);
    void heed_bans();
    void end_bans();
    bool probe_other_networks(std::size_t slot);
    void remove(PeerId peer);

    Context& context_;
    std::vector<Slot> slots_;
    std::map<PeerId, Peer> peers_;
    PeerId last_id_ = 0;
};

} // namespace headlight::sync
