// Checks of sizes, envelopes and types at and over the limits of the protocol.
#include "chain/limits.hpp"
#include "conform/bench.hpp"
#include "conform/check.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

constexpr auto nameless = static_cast<p2p::InvType>(0x20000003);
constexpr std::size_t envelope_checksum = 20;
constexpr std::size_t envelope_command = 4;

std::vector<p2p::InvEntry> entries(std::size_t count) {
    return std::vector<p2p::InvEntry>(count, {nameless, {}}); // of a type that costs a node nothing
}

Outcome kept(Peer& peer) { return peer.fence().closed() ? fail("closed") : pass("kept"); }
Outcome closed(Peer& peer) { return peer.fence().closed() ? pass("closed") : differs("kept"); }

Outcome inv_50000(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::Inv{entries(limits::max_inv_entries)});
    return kept(peer);
}
Outcome inv_50001(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::Inv{entries(limits::max_inv_entries + 1)});
    return closed(peer);
}
Outcome getdata_50000(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::GetData{entries(limits::max_inv_entries)});
    return kept(peer);
}
Outcome getdata_50001(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::GetData{entries(limits::max_inv_entries + 1)});
    return closed(peer);
}
Outcome empty_lists(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::Inv{});
    peer.send(p2p::GetData{});
    peer.send(p2p::NotFound{});
    return kept(peer);
}

Outcome message_4000000(Bench& bench) {
    auto& peer = bench.greet();
    peer.send_raw("whatever", Bytes(limits::max_message_bytes));
    return kept(peer);
}
Outcome message_4000001(Bench& bench) {
    auto& peer = bench.greet();
    // encode_frame() stops at the limit, so the length is written by hand.
    auto bytes = envelope(bench.network(), "whatever", {});
    const auto length = chain::Writer().u32(limits::max_message_bytes + 1).take();
    std::copy(length.begin(), length.end(), bytes.begin() + envelope_checksum - 4);
    bytes.resize(bytes.size() + limits::max_message_bytes + 1);
    peer.send_bytes(bytes, "whatever of 4000001 bytes");
    return closed(peer);
}

/// A filterload in an envelope that is wrong in one way: it must not take effect.
Outcome not_obeyed(Bench& bench, const std::function<void(Bytes&)>& spoil, std::string what,
                   bool closing_is_due) {
    const auto filter = filter_of({genesis_element(bench.network())});
    auto bytes = p2p::encode_frame(bench.network(), bip37::FilterLoad{filter});
    spoil(bytes);
    auto& peer = bench.greet();
    peer.send_bytes(bytes, std::move(what));
    const auto answer = ask_genesis(peer);
    if (answer.merkleblock) return fail("obeyed: " + answer.heard.text());
    if (answer.heard.closed()) return closing_is_due ? pass("closed") : differs("closed");
    return closing_is_due ? differs("ignored") : pass("ignored");
}

Outcome checksum(Bench& bench) {
    return not_obeyed(
        bench, [](Bytes& bytes) { bytes[envelope_checksum] ^= 1; },
        "filterload with a wrong checksum", false);
}
Outcome padding(Bench& bench) {
    return not_obeyed(
        bench, [](Bytes& bytes) { bytes[envelope_command + 11] = 'x'; },
        "filterload with a badly padded command", false);
}
Outcome magic(Bench& bench) {
    return not_obeyed(
        bench, [](Bytes& bytes) { bytes[0] ^= 1; }, "filterload with another magic", true);
}

Outcome unknown_command(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(p2p::Unknown{"whatever", 100});
    return kept(peer);
}

Outcome unknown_type(Bench& bench) {
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    const auto answer = ask(peer, bench.network().genesis_hash, nameless);
    if (answer.heard.first<bip37::MerkleBlock>() || answer.heard.first<p2p::Block>())
        return fail("served: " + answer.heard.text());
    return answer.heard.closed() ? differs("closed") : pass(answer.heard.text());
}

Outcome reserved_type(Bench& bench) {
    const auto spot = bench.need(
        bench.scene().input([](const chain::TxIn& input) { return !input.witness.empty(); }),
        "transaction with a witness");
    auto filter = filter_of({to_bytes(spot.txid())});
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    const auto answer = ask(peer, spot.block->hash, p2p::InvType::witness_filtered_block);
    if (!answer.merkleblock) return differs(answer.heard.text());
    const auto outcome = matches(answer, due(filter, *spot.block));
    if (outcome.verdict != Verdict::pass) return outcome;
    const auto& txs = answer.transactions;
    return !txs.empty() && txs[0].has_witness() ? pass("served with witnesses")
                                                : differs("served without witnesses");
}

