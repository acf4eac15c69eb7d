// A full node as a pure state machine, answering as Bitcoin Core does: its view of a shared chain
// (active tip, blocks known and invalidated), its mempool, and one SimSession for each connection.
// Virtual time only; the same calls give the same bytes. False behaviour is added by faults
// (faults.hpp).
#pragma once

#include "regtest/chain_builder.hpp"
#include "regtest/faults.hpp"
#include "regtest/sim_session.hpp"

#include <list>
#include <memory>
#include <set>

namespace headlight::regtest {

struct SimNodeConfig {
    std::int32_t version = p2p::protocol_version;
    std::uint64_t services = p2p::services::network | p2p::services::bloom |
                             p2p::services::witness | p2p::services::network_limited;
    std::string user_agent = "/Satoshi:29.0.0/";
    std::optional<std::int32_t> start_height{}; ///< else the active tip's
    std::uint64_t nonce = 0x5eed;
    /// Mempool answers and relayed transactions wait for the next multiple of this.
    std::int64_t trickle_ms = 5'000;
    bool noban = false;                        ///< whitelist=noban: they wait for nothing
    std::int64_t unix_at_zero = 1'700'000'000; ///< the wall's clock when the virtual one shows 0
    std::vector<FaultChoice> faults{};

    // How it reads its socket; anything but the first is for broken nodes.
    enum class Reading { stream, first_frame_of_segment, whole_frames_only };
    Reading reading = Reading::stream;
    bool any_magic = false;
};

class SimNode {
  public:
    /// `chain` outlives the node, which starts at its genesis.
    SimNode(ChainBuilder& chain, SimNodeConfig config = {});
    SimNode(const SimNode&) = delete;
    SimNode& operator=(const SimNode&) = delete;

    ChainBuilder& chain() { return *chain_; }
    const ChainBuilder& chain() const { return *chain_; }
    const SimNodeConfig& config() const { return config_; }

    // Connections
    SimSession& open(std::int64_t now_ms);
    void close(SimSession& session);
    std::list<std::unique_ptr<SimSession>>& sessions() { return sessions_; }

    // The view of the chain
    /// Makes `tip` the active tip, whatever its work, as when its blocks arrive together; announces
    /// it. The mempool loses what the new branch confirms or contradicts and regains what only the
    /// old one had.
    void set_tip(const chain::Hash256& tip, std::int64_t now_ms);
    /// Mines on the active tip, with the mempool unless the plan has transactions, and moves there.
    const SimBlock& mine(std::int64_t now_ms, BlockPlan plan = {});
    /// As invalidateblock: the block and all above it are refused from now on; the tip goes to its
    /// parent when it was active.
    void invalidate(const chain::Hash256& block, std::int64_t now_ms);
    const SimBlock& tip() const { return *active_.back(); }
    const std::vector<const SimBlock*>& active() const { return active_; }
    bool is_active(const SimBlock& block) const;
    /// A block the node has and would serve; nothing for others.
    const SimBlock* block(const chain::Hash256& hash) const;

    // Transactions
    /// Accepts a transaction, replacing those that it conflicts with, and relays it to every
    /// session but `from`. False when it was there or is confirmed.
    bool add_to_mempool(const chain::Transaction& tx, std::int64_t now_ms,
                        const SimSession* from = nullptr);
    void drop_from_mempool(const chain::Hash256& txid);

    struct MempoolEntry {
        chain::Transaction tx;
        chain::Hash256 txid;
        std::uint64_t sequence = 0; ///< when it came, among all
    };
    const std::vector<MempoolEntry>& mempool() const { return mempool_; }
    const MempoolEntry* find_in_mempool(const chain::Hash256& txid) const;
    std::vector<chain::Transaction> mempool_transactions() const;
    std::uint64_t mempool_sequence() const { return sequence_; }

  private:
    void confirm(const SimBlock& block);
    void insert(const chain::Transaction& tx);

    ChainBuilder* chain_;
    SimNodeConfig config_;
    std::list<std::unique_ptr<SimSession>> sessions_;
    std::vector<const SimBlock*> active_; // by height
    std::set<chain::Hash256> known_;
    std::set<chain::Hash256> invalid_;
    std::vector<MempoolEntry> mempool_; // parents before children
    std::uint64_t sequence_ = 1;
    std::uint32_t opened_ = 0;
};

} // namespace headlight::regtest
