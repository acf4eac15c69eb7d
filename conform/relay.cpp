// Checks of what a node announces by itself: transactions under a filter, and new blocks.
#include "conform/bench.hpp"
#include "conform/check.hpp"
#include "conform/locks.hpp"
#include "conform/mill.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

constexpr std::int32_t bip339_version = 70016;
constexpr Greeting listening{.relay = true};

/// A payment to this element's script, in the mempool.
struct Pending {
    chain::Transaction tx;
    chain::Hash256 id;
};

Bytes wanted_program() { return unique_bytes(1'000'001, 20); }
Bytes other_program() { return unique_bytes(1'000'002, 20); }

Pending pend(Bench& bench, const Bytes& program) {
    auto tx = Bench::payment(bench.take_coin(), {chain::witness_script(0, program)});
    bench.submit(tx);
    const auto id = chain::txid(tx);
    return {std::move(tx), id};
}

/// A connection with a filter for wanted_program().
Peer& filtered(Bench& bench, const Greeting& greeting = {}) {
    auto& peer = bench.greet(greeting);
    peer.send(bip37::FilterLoad{filter_of({wanted_program()})});
    peer.fence();
    return peer;
}

Peer& listener(Bench& bench) {
    auto& peer = bench.greet(listening);
    peer.fence();
    return peer;
}

Outcome is_announced(Peer& peer, const chain::Hash256& id) {
    return announced(peer, id) ? pass("announced") : fail("not announced");
}

/// Whether `peer` stays without word of what another connection is told.
Outcome is_not_announced(Bench& bench, Peer& peer, const Bytes& program) {
    auto& witness = listener(bench);
    const auto pending = pend(bench, program);
    if (!announced(witness, pending.id)) return fail("announced to nobody");
    return told(peer, pending.id) ? fail("announced") : pass("not announced");
}

Outcome matching(Bench& bench) {
    auto& peer = filtered(bench);
    return is_announced(peer, pend(bench, wanted_program()).id);
}
Outcome not_matching(Bench& bench) {
    auto& peer = filtered(bench, listening);
    return is_not_announced(bench, peer, other_program());
}
Outcome off(Bench& bench) {
    auto& peer = bench.greet();
    return is_not_announced(bench, peer, other_program());
}
Outcome on(Bench& bench) {
    auto& peer = listener(bench);
    return is_announced(peer, pend(bench, other_program()).id);
}
Outcome on_by_default(Bench& bench) {
    auto& peer = bench.greet({.version = 70001, .relay_byte = false});
    peer.fence();
    return is_announced(peer, pend(bench, other_program()).id);
}

Outcome after_clear(Bench& bench) {
    auto& peer = filtered(bench);
    peer.send(bip37::FilterClear{});
    if (peer.fence().closed()) return fail("closed");
    auto& witness = listener(bench);
    const auto pending = pend(bench, other_program());
    if (!announced(witness, pending.id)) return fail("announced to nobody");
    return told(peer, pending.id) ? pass("everything is announced")
                                  : differs("nothing is announced");
}

/// The entry by which a transaction is announced; throws Ended (fail) where it is not.
p2p::InvEntry entry_for(Peer& peer, const Pending& pending) {
    const auto is_it = [&](const p2p::InvEntry& entry) {
        return entry.hash == pending.id || entry.hash == chain::wtxid(pending.tx);
    };
    const auto heard = peer.until(
        [&](const p2p::Message& message) {
            const auto* inv = std::get_if<p2p::Inv>(&message);
            return inv && std::any_of(inv->entries.begin(), inv->entries.end(), is_it);
        },
        peer.deadlines().announce);
    if (heard.end != WaitEnd::reached) throw Ended{fail("not announced")};
    const auto& entries = std::get<p2p::Inv>(heard.messages.back()).entries;
    return *std::find_if(entries.begin(), entries.end(), is_it);
}

