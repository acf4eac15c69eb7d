// Faults in what matches, and in the transactions that follow a merkleblock.
#include "bip37/messages.hpp"
#include "bip37/relevance.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

void omit_transaction(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    if (answer.size() > 1 && state.count++ >= state.n) answer.pop_back();
}

void alter_transaction(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    if (answer.size() < 2) return;
    if (auto* message = as<p2p::Tx>(answer.back()))
        message->transaction.outputs.front().amount += 1;
}

void early_transactions(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    std::rotate(answer.begin(), answer.begin() + 1, answer.end());
}

/// Each block's transactions come behind the next block's merkleblock, the last ones at a pong.
void late_transactions(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    const Messages late(answer.begin() + 1, answer.end());
    answer.resize(1);
    answer.insert(answer.end(), state.held.begin(), state.held.end());
    state.held = late;
}

void release_at_pong(SimSession&, FaultState& state, Messages& messages) {
    if (!as<p2p::Pong>(messages.front())) return;
    messages.insert(messages.begin(), state.held.begin(), state.held.end());
    state.held.clear();
}

void transactions_twice(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    const Messages again(answer.begin() + 1, answer.end());
    answer.insert(answer.end(), again.begin(), again.end());
}

void known_not_resent(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    std::erase_if(answer, [&](auto& outgoing) {
        const auto* tx = as<p2p::Tx>(outgoing);
        return tx && std::any_of(state.held.begin(), state.held.end(), [&](auto& told) {
                   return txid(as<p2p::Tx>(told)->transaction) == txid(tx->transaction);
               });
    });
}

/// Remembers what was relayed loose, so that known_not_resent leaves it out (older nodes did).
void note_loose(SimSession& session, FaultState& state, Messages& messages) {
    for (auto& outgoing : messages)
        if (auto* tx = as<p2p::Tx>(outgoing);
            tx && session.node().find_in_mempool(txid(tx->transaction)))
            state.held.push_back(outgoing);
}

void loose_transaction(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    answer.emplace_back(p2p::Message(p2p::Tx{block.transactions.front()}));
}

void unasked_merkleblock(SimSession& session, FaultState&, const SimBlock&, Answer& answer) {
    const auto& genesis = session.node().chain().genesis();
    answer.emplace_back(p2p::Message(bip37::MerkleBlock{
        genesis.header, bip37::build_partial_merkle_tree(genesis.txids, {false})}));
}

// ------------------------------------------------------------------------------------ matching

bool match_all(bip37::BloomFilter& filter, const chain::Transaction& tx, const chain::Hash256& id) {
    bip37::match_and_update(filter, tx, id);
    return true;
}

bool match_nothing(bip37::BloomFilter&, const chain::Transaction&, const chain::Hash256&) {
    return false;
}

/// Hides every transaction that spends, and shows those that only pay.
bool hide_spends(bip37::BloomFilter& filter, const chain::Transaction& tx,
                 const chain::Hash256& id) {
    const bool spends = std::any_of(tx.inputs.begin(), tx.inputs.end(), [&](const auto& input) {
        return filter.contains(input.prevout);
    });
    return bip37::match_and_update(filter, tx, id) && !spends;
}

bool no_auto_update(bip37::BloomFilter& filter, const chain::Transaction& tx,
                    const chain::Hash256&) {
    return bip37::matches(filter, tx);
}

/// The first filter stays, whatever is loaded later.
bool keep_first_filter(SimSession&, FaultState& state, const p2p::Message& message) {
    return is<bip37::FilterLoad>(message) && state.count++ > 0;
}

} // namespace

std::vector<Fault> transaction_faults() {
    return {
        {.name = "omits-transaction",
         .does = "after n of them, a block's last matched transaction never comes",
         .answer = omit_transaction},
        {.name = "altered-transaction",
         .does = "a block's last matched transaction has another amount",
         .answer = alter_transaction},
        {.name = "early-transactions",
         .does = "transactions come before their merkleblock",
         .answer = early_transactions},
        {.name = "late-transactions",
         .does = "transactions come after the next merkleblock",
         .answer = late_transactions,
         .outgoing = release_at_pong},
        {.name = "twice", .does = "transactions come twice", .answer = transactions_twice},
        {.name = "not-sent-again",
         .does = "a transaction relayed before is left out of its block",
         .answer = known_not_resent,
         .outgoing = note_loose},
        {.name = "loose-transaction",
         .does = "each block brings a transaction nobody asked for",
         .answer = loose_transaction},
        {.name = "unasked-merkleblock",
         .does = "each block brings a merkleblock nobody asked for",
         .answer = unasked_merkleblock},
        {.name = "matches-all",
         .does = "ignores the filter: everything matches",
         .match = match_all},
        {.name = "matches-nothing", .does = "hides every match", .match = match_nothing},
        {.name = "hides-spends",
         .does = "hides what spends a coin in the filter",
         .match = hide_spends},
        {.name = "keeps-first-filter",
         .does = "takes no second filter on a connection",
         .swallow = keep_first_filter},
        {.name = "no-auto-update",
         .does = "never adds outpoints to the filter",
         .match = no_auto_update},
    };
}

} // namespace headlight::regtest
