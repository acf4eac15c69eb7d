// False behaviour for simulated nodes, by name. A fault changes what an honest session says, at one
// of a few hooks; one small row each in the fault_*.cpp files.
#pragma once

#include "regtest/node_frames.hpp"
#include "regtest/sim_session.hpp"

#include <string>
#include <string_view>

namespace headlight::regtest {

struct SimNodeConfig;

/// A fault and its figure, whose meaning is the fault's ("after how many").
struct FaultChoice {
    std::string name;
    std::optional<std::int64_t> n{};
};

/// What one fault remembers for one connection.
struct FaultState {
    std::int64_t n = 0;
    std::int64_t count = 0;
    std::vector<Outgoing> held{};
};

/// A filtered block's answer: the merkleblock, then its transactions. A whole one's: the block.
using Answer = std::vector<Outgoing>;

struct Fault {
    std::string_view name;
    std::string_view does; ///< for --help: one line
    std::int64_t n = 0;    ///< the figure when none is chosen
    /// Shows only to a client that fetches whole blocks.
    bool whole_blocks = false;

    // Hooks; null: honest.
    void (*configure)(SimNodeConfig&) = nullptr;
    /// The connection was opened; nothing is said yet.
    void (*opened)(SimSession&) = nullptr;
    /// Any frame that comes, bad or not. True: it is dealt with.
    bool (*frame)(SimSession&, FaultState&, const NodeFrame&) = nullptr;
    /// True: the honest session never sees this message.
    bool (*swallow)(SimSession&, FaultState&, const p2p::Message&) = nullptr;
    /// Whether a transaction matches, in place of the honest rule.
    bool (*match)(bip37::BloomFilter&, const chain::Transaction&, const chain::Hash256&) = nullptr;
    void (*answer)(SimSession&, FaultState&, const SimBlock&, Answer&) = nullptr;
    /// The same for a whole block's answer.
    void (*whole)(SimSession&, FaultState&, const SimBlock&, Answer&) = nullptr;
    /// Any message on its way out; what is left in the list is sent.
    void (*outgoing)(SimSession&, FaultState&, std::vector<Outgoing>&) = nullptr;
    /// Called every `every_ms` of an established session.
    void (*tick)(SimSession&, FaultState&) = nullptr;
    std::int64_t every_ms = 0;
    std::int64_t bytes_per_second = 0;
};

const std::vector<Fault>& all_faults();
/// Nodes that break one rule of BIP-37 each, in ways that a client cannot or need not tell: they
/// show that a check can fail (conform/). Named "broken-...".
const std::vector<Fault>& broken_nodes();
/// In either table.
const Fault* find_fault(std::string_view name);
/// "name" or "name:n". Errors: bad_argument.
result<FaultChoice> parse_fault(std::string_view text);

/// The chosen faults of one session, each with its state; applied in the order of choice.
class FaultRun {
  public:
    /// Throws std::logic_error for a name that is not in the table.
    explicit FaultRun(const std::vector<FaultChoice>& choices);

    void opened(SimSession& session);
    bool frame(SimSession& session, const NodeFrame& frame);
    bool swallow(SimSession& session, const p2p::Message& message);
    bool match(bip37::BloomFilter& filter, const chain::Transaction& tx,
               const chain::Hash256& txid);
    void answer(SimSession& session, const SimBlock& block, Answer& answer);
    void whole(SimSession& session, const SimBlock& block, Answer& answer);
    std::vector<Outgoing> outgoing(SimSession& session, p2p::Message message);
    void tick(SimSession& session);
    std::optional<std::int64_t> next_wake_ms(std::int64_t now_ms) const;
    std::int64_t bytes_per_second() const;

  private:
    struct Active {
        const Fault* fault = nullptr;
        FaultState state;
        std::int64_t last_tick_ms = 0;
    };
    std::vector<Active> active_;
};

} // namespace headlight::regtest
