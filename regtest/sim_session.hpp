// One connection of a simulated node: takes a client's messages, queues answers in strict order.
// Follows Bitcoin Core's net_processing for an inbound peer, as far as a light client can tell.
#pragma once

#include "bip37/bloom_filter.hpp"
#include "p2p/message.hpp"
#include "regtest/chain_builder.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <variant>

namespace headlight::regtest {

class SimNode;
class FaultRun;
struct NodeFrame;

/// Bytes that are no message of ours: noise, broken envelopes.
struct RawBytes {
    Bytes bytes;
    friend bool operator==(const RawBytes&, const RawBytes&) = default;
};
/// The node ends the connection, once what stands before this is sent.
struct CloseConnection {
    friend bool operator==(const CloseConnection&, const CloseConnection&) = default;
};
using Outgoing = std::variant<p2p::Message, RawBytes, CloseConnection>;

class SimSession {
  public:
    SimSession(SimNode& node, std::uint32_t number, std::int64_t now_ms);
    ~SimSession();

    void on(const p2p::Message& message, std::int64_t now_ms);
    /// What came over a real connection, good or bad.
    void on(const NodeFrame& frame, std::int64_t now_ms);
    /// Does what next_wake_ms() promised. Harmless at any other time.
    void tick(std::int64_t now_ms);
    std::optional<std::int64_t> next_wake_ms() const;
    /// What to write next, in order; empties the queue.
    std::vector<Outgoing> take();
    bool closed() const { return closed_; }
    /// How fast the link may carry this session's bytes; 0: no limit.
    std::int64_t bytes_per_second() const;

    // For the node
    void announce_blocks(const std::vector<const SimBlock*>& connected, std::int64_t now_ms);
    void announce_transaction(const chain::Hash256& txid, std::int64_t now_ms);

    // For faults
    SimNode& node() const { return *node_; }
    const std::optional<p2p::Version>& peer() const { return peer_; }
    bool established() const { return established_; }
    const std::optional<bip37::BloomFilter>& filter() const { return filter_; }
    std::int64_t now_ms() const { return now_ms_; }
    /// Queues without passing the faults.
    void emit(Outgoing outgoing);
    void close();
    void set_filter(std::optional<bip37::BloomFilter> filter) { filter_ = std::move(filter); }
    void set_relay(bool relay) { relay_ = relay; }
    void set_wtxid_relay() { wtxid_relay_ = true; }

  private:
    void handle(const p2p::Version& message);
    void handle(const p2p::Verack& message);
    void handle(const p2p::Ping& message);
    void handle(const p2p::GetHeaders& message);
    void handle(const p2p::GetBlocks& message);
    void handle(const p2p::GetData& message);
    void handle(const p2p::Inv& message);
    void handle(const p2p::Tx& message);
    void handle(const p2p::SendHeaders& message);
    void handle(const p2p::SendAddrV2& message);
    void handle(const p2p::FeeFilter& message);
    void handle(const p2p::Mempool& message);
    void handle(const p2p::Unknown& message);
    void handle(const bip37::FilterLoad& message);
    void handle(const bip37::FilterAdd& message);
    void handle(const bip37::FilterClear& message);
    template <class Other>
    void handle(const Other&) {} // of no interest to an honest node

    void send(p2p::Message message);
    void serve_block(const p2p::InvEntry& entry);
    void serve_whole(const SimBlock& block, bool witness);
    void serve_filtered(const SimBlock& block, bool witness);
    void deliver(std::vector<Outgoing> answer);
    bool serve_transaction(const p2p::InvEntry& entry);
    bool match(const chain::Transaction& tx, const chain::Hash256& txid);
    std::size_t after_locator(const std::vector<chain::Hash256>& locator) const;
    p2p::InvEntry entry_for(const chain::Hash256& txid) const;
    bool announce_by_headers(const std::vector<const SimBlock*>& connected);
    bool has_header(const SimBlock& block) const;
    bool offers_bloom() const;
    void trickle();
    void trickle_mempool(std::vector<p2p::InvEntry>& entries);
    std::int64_t trickle_slot() const;

    SimNode* node_;
    std::unique_ptr<FaultRun> faults_;
    std::deque<Outgoing> out_;
    bool closed_ = false;
    std::int64_t now_ms_;
    std::uint64_t ping_nonce_;

    std::optional<p2p::Version> peer_;
    bool established_ = false;
    bool prefers_headers_ = false;
    bool wtxid_relay_ = false;
    std::int64_t fee_rate_ = 0; ///< the least that the peer wants announced
    const SimBlock* best_header_sent_ = nullptr;

    std::optional<bip37::BloomFilter> filter_;
    bool relay_ = false;
    bool mempool_asked_ = false;
    std::vector<chain::Hash256> to_announce_;
    std::set<chain::Hash256> known_to_peer_; // transactions: announced by either side
    std::uint64_t announced_sequence_ = 0;   // the mempool as of the last trickle
    std::int64_t last_slot_ = 0;
};

} // namespace headlight::regtest
