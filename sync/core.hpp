// The engine's middle: hands each event to the part it concerns, then lets every part do what is
// due.
#pragma once

#include "sync/broadcast.hpp"
#include "sync/headers.hpp"
#include "sync/lane.hpp"
#include "sync/peers.hpp"
#include "sync/progress.hpp"

namespace headlight::sync {

class Engine::Core {
  public:
    Core(const chain::Network& network, const chain::HeaderArchive& archive, wallet::Wallet& wallet,
         Config config);

    std::vector<Action> on(const Event& event, Now now);
    Statistics statistics() const;
    const chain::HeaderTree& headers() const { return context_.tree; }
    bool finished() const { return finished_; }

  private:
    // One handler an event.
    void handle(const event::Started& event);
    void handle(const event::Connected& event);
    void handle(const event::Received& event);
    void handle(const event::Bytes& event);
    void handle(const event::Disconnected& event);
    void handle(const event::Tick& event);
    void handle(const event::Stored& event);
    void handle(const event::Stop& event);

    void peer_ready(PeerId peer);
    void take(PeerId peer, const p2p::Message& message);
    void take_headers(PeerId peer, const p2p::Headers& message);
    Lane& lane_of(PeerId peer) { return lanes_[peers_.part(peer)]; }
    BlockFetch* fetch_of(PeerId peer);
    bool scans(PeerId peer) { return lane_of(peer).scan.peer() == peer; }
    std::int64_t blocks_taken() const;
    void take_block(PeerId peer, const p2p::Block& message);
    void take_merkleblock(PeerId peer, const bip37::MerkleBlock& message);
    void took_block(PeerId peer, const BlockFetch& fetch, BlockFetch::Taken taken,
                    std::int64_t blocks_before);
    void take_transaction(PeerId peer, const chain::Transaction& tx);
    void take_inv(PeerId peer, const p2p::Inv& message);
    void take_pong(PeerId peer, std::uint64_t nonce);
    void unasked(PeerId peer);
    void drop(PeerId peer, DropReason reason, Error why);
    void forget(PeerId peer);
    void reorganised(std::int32_t fork);
    void tell_reorganised(std::int32_t fork);

    /// After each event: everything that is due now.
    void settle();
    void settle_sync();
    void settle_broadcast();
    void prepare_wallet();
    std::int32_t resolve(const wallet::Birthday& birthday) const;
    void check_overdue_headers();
    void check_scanner(Lane& lane);
    void choose_scanner(Lane& lane);
    std::optional<PeerId> best_scanner(const Lane& lane, std::optional<PeerId> except) const;
    bool alone(PeerId peer) const;
    bool serves_what_we_need(PeerId peer) const;
    bool may_extend();
    std::int32_t goal() const;
    static std::int64_t stall_deadline_ms(const Lane& lane);
    void prepare_checks();
    void settle_checks();
    void settle_checks(Lane& lane);
    std::int32_t checked_at_most();
    void judge_findings();
    void judge_finding(const CrossCheck::Finding& finding, std::set<std::string>& banned);
    std::int32_t take_relied_on(const std::string& liar);
    void scan_again_above(std::int32_t height);
    void doubt_lost_scanners(const Lane& lane);
    void doubt_earlier_runs(const BlockOrder::Surprise& surprise);
    void watch_checker(Lane& lane);
    void choose_checker(Lane& lane);
    std::optional<PeerId> best_checker(const Lane& lane) const;
    bool checking() const;
    bool checking(const Lane& lane) const;
    bool held_back() const;
    bool can_check(const Lane& lane, PeerId peer) const;
    std::int32_t serves_from(PeerId peer) const;
    void keep_alive();
    void tell_blocks();
    void report();
    notice::Phase phase() const;
    bool until_met() const;
    void check_finish();
    void arrive_at_tip();
    void finish_at_tip();
    std::int64_t relay_deadline_ms() const;
    bool persist_due() const;
    bool unsaved() const;
    void keep_bans();
    void persist();
    void finish(std::optional<Error> error, bool kept_part);
    void end();
    void set_alarm();

    Context context_;
    Peers peers_;
    HeaderSync headers_;
    FilterKeeper filters_;
    BlockOrder order_;
    std::deque<Lane> lanes_; ///< by part
    Progress progress_;
    std::optional<Broadcast> broadcast_;

    bool wallet_ready_ = false;              ///< reconciled with the chain, birthdays resolved
    std::optional<std::int32_t> early_fork_; ///< of a reorganisation before that, the lowest
    bool at_tip_ = false;                    ///< has been there once in this run
    std::int64_t tip_since_ms_ =
        Context::never;             ///< the fence at the tip: mempool_wait counts from it
    std::int32_t told_height_ = -1; ///< the last block that followers were told of

    std::int32_t first_block_ = 1; ///< the first that a birthday asks for
    /// What earlier runs left unchecked from here on stays so in this one, too.
    std::int32_t unchecked_from_ = std::numeric_limits<std::int32_t>::max();
    bool unblamed_told_ = false;

    std::int64_t relay_since_ms_ = Context::never; ///< nothing but relay is waited for any more
    int extensions_ = 0;                           ///< of waits, since extensions_progress_
    std::int64_t extensions_progress_ = -1;
    std::map<PeerId, std::pair<std::uint64_t, std::int64_t>> pings_; ///< idle ones: nonce, since
    std::int64_t last_ping_ms_ = 0;
    std::int64_t reported_ms_ = 0;
    std::optional<notice::Phase> reported_phase_;

    std::uint64_t persist_id_ = 0;
    std::int64_t persisted_ms_ = 0;
    std::int64_t persisted_headers_ = 0; ///< Statistics::headers then
    chain::Hash256 persisted_tip_;
    wallet::ScanPosition persisted_scan_;
    std::optional<std::uint64_t> storing_; ///< the persist under way
    std::vector<Notice> storing_notices_;
    std::int64_t alarm_ms_ = Context::never; ///< the last WakeAt

    std::optional<notice::Finished> outcome_; ///< decided; told once everything is stored
    bool finished_ = false;
};

} // namespace headlight::sync
