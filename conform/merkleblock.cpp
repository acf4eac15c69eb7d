// Checks of filtered blocks: the partial merkle tree, the transactions behind it, and which
// requests are answered.
#include "conform/bench.hpp"
#include "conform/check.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

using Positions = std::vector<std::size_t>;

/// A filter that matches just these transactions of a block, by their ids.
bip37::BloomFilter choosing(const SceneBlock& block, const Positions& positions) {
    std::vector<Bytes> ids{Bytes(20, 0x77)};
    for (const auto position : positions)
        ids.push_back(to_bytes(block.txids[position]));
    return filter_of(ids);
}

struct Asked {
    const SceneBlock* block;
    Positions positions;
    Filtered answer;
    bip37::MerkleBlock merkleblock; ///< as it should be
};

/// Asks for a block under a filter that chooses these of its transactions.
Asked choose(Peer& peer, const SceneBlock& block, const Positions& positions) {
    auto filter = choosing(block, positions);
    peer.send(bip37::FilterLoad{filter});
    Asked asked{&block, positions, ask(peer, block.hash), {}};
    if (!asked.answer.merkleblock)
        throw Ended{fail("no merkleblock: " + asked.answer.heard.text())};
    asked.merkleblock = filter_block(block.header, block.transactions, filter).merkleblock;
    return asked;
}

const SceneBlock& large_block(Bench& bench, std::size_t least = 3) {
    return bench.need(bench.scene().largest(least),
                      "block of " + std::to_string(least) + " transactions or more");
}

/// The tree, hash by hash and bit by bit.
Outcome exact(const Asked& asked) {
    const auto found = matches(asked.answer, asked.positions);
    if (found.verdict != Verdict::pass) return found;
    if (asked.answer.merkleblock == asked.merkleblock) return found;
    return differs("another tree that proves the same: " + found.got);
}

/// Several choices from one block; what the first one that is not right comes to.
Outcome choices(Bench& bench, const SceneBlock& block) {
    const auto count = block.transactions.size();
    Positions all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(i);
    std::vector<Positions> wanted{{}, {0}, {count - 1}, {count / 2}, all};
    if (count > 2) wanted.push_back({0, count - 1});
    if (count > 3) wanted.push_back({1, count - 2});
    auto& peer = bench.greet();
    for (const auto& positions : wanted)
        if (auto outcome = exact(choose(peer, block, positions)); outcome.verdict != Verdict::pass)
            return outcome;
    return pass(std::to_string(wanted.size()) + " choices, every tree as it should be");
}

template <std::size_t size>
Outcome block_of(Bench& bench) {
    return choices(bench, bench.need(bench.scene().of_size(size),
                                     "block of " + std::to_string(size) + " transactions"));
}

Outcome large(Bench& bench) { return choices(bench, large_block(bench, 100)); }

Outcome no_match(Bench& bench) {
    const auto& block = large_block(bench);
    const auto asked = choose(bench.greet(), block, {});
    const auto& tree = asked.answer.merkleblock->tree;
    const auto text = std::to_string(tree.hashes.size()) + " hash, " +
                      std::to_string(tree.flags.size()) + " flag byte";
    return tree.hashes == asked.merkleblock.tree.hashes &&
                   tree.flags == asked.merkleblock.tree.flags
               ? pass(text)
               : fail(text + ": the root and a zero are due");
}

Outcome total(Bench& bench) {
    const auto& block = large_block(bench);
    const auto asked = choose(bench.greet(), block, {});
    const auto told = asked.answer.merkleblock->tree.total_transactions;
    const auto text = std::to_string(told) + " of " + std::to_string(block.txids.size());
    return told == block.txids.size() ? pass(text) : fail(text);
}

Outcome header(Bench& bench) {
    const auto& block = large_block(bench, 1);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{choosing(block, {})});
    const auto answer = ask(peer, block.hash);
    const auto* merkleblock = answer.heard.first<bip37::MerkleBlock>();
    if (!merkleblock) return fail("no merkleblock: " + answer.heard.text());
    return merkleblock->header == block.header ? pass("the block's header")
                                               : fail("another header: " + answer.heard.text());
}

/// The counts that the parsing rules demand.
template <auto size_of>
Outcome consumed(Bench& bench) {
    const auto& block = large_block(bench);
    const auto asked = choose(bench.greet(), block, {1});
    const auto came = size_of(asked.answer.merkleblock->tree);
    const auto wanted = size_of(asked.merkleblock.tree);
    const auto text = std::to_string(came) + " of " + std::to_string(wanted);
    return came == wanted ? pass(text) : fail(text);
}
std::size_t hash_count(const bip37::PartialMerkleTree& tree) { return tree.hashes.size(); }
std::size_t flag_bytes(const bip37::PartialMerkleTree& tree) { return tree.flags.size(); }