Outcome announced_as(const p2p::InvEntry& entry, p2p::InvType type, const chain::Hash256& hash) {
    const auto text = summary(p2p::Message(p2p::Inv{{entry}}));
    return entry.type == type && entry.hash == hash ? pass(text) : fail(text);
}

Outcome by_txid(Bench& bench) {
    auto& peer = listener(bench);
    const auto pending = pend(bench, other_program());
    return announced_as(entry_for(peer, pending), p2p::InvType::tx, pending.id);
}

Outcome by_wtxid(Bench& bench) {
    auto& peer = bench.greet({.relay = true, .before_verack = {p2p::Unknown{"wtxidrelay", 0}}});
    if (bench.node_version() < bip339_version)
        return skipped("the node is of version " + std::to_string(bench.node_version()));
    peer.fence();
    const auto pending = pend(bench, other_program());
    return announced_as(entry_for(peer, pending), p2p::InvType::wtx, chain::wtxid(pending.tx));
}

Outcome late_wtxidrelay(Bench& bench) {
    auto& peer = listener(bench);
    peer.send(p2p::Unknown{"wtxidrelay", 0});
    if (peer.fence().closed()) return pass("closed");
    const auto pending = pend(bench, other_program());
    return announced_as(entry_for(peer, pending), p2p::InvType::tx, pending.id);
}

Outcome fetched(Bench& bench, p2p::InvType type, bool with_witness) {
    auto& peer = filtered(bench);
    const auto pending = pend(bench, wanted_program());
    if (!announced(peer, pending.id)) return fail("not announced");
    peer.send(p2p::GetData{{{type, pending.id}}});
    const auto heard = peer.fence();
    const auto* tx = heard.first<p2p::Tx>();
    if (!tx || chain::txid(tx->transaction) != pending.id) return fail(heard.text());
    return tx->transaction.has_witness() == with_witness
               ? pass(heard.text())
               : fail(with_witness ? "without its witness" : "with its witness");
}
Outcome fetched_plain(Bench& bench) { return fetched(bench, p2p::InvType::tx, false); }
Outcome fetched_witness(Bench& bench) { return fetched(bench, p2p::InvType::witness_tx, true); }

Outcome fetched_unknown(Bench& bench) {
    auto& peer = bench.greet();
    const auto id = chain::hash256(as_bytes("a transaction that nobody has"));
    peer.send(p2p::GetData{{{p2p::InvType::tx, id}}});
    const auto heard = peer.fence();
    if (heard.closed() || heard.first<p2p::Tx>()) return fail(heard.text());
    return heard.first<p2p::NotFound>() ? pass(heard.text()) : differs("silence");
}

// -------------------------------------------------------------------------------------- mempool

/// Asks for the mempool while it holds one payment that matches and one that does not.
struct MempoolAnswer {
    bool wanted = false;
    bool other = false;
    bool closed = false;
};

MempoolAnswer ask_mempool(Bench& bench, Peer& peer) {
    auto& witness = listener(bench);
    const auto other = pend(bench, other_program());
    const auto wanted = pend(bench, wanted_program());
    // What was not announced yet to anybody is not shown; and it is not told of as new.
    if (!announced(witness, wanted.id)) throw Ended{fail("announced to nobody")};
    peer.send(p2p::Mempool{});
    MempoolAnswer answer;
    const auto heard = peer.until(
        [&](const p2p::Message& message) {
            if (const auto* inv = std::get_if<p2p::Inv>(&message))
                for (const auto& entry : inv->entries) {
                    answer.wanted |= entry.hash == wanted.id;
                    answer.other |= entry.hash == other.id;
                }
            return answer.wanted;
        },
        peer.deadlines().announce);
    answer.closed = heard.closed();
    return answer;
}

