// Faults in whole blocks, for a client that asks for those: bodies that are not their header's, and
// blocks that come otherwise than asked for, or not at all.
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

using Transactions = std::vector<chain::Transaction>;

/// A row that changes the transactions of each block.
template <auto change>
void in_whole_block(SimSession& session, FaultState&, const SimBlock& block, Answer& answer) {
    for (auto& outgoing : answer)
        if (auto* message = as<p2p::Block>(outgoing)) change(session, block, message->transactions);
}

// The coinbase stands alone in most blocks of a young chain: those are left alone, so that the
// proof is found in the midst of a scan.
void lacks_transaction(SimSession&, const SimBlock&, Transactions& transactions) {
    if (transactions.size() > 1) transactions.pop_back();
}
void adds_transaction(SimSession&, const SimBlock&, Transactions& transactions) {
    if (transactions.size() < 2) return;
    transactions.push_back(transactions.back());
    transactions.back().outputs.front().amount += 1;
}
void alters_transaction(SimSession&, const SimBlock&, Transactions& transactions) {
    if (transactions.size() > 1) transactions.back().outputs.front().amount += 1;
}
void swaps_transactions(SimSession&, const SimBlock&, Transactions& transactions) {
    if (transactions.size() > 1) std::swap(transactions.back(), transactions.rbegin()[1]);
}
void no_body(SimSession&, const SimBlock&, Transactions& transactions) {
    if (transactions.size() > 1) transactions.clear();
}
void parents_body(SimSession& session, const SimBlock& block, Transactions& transactions) {
    const auto* parent = session.node().block(block.header.previous);
    if (transactions.size() > 1) transactions = parent->transactions;
}

/// CVE-2012-2459: what the tree pairs with itself, once more; the root stays. A count that is a
/// power of two has no such form.
void repeats_subtree(SimSession&, const SimBlock&, Transactions& transactions) {
    const Transactions again(transactions.end() - repeated_subtree(transactions.size()),
                             transactions.end());
    transactions.insert(transactions.end(), again.begin(), again.end());
}

void another_header(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    if (block.transactions.size() < 2) return;
    for (auto& outgoing : answer)
        if (auto* message = as<p2p::Block>(outgoing)) {
            message->header.time += 1;
            grind(message->header);
        }
}

void blocks_twice(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    const auto again = answer;
    answer.insert(answer.end(), again.begin(), again.end());
}

void unasked_block(SimSession& session, FaultState&, const SimBlock&, Answer& answer) {
    const auto& genesis = session.node().chain().genesis();
    answer.emplace_back(p2p::Message(p2p::Block{genesis.header, genesis.transactions}));
}

/// All that was asked for comes at the pong behind it, the last block first.
void hold_block(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    state.held.insert(state.held.begin(), answer.begin(), answer.end());
    answer.clear();
}
void release_blocks_at_pong(SimSession&, FaultState& state, Messages& messages) {
    if (!as<p2p::Pong>(messages.front())) return;
    messages.insert(messages.begin(), state.held.begin(), state.held.end());
    state.held.clear();
}

bool ignore_blocks(SimSession&, FaultState&, const p2p::Message& message) {
    return asks_blocks(message);
}

/// As some nodes say that they lack a block; Bitcoin Core is silent.
bool blocks_not_found(SimSession& session, FaultState&, const p2p::Message& message) {
    if (!asks_blocks(message)) return false;
    session.emit(p2p::Message(p2p::NotFound{std::get<p2p::GetData>(message).entries}));
    return true;
}

} // namespace

std::vector<Fault> whole_block_faults() {
    std::vector<Fault> faults{
        {.name = "block-lacks-transaction",
         .does = "whole blocks lack their last transaction",
         .whole = in_whole_block<lacks_transaction>},
        {.name = "block-adds-transaction",
         .does = "whole blocks hold one transaction more",
         .whole = in_whole_block<adds_transaction>},
        {.name = "block-alters-transaction",
         .does = "whole blocks' last transaction has another amount",
         .whole = in_whole_block<alters_transaction>},
        {.name = "block-swaps-transactions",
         .does = "whole blocks' last two transactions change places",
         .whole = in_whole_block<swaps_transactions>},
        {.name = "block-repeats-subtree",
         .does = "CVE-2012-2459 in whole blocks, where the count allows it",
         .whole = in_whole_block<repeats_subtree>},
        {.name = "block-of-another",
         .does = "its parent's transactions under each block's header",
         .whole = in_whole_block<parents_body>},
        {.name = "block-without-transactions",
         .does = "whole blocks hold no transactions",
         .whole = in_whole_block<no_body>},
        {.name = "block-of-another-header",
         .does = "whole blocks have a header that is not the stored one",
         .whole = another_header},
        {.name = "blocks-twice", .does = "whole blocks come twice", .whole = blocks_twice},
        {.name = "unasked-block",
         .does = "each whole block brings one nobody asked for",
         .whole = unasked_block},
        {.name = "blocks-reversed",
         .does = "whole blocks come at the next pong, the last one first",
         .whole = hold_block,
         .outgoing = release_blocks_at_pong},
        {.name = "ignores-blocks",
         .does = "never answers requests for whole blocks",
         .swallow = ignore_blocks},
        {.name = "blocks-not-found",
         .does = "answers requests for whole blocks with notfound",
         .swallow = blocks_not_found},
    };
    for (auto& fault : faults)
        fault.whole_blocks = true;
    return faults;
}

} // namespace headlight::regtest