// -------------------------------------------------------------------- the transactions behind it

std::vector<chain::Hash256> ids_of(const std::vector<chain::Transaction>& transactions) {
    std::vector<chain::Hash256> ids;
    for (const auto& tx : transactions)
        ids.push_back(chain::txid(tx));
    return ids;
}

std::vector<chain::Hash256> ids_at(const SceneBlock& block, const Positions& positions) {
    std::vector<chain::Hash256> ids;
    for (const auto position : positions)
        ids.push_back(block.txids[position]);
    return ids;
}

Outcome transactions_follow(Bench& bench) {
    const auto& block = large_block(bench);
    const auto asked = choose(bench.greet(), block, {1, block.txids.size() - 1});
    auto came = ids_of(asked.answer.transactions), wanted = ids_at(block, asked.positions);
    std::sort(came.begin(), came.end());
    std::sort(wanted.begin(), wanted.end());
    return came == wanted ? pass(asked.answer.heard.text()) : fail(asked.answer.heard.text());
}

Outcome transactions_in_order(Bench& bench) {
    const auto& block = large_block(bench, 4);
    const auto last = block.txids.size() - 1;
    const auto asked = choose(bench.greet(), block, {1, 2, last});
    return ids_of(asked.answer.transactions) == ids_at(block, asked.positions)
               ? pass(asked.answer.heard.text())
               : fail("not in the order of the block: " + asked.answer.heard.text());
}

Outcome only_matching(Bench& bench) {
    const auto& block = large_block(bench);
    const auto asked = choose(bench.greet(), block, {1});
    for (const auto& id : ids_of(asked.answer.transactions))
        if (id != block.txids[1]) return fail("others, too: " + asked.answer.heard.text());
    return pass(asked.answer.heard.text());
}

/// A block with a transaction that has a witness, and its position.
Spot witnessed(Bench& bench) {
    return bench.need(
        bench.scene().input([](const chain::TxIn& input) { return !input.witness.empty(); }),
        "transaction with a witness");
}

Outcome without_witness(Bench& bench) {
    const auto spot = witnessed(bench);
    const auto asked = choose(bench.greet(), *spot.block, {spot.position});
    if (asked.answer.transactions.empty()) return fail("no transaction");
    return asked.answer.transactions[0].has_witness() ? fail("with its witness")
                                                      : pass("without its witness");
}

Outcome again(Bench& bench) {
    const auto& block = large_block(bench);
    auto& peer = bench.greet();
    choose(peer, block, {1});
    const auto asked = choose(peer, block, {1});
    return asked.answer.transactions.empty() ? differs("not sent again") : pass("sent again");
}

// --------------------------------------------------------------------------------- the requests

/// No answer is due; a word is tolerated, a merkleblock is not.
Outcome unanswered(const Filtered& answer) {
    const auto text = answer.heard.text();
    if (answer.heard.first<bip37::MerkleBlock>() || answer.heard.first<p2p::Tx>() ||
        answer.heard.first<p2p::Block>())
        return fail(text);
    return answer.heard.first<p2p::NotFound>() || answer.heard.closed() ? differs(text)
                                                                        : pass("silence");
}

Outcome no_filter(Bench& bench) { return unanswered(ask_genesis(bench.greet())); }

Outcome unknown_block(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({Bytes(20, 1)})});
    return unanswered(ask(peer, chain::hash256(as_bytes("a block that nobody has"))));
}

Outcome many_blocks(Bench& bench) {
    constexpr std::size_t most = 100;
    const auto& known = bench.scene().chain;
    if (known.size() < 3) return skipped("the chain holds no blocks");
    const auto first = known.size() - std::min(known.size(), most);
    p2p::GetData request;
    for (auto i = first; i < known.size(); ++i)
        request.entries.push_back({p2p::InvType::filtered_block, known[i]});
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({Bytes(20, 0x77)})});
    peer.send(request);
    const auto answers = peer.fence().all<bip37::MerkleBlock>();
    std::vector<chain::Hash256> hashes;
    for (const auto& answer : answers)
        hashes.push_back(hash_of(answer.header));
    const std::vector<chain::Hash256> wanted(known.begin() + static_cast<std::ptrdiff_t>(first),
                                             known.end());
    const auto text =
        std::to_string(hashes.size()) + " merkleblocks of " + std::to_string(wanted.size());
    return hashes == wanted ? pass(text + ", in order") : fail(text);
}

Outcome twice_in_one(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    const p2p::InvEntry entry{p2p::InvType::filtered_block, bench.network().genesis_hash};
    peer.send(p2p::GetData{{entry, entry}});
    const auto heard = peer.fence();
    const auto count = heard.all<bip37::MerkleBlock>().size();
    if (count == 0) return fail(heard.text());
    return count == 2 ? pass(heard.text()) : differs(heard.text());
}

