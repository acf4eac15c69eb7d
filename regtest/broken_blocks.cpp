// Nodes that break filtered blocks: the tree, the transactions behind it, or which requests they
// answer.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

using bip37::MerkleBlock;

p2p::Message without_match(const SimBlock& block) {
    const std::vector<bool> none(block.txids.size());
    return MerkleBlock{block.header, bip37::build_partial_merkle_tree(block.txids, none)};
}

bool is_filtered(const p2p::InvEntry& entry) { return entry.type == p2p::InvType::filtered_block; }

/// The first filtered block that a message asks for.
std::optional<chain::Hash256> asked_block(const p2p::Message& message) {
    const auto* getdata = std::get_if<p2p::GetData>(&message);
    if (!getdata) return std::nullopt;
    const auto& entries = getdata->entries;
    const auto found = std::find_if(entries.begin(), entries.end(), is_filtered);
    if (found == entries.end()) return std::nullopt;
    return found->hash;
}

void spoil(MerkleBlock& message) { message.tree.hashes.front().bytes[0] ^= 1; }

void false_tree(SimSession&, FaultState& state, const SimBlock& block, Answer& answer) {
    if (std::cmp_equal(block.txids.size(), state.n)) spoil(*as<MerkleBlock>(answer.front()));
}
void match_for_none(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    if (answer.size() > 1) return;
    std::vector<bool> first(block.txids.size());
    first.front() = true;
    as<MerkleBlock>(answer.front())->tree = bip37::build_partial_merkle_tree(block.txids, first);
}
void wrong_total(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    ++as<MerkleBlock>(answer.front())->tree.total_transactions;
}
void wrong_header(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    ++as<MerkleBlock>(answer.front())->header.time;
}

void drops_last(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    if (answer.size() > 1) answer.pop_back();
}
void backwards(SimSession&, FaultState&, const SimBlock&, Answer& answer) {
    std::reverse(answer.begin() + 1, answer.end());
}
void sends_neighbours(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    if (answer.size() > 1) answer.emplace_back(p2p::Message(p2p::Tx{block.transactions.back()}));
}
void with_witness(SimSession&, FaultState&, const SimBlock& block, Answer& answer) {
    for (auto& outgoing : answer)
        if (auto* tx = as<p2p::Tx>(outgoing))
            for (const auto& whole : block.transactions)
                if (chain::txid(whole) == chain::txid(tx->transaction)) tx->transaction = whole;
}
/// What stands here as the count is the height of the block that was served last.
void once_in_a_row(SimSession&, FaultState& state, const SimBlock& block, Answer& answer) {
    if (state.count == block.height) answer.clear();
    state.count = block.height;
}

bool serves_without_filter(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto asked = asked_block(message);
    const auto* block = asked && !session.filter() ? session.node().block(*asked) : nullptr;
    if (block) session.emit(without_match(*block));
    return block != nullptr;
}
bool serves_tip_for_unknown(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto asked = asked_block(message);
    if (!asked || session.node().chain().find(*asked)) return false;
    session.emit(without_match(session.node().tip()));
    return true;
}
bool serves_invalid(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto asked = asked_block(message);
    if (!asked || session.node().block(*asked)) return false;
    const auto* block = session.node().chain().find(*asked);
    if (block) session.emit(without_match(*block));
    return block != nullptr;
}
bool minds_stale(SimSession& session, FaultState&, const p2p::Message& message) {
    const auto asked = asked_block(message);
    const auto* block = asked ? session.node().block(*asked) : nullptr;
    if (block && !session.node().is_active(*block)) session.close();
    return false;
}

bool fifty_at_most(SimSession&, p2p::GetData& message) {
    constexpr std::size_t most = 50;
    if (message.entries.size() <= most) return false;
    message.entries.resize(most);
    return true;
}
bool repeats(SimSession&, const p2p::GetData& message) {
    return message.entries.size() == 2 && message.entries[0] == message.entries[1];
}
bool is_mixed(SimSession&, const p2p::GetData& message) {
    return std::any_of(message.entries.begin(), message.entries.end(), is_filtered) &&
           !std::all_of(message.entries.begin(), message.entries.end(), is_filtered);
}

void filters_whole_blocks(SimSession& session, p2p::Block& block) {
    if (session.filter()) block.transactions.resize(1);
}

} // namespace

std::vector<Fault> broken_blocks() {
    return {
        {.name = "broken-tree",
         .does = "a false tree for blocks of n transactions",
         .n = 1,
         .answer = false_tree},
        {.name = "broken-no-match",
         .does = "names the coinbase where nothing matches",
         .answer = match_for_none},
        {.name = "broken-total", .does = "one transaction too many", .answer = wrong_total},
        {.name = "broken-header", .does = "another time in headers", .answer = wrong_header},
        {.name = "broken-drops-last",
         .does = "leaves out the last matched transaction",
         .answer = drops_last},
        {.name = "broken-tx-order", .does = "matched transactions backwards", .answer = backwards},
        {.name = "broken-neighbours",
         .does = "sends a transaction that does not match",
         .answer = sends_neighbours},
        {.name = "broken-with-witness",
         .does = "sends matched transactions with their witness",
         .answer = with_witness},
        {.name = "broken-once",
         .does = "does not serve the same block twice in a row",
         .answer = once_in_a_row},
        {.name = "broken-serves-unfiltered",
         .does = "serves filtered blocks without a filter",
         .swallow = serves_without_filter},
        {.name = "broken-serves-tip",
         .does = "serves its tip in place of an unknown block",
         .swallow = serves_tip_for_unknown},
        {.name = "broken-serves-invalid",
         .does = "serves blocks that it holds invalid",
         .swallow = serves_invalid},
        {.name = "broken-minds-stale",
         .does = "closes when a replaced block is asked for",
         .swallow = minds_stale},
        {.name = "broken-fifty-blocks",
         .does = "serves fifty blocks of a request",
         .swallow = takes_for<p2p::GetData, fifty_at_most>},
        {.name = "broken-minds-repeats",
         .does = "ignores requests that name a block twice",
         .swallow = ignores<p2p::GetData, repeats>},
        {.name = "broken-minds-mixed",
         .does = "ignores requests for blocks and others",
         .swallow = ignores<p2p::GetData, is_mixed>},
        {.name = "broken-filters-blocks",
         .does = "leaves transactions out of whole blocks under a filter",
         .outgoing = sends_changed<p2p::Block, filters_whole_blocks>},
    };
}

} // namespace headlight::regtest