Outcome mempool_filtered(Bench& bench) {
    auto& peer = bench.greet();
    auto& asking = peer;
    asking.send(bip37::FilterLoad{filter_of({wanted_program()})});
    const auto answer = ask_mempool(bench, asking);
    if (answer.other) return fail("what does not match is named");
    return answer.wanted ? pass("what matches is named") : fail("what matches is not named");
}

Outcome mempool_whole(Bench& bench) {
    auto& peer = bench.greet();
    const auto answer = ask_mempool(bench, peer);
    if (answer.wanted && answer.other) return pass("everything is named");
    if (answer.wanted) return fail("a part of it is named");
    return differs(answer.closed ? "closed" : "nothing");
}

Outcome fee_filter(Bench& bench) {
    constexpr std::int64_t above_any = 100'000'000;
    auto& peer = listener(bench);
    peer.send(p2p::FeeFilter{1'000});
    peer.fence();
    if (!announced(peer, pend(bench, other_program()).id))
        return fail("nothing is announced above a low fee");
    peer.send(p2p::FeeFilter{above_any});
    peer.fence();
    auto& witness = listener(bench);
    const auto pending = pend(bench, other_program());
    if (!announced(witness, pending.id)) return fail("announced to nobody");
    return told(peer, pending.id) ? differs("announced below the fee that was named")
                                  : pass("not announced below the fee that was named");
}

// --------------------------------------------------------------------------------------- blocks

Mill open_mill(Bench& bench) {
    auto mill = Mill::open(bench.maker(), bench.network());
    if (!mill) throw Ended{skipped("no block can be made: " + to_string(mill.error()))};
    return *mill;
}

chain::Hash256 mine(Mill& mill) {
    const auto block = mill.mine();
    if (!block) throw Ended{skipped("no block can be made: " + to_string(block.error()))};
    return block->hash;
}

/// A connection whose headers stand at the node's tip.
Peer& at_tip(Bench& bench, Mill& mill, bool send_headers) {
    auto& peer = bench.greet();
    if (send_headers) peer.send(p2p::SendHeaders{});
    peer.send(p2p::GetHeaders{p2p::protocol_version, {mill.tip().hash}, {}});
    peer.fence();
    return peer;
}

bool names_block(const p2p::Message& message, const chain::Hash256& hash) {
    if (const auto* inv = std::get_if<p2p::Inv>(&message))
        return std::any_of(inv->entries.begin(), inv->entries.end(), [&](const auto& entry) {
            return entry.type == p2p::InvType::block && entry.hash == hash;
        });
    if (const auto* headers = std::get_if<p2p::Headers>(&message))
        return !headers->headers.empty() && hash_of(headers->headers.back()) == hash;
    return false;
}

/// How the block at the new tip is announced: the last message names it.
Heard announcement(Peer& peer, const chain::Hash256& hash) {
    const auto heard =
        peer.until([&](const auto& m) { return names_block(m, hash); }, peer.deadlines().answer);
    if (heard.end != WaitEnd::reached)
        throw Ended{fail("the block is not announced: " + heard.text())};
    return heard;
}

Outcome block_by_inv(Bench& bench) {
    auto mill = open_mill(bench);
    auto& peer = at_tip(bench, mill, false);
    const auto message = announcement(peer, mine(mill)).messages.back();
    return std::holds_alternative<p2p::Inv>(message) ? pass(summary(message))
                                                     : fail(summary(message));
}

Outcome block_by_headers(Bench& bench) {
    auto mill = open_mill(bench);
    auto& peer = at_tip(bench, mill, true);
    const auto message = announcement(peer, mine(mill)).messages.back();
    return std::holds_alternative<p2p::Headers>(message) ? pass(summary(message))
                                                         : differs(summary(message));
}

/// How it is announced, after sendheaders, that `count` blocks are replaced by one more.
struct Reorganisation {
    Heard heard;
    std::vector<chain::BlockHeader> headers; ///< all that came
    bool from_the_fork = false;              ///< whether they are the new branch, in order
};

Reorganisation reorganised(Bench& bench, std::size_t count) {
    auto mill = open_mill(bench);
    const auto fork = mill.tip();
    for (std::size_t i = 0; i < count; ++i)
        mine(mill);
    auto& peer = at_tip(bench, mill, true);
    mill.go_back(fork);
    for (std::size_t i = 0; i < count; ++i)
        mine(mill);
    Reorganisation result{announcement(peer, mine(mill)), {}, false};
    for (const auto& message : result.heard.all<p2p::Headers>())
        result.headers.insert(result.headers.end(), message.headers.begin(), message.headers.end());
    auto previous = fork.hash;
    for (const auto& header : result.headers) {
        if (header.previous != previous) return result;
        previous = hash_of(header);
    }
    result.from_the_fork = result.headers.size() == count + 1;
    return result;
}

Outcome reorganisation(Bench& bench) {
    const auto result = reorganised(bench, 2);
    const auto text = result.heard.text();
    if (result.from_the_fork) return pass(text);
    return result.headers.empty() ? differs(text)
                                  : fail("headers that do not start at the fork: " + text);
}

Outcome many_at_once(Bench& bench) {
    const auto result = reorganised(bench, 9);
    const auto text = result.heard.text();
    if (result.headers.empty()) return pass(text);
    return result.from_the_fork ? differs(text)
                                : fail("headers that do not start at the fork: " + text);
}

} // namespace

std::vector<Check> relay_checks() {
    constexpr std::string_view rule = "BIP-37, filterload";
    constexpr std::string_view flag = "BIP-37, fRelay";
    return {
        {"relay.matching", "A filter turns relay on: what matches is announced", flag, matching},
        {"relay.not-matching", "What does not match the filter is not announced", rule,
         not_matching},
        {"relay.off", "fRelay false: nothing is announced before a filter", flag, off},
        {"relay.on", "fRelay true: everything is announced without a filter", flag, on},
        {"relay.default", "fRelay missing: everything is announced", flag, on_by_default},
        {"relay.after-clear", "After filterclear relay goes on (most nodes: of everything)",
         "BIP-37, filterclear", after_clear},
        {"relay.txid", "Without wtxidrelay transactions are announced by txid", "BIP-339", by_txid},
        {"relay.wtxid", "After wtxidrelay they are announced as MSG_WTX",
         "BIP-339, specification 4", by_wtxid},
        {"relay.wtxidrelay-late", "wtxidrelay after the verack is ignored or held invalid",
         "BIP-339, specification 2", late_wtxidrelay},
        {"relay.tx", "MSG_TX brings an announced transaction without its witness", "BIP-144",
         fetched_plain},
        {"relay.witness-tx", "MSG_WITNESS_TX brings it with its witness", "BIP-144",
         fetched_witness},
        {"relay.notfound", "An unknown transaction is not found (most nodes: notfound)",
         "protocol: notfound", fetched_unknown},
        {"relay.mempool", "mempool names what matches the filter, and only that", "BIP-35; BIP-37",
         mempool_filtered},
        {"relay.mempool-whole", "mempool without a filter names everything (most nodes)", "BIP-35",
         mempool_whole},
        {"relay.feefilter", "A feefilter holds back what pays less, and only that", "BIP-133",
         fee_filter},
        {"relay.block-inv", "A new block is announced by inv", "BIP-130, abstract", block_by_inv},
        {"relay.sendheaders", "After sendheaders it is announced by its header (permitted)",
         "BIP-130, specification 2", block_by_headers},
        {"relay.reorganisation", "A reorganisation is announced from the fork on (permitted)",
         "BIP-130, motivation", reorganisation},
        {"relay.many-blocks", "Of many blocks at once the tip is announced (most nodes: by inv)",
         "Bitcoin Core: MAX_BLOCKS_TO_ANNOUNCE", many_at_once},
    };
}

} // namespace headlight::conform