Outcome mixed_request(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({Bytes(20, 1)})});
    peer.send(p2p::GetData{{{p2p::InvType::tx, chain::hash256(as_bytes("an unknown one"))},
                            {p2p::InvType::filtered_block, bench.network().genesis_hash}}});
    const auto heard = peer.fence();
    if (!heard.first<bip37::MerkleBlock>()) return fail(heard.text());
    return heard.first<p2p::NotFound>() ? pass(heard.text()) : differs(heard.text());
}

Outcome whole_block(Bench& bench) {
    const auto& block = large_block(bench, 2);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{choosing(block, {})});
    peer.send(p2p::GetData{{{p2p::InvType::block, block.hash}}});
    const auto heard = peer.fence();
    const auto* whole = heard.first<p2p::Block>();
    return whole && whole->transactions.size() == block.txids.size() ? pass(heard.text())
                                                                     : fail(heard.text());
}

Outcome stale_block(Bench& bench) {
    const auto& block = bench.need(bench.scene().stale, "block that was replaced by another");
    auto& peer = bench.greet();
    auto filter = choosing(block, {0});
    peer.send(bip37::FilterLoad{filter});
    const auto answer = ask(peer, block.hash);
    if (answer.heard.closed()) return fail("closed");
    if (!answer.merkleblock) return differs("not served: " + answer.heard.text());
    return matches(answer, due(filter, block));
}

Outcome invalid_block(Bench& bench) {
    const auto block = bench.mine(); // so that nothing else is lost with it
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({Bytes(20, 1)})});
    if (const auto done = bench.maker().invalidate(block.hash); !done)
        return skipped("the node cannot be told that a block is invalid");
    const auto answer = ask(peer, block.hash);
    if (const auto done = bench.maker().reconsider(block.hash); !done)
        return fail("the block stays invalid: " + to_string(done.error()));
    return unanswered(answer);
}

} // namespace

std::vector<Check> merkleblock_checks() {
    constexpr std::string_view tree = "BIP-37, partial merkle branch format";
    constexpr std::string_view follow = "BIP-37, getdata extension";
    return {
        {"merkleblock.size-1", "A block of 1 transaction is proven right", tree, block_of<1>},
        {"merkleblock.size-2", "A block of 2 transactions is proven right", tree, block_of<2>},
        {"merkleblock.size-3", "A block of 3 transactions is proven right", tree, block_of<3>},
        {"merkleblock.size-7", "A block of 7 transactions is proven right", tree, block_of<7>},
        {"merkleblock.size-8", "A block of 8 transactions is proven right", tree, block_of<8>},
        {"merkleblock.size-9", "A block of 9 transactions is proven right", tree, block_of<9>},
        {"merkleblock.large", "A block of a hundred transactions or more is proven right", tree,
         large},
        {"merkleblock.no-match", "Without a match there is one hash, the root, and one flag", tree,
         no_match},
        {"merkleblock.total", "The count is that of all transactions", "BIP-37, merkleblock",
         total},
        {"merkleblock.header", "The header is that of the block", "BIP-37, merkleblock", header},
        {"merkleblock.hashes", "There are as many hashes as the tree consumes", tree,
         consumed<hash_count>},
        {"merkleblock.flags", "There are as many flag bytes as the tree consumes", tree,
         consumed<flag_bytes>},
        {"merkleblock.transactions", "The matched transactions follow, none missing", follow,
         transactions_follow},
        {"merkleblock.order", "They follow in the order of the block",
         "Bitcoin Core: in block order", transactions_in_order},
        {"merkleblock.only-matching", "Transactions that do not match do not follow", follow,
         only_matching},
        {"merkleblock.no-witness", "They follow without their witness", "BIP-144: type 3 has none",
         without_witness},
        {"merkleblock.again",
         "What was sent may be left out the next time (most nodes: sent again)", follow, again},
        {"merkleblock.no-filter", "Without a filter the request is ignored", follow, no_filter},
        {"merkleblock.unknown-block", "For an unknown block no merkleblock comes (most: silence)",
         "BIP-37 is silent; Bitcoin Core", unknown_block},
        {"merkleblock.many", "Many blocks asked for in one message come in that order", follow,
         many_blocks},
        {"merkleblock.twice", "A block that is asked for twice comes (most nodes: twice)", follow,
         twice_in_one},
        {"merkleblock.mixed", "A block comes beside an unknown transaction (most nodes: notfound)",
         follow, mixed_request},
        {"merkleblock.whole-block", "Whole blocks are served whole under a filter", follow,
         whole_block},
        {"merkleblock.stale", "A replaced block is served (most nodes), or not", follow,
         stale_block},
        {"merkleblock.invalid", "A block that the node holds invalid is not served",
         "Bitcoin Core: BlockRequestAllowed", invalid_block},
    };
}

} // namespace headlight::conform