Bytes filtered_request(const chain::Network& network) {
    Bytes bytes;
    for (const auto& message : std::initializer_list<p2p::Message>{
             bip37::FilterLoad{filter_of({genesis_element(network)})},
             p2p::GetData{{{p2p::InvType::filtered_block, network.genesis_hash}}}}) {
        const auto frame = p2p::encode_frame(network, message);
        bytes.insert(bytes.end(), frame.begin(), frame.end());
    }
    return bytes;
}

Outcome served(Peer& peer) {
    const auto heard = peer.fence();
    return heard.first<bip37::MerkleBlock>() ? pass(heard.text()) : fail(heard.text());
}

Outcome joined(Bench& bench) {
    auto& peer = bench.greet();
    peer.send_bytes(filtered_request(bench.network()), "filterload and getdata in one segment");
    return served(peer);
}

Outcome split(Bench& bench) {
    constexpr std::size_t piece = 7;
    const auto bytes = filtered_request(bench.network());
    auto& peer = bench.greet();
    peer.send_bytes(ByteView(bytes).first(1), "filterload and getdata in pieces of 7 bytes");
    peer.keep_log(false);
    for (std::size_t i = 1; i < bytes.size(); i += piece)
        peer.send_bytes(ByteView(bytes).subspan(i, std::min(piece, bytes.size() - i)), {});
    return served(peer);
}

Outcome short_getdata(Bench& bench) {
    const auto entry = chain::Writer().u32(3).hash(bench.network().genesis_hash).take();
    const auto payload = chain::Writer().compact_size(5).bytes(entry).take();
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter_of({genesis_element(bench.network())})});
    peer.send_raw("getdata", payload);
    const auto heard = peer.fence();
    if (heard.first<bip37::MerkleBlock>()) return fail("answered: " + heard.text());
    return heard.closed() ? differs("closed") : pass("ignored");
}

} // namespace

std::vector<Check> limits_checks() {
    constexpr std::string_view core = "Bitcoin Core: MAX_INV_SZ";
    constexpr std::string_view envelope = "protocol: message structure";
    return {
        {"limits.inv-50000", "An inv of 50,000 entries is taken", core, inv_50000},
        {"limits.inv-50001", "An inv of 50,001 entries harms nobody (most nodes: closed)", core,
         inv_50001},
        {"limits.getdata-50000", "A getdata of 50,000 entries is taken", core, getdata_50000},
        {"limits.getdata-50001", "A getdata of 50,001 entries harms nobody (most nodes: closed)",
         core, getdata_50001},
        {"limits.empty-lists", "Lists without entries are harmless", envelope, empty_lists},
        {"limits.message-4000000", "A message of 4,000,000 bytes is taken",
         "Bitcoin Core: MAX_PROTOCOL_MESSAGE_LENGTH", message_4000000},
        {"limits.message-4000001",
         "A message over 4,000,000 bytes harms nobody (most nodes: closed)",
         "Bitcoin Core: MAX_PROTOCOL_MESSAGE_LENGTH", message_4000001},
        {"limits.checksum", "A message with a wrong checksum is not obeyed (most nodes: ignored)",
         envelope, checksum},
        {"limits.padding", "A command that is badly padded is not obeyed (most nodes: ignored)",
         envelope, padding},
        {"limits.magic", "A message of another network is not obeyed (most nodes: closed)",
         envelope, magic},
        {"limits.unknown-command", "A command nobody knows is ignored", envelope, unknown_command},
        {"limits.unknown-type", "A type that nobody knows is not served", "protocol: inventory",
         unknown_type},
        {"limits.reserved-type", "The reserved type 0x40000003 is served right, or not at all",
         "BIP-144: MSG_FILTERED_WITNESS_BLOCK", reserved_type},
        {"limits.joined", "Messages in one segment are all read", envelope, joined},
        {"limits.split", "A message in many segments is read", envelope, split},
        {"limits.short-getdata", "A getdata that ends early is not answered", envelope,
         short_getdata},
    };
}

} // namespace headlight::conform
