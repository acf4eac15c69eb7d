// Payloads to messages, and the most bytes each may have. As Bitcoin Core does, `version` may end
// early (old nodes) and the short messages may be longer than we know (later protocol versions);
// lists and proofs have to end where they say.
#include "p2p/commands.hpp"

#include "chain/limits.hpp"

#include <algorithm>
#include <array>

namespace headlight::p2p {
namespace {

using chain::Reader;

constexpr std::size_t compact_bytes = 9; // the longest CompactSize
constexpr std::size_t inv_entry_bytes = 36;
constexpr std::size_t least_addr_v2_bytes = 9; // time, services, network, empty address, port
constexpr std::size_t most_addr_v2_bytes =
    4 + compact_bytes + 1 + 3 + limits::max_address_bytes + 2;
constexpr std::size_t header_entry_bytes =
    chain::BlockHeader::size + 1;          // and its transaction count
constexpr std::size_t least_tx_bytes = 10; // version, two empty lists, lock time

/// The message if it was read whole and nothing is left over.
template <class T>
result<Message> whole(const Reader& reader, std::string_view what, T&& message) {
    if (auto end = reader.finish(what); !end) return end.error();
    return Message{std::forward<T>(message)};
}

/// The message if it was read whole; bytes behind it belong to a later version of the protocol.
template <class T>
result<Message> open(const Reader& reader, std::string_view what, T&& message) {
    if (auto end = reader.status(what); !end) return end.error();
    return Message{std::forward<T>(message)};
}

template <class T>
result<Message> decode_empty(ByteView) {
    return Message{T{}};
}

result<Message> decode_version(ByteView payload) {
    Reader reader(payload);
    Version m;
    m.version = reader.i32();
    m.services = reader.u64();
    m.time = reader.i64();
    m.receiver = read_net_address(reader, false);
    if (reader.remaining() > 0) { // from protocol version 106 on
        m.sender = read_net_address(reader, false);
        m.nonce = reader.u64();
    }
    if (reader.remaining() > 0) m.user_agent = reader.var_string(limits::max_user_agent_bytes);
    if (reader.remaining() > 0) m.start_height = reader.i32();
    if (reader.remaining() > 0) m.relay = reader.u8() != 0; // BIP-37; absent means true
    return open(reader, "a version message", std::move(m));
}

result<Message> decode_ping(ByteView payload) {
    Reader reader(payload);
    Ping m;
    if (!payload.empty()) m.nonce = reader.u64();
    return open(reader, "a ping message", m);
}

result<Message> decode_pong(ByteView payload) {
    Reader reader(payload);
    return open(reader, "a pong message", Pong{reader.u64()});
}

template <class Request>
result<Message> decode_locator(ByteView payload, std::string_view what) {
    Reader reader(payload);
    Request m;
    m.version = reader.i32();
    m.locator.resize(reader.count(limits::max_locator_hashes, 32));
    for (auto& hash : m.locator)
        hash = reader.hash();
    m.stop = reader.hash();
    return whole(reader, what, std::move(m));
}

result<Message> decode_getheaders(ByteView payload) {
    return decode_locator<GetHeaders>(payload, "a getheaders message");
}
result<Message> decode_getblocks(ByteView payload) {
    return decode_locator<GetBlocks>(payload, "a getblocks message");
}

result<Message> decode_headers(ByteView payload) {
    Reader reader(payload);
    Headers m;
    const auto count = reader.count(limits::max_headers_per_message, header_entry_bytes);
    m.headers.reserve(count);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        m.headers.push_back(chain::read_block_header(reader));
        reader.compact_size(); // of transactions: always 0, and ignored if not
    }
    return whole(reader, "a headers message", std::move(m));
}

template <class List>
result<Message> decode_entries(ByteView payload, std::string_view what) {
    Reader reader(payload);
    List m;
    m.entries.resize(reader.count(limits::max_inv_entries, inv_entry_bytes));
    for (auto& entry : m.entries) {
        entry.type = static_cast<InvType>(reader.u32());
        entry.hash = reader.hash();
    }
    return whole(reader, what, std::move(m));
}

result<Message> decode_inv(ByteView payload) {
    return decode_entries<Inv>(payload, "an inv message");
}
result<Message> decode_getdata(ByteView payload) {
    return decode_entries<GetData>(payload, "a getdata message");
}
result<Message> decode_notfound(ByteView payload) {
    return decode_entries<NotFound>(payload, "a notfound message");
}

result<Message> decode_tx(ByteView payload) {
    auto tx = chain::parse_transaction(payload);
    if (!tx) return tx.error();
    return Message{Tx{std::move(*tx)}};
}

result<Message> decode_block(ByteView payload) {
    Reader reader(payload);
    Block m;
    m.header = chain::read_block_header(reader);
    const auto count = reader.count(limits::max_block_transactions, least_tx_bytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        m.transactions.push_back(chain::read_transaction(reader));
    }
    return whole(reader, "a block message", std::move(m));
}

/// A BIP-37 message, which that room decodes.
template <auto Decode>
result<Message> decode_bip37(ByteView payload) {
    auto m = Decode(payload);
    if (!m) return m.error();
    return Message{std::move(*m)};
}

result<Message> decode_feefilter(ByteView payload) {
    Reader reader(payload);
    return open(reader, "a feefilter message", FeeFilter{reader.i64()});
}

result<Message> decode_addr(ByteView payload) {
    Reader reader(payload);
    Addr m;
    m.addresses.resize(reader.count(limits::max_addr_entries, 30));
    for (auto& address : m.addresses)
        address = read_net_address(reader, true);
    return whole(reader, "an addr message", std::move(m));
}

result<Message> decode_addrv2(ByteView payload) {
    Reader reader(payload);
    AddrV2 m;
    const auto count = reader.count(limits::max_addr_entries, least_addr_v2_bytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        m.addresses.push_back(read_net_address_v2(reader));
    }
    return whole(reader, "an addrv2 message", std::move(m));
}

result<Message> decode_reject(ByteView payload) {
    Reader reader(payload);
    Reject m;
    m.message = reader.var_string(limits::max_reject_bytes);
    m.code = reader.u8();
    m.reason = reader.var_string(limits::max_reject_bytes);
    const auto data = reader.bytes(reader.remaining());
    m.data.assign(data.begin(), data.end());
    return whole(reader, "a reject message", std::move(m));
}

result<Message> decode_alert(ByteView payload) {
    return Message{Alert{Bytes(payload.begin(), payload.end())}};
}

constexpr auto few = limits::max_short_payload_bytes;
constexpr auto locator_limit = 4 + compact_bytes + (limits::max_locator_hashes + 1) * 32;
constexpr auto headers_limit = compact_bytes + limits::max_headers_per_message * header_entry_bytes;
constexpr auto inv_limit = compact_bytes + limits::max_inv_entries * inv_entry_bytes;
constexpr auto filterload_limit = compact_bytes + limits::max_filter_bytes + 9;
constexpr auto filteradd_limit = compact_bytes + limits::max_filter_add_bytes;
// A hash a transaction at most, and flag bits for a tree of less than three nodes a transaction.
constexpr std::size_t merkleblock_limit =
    chain::BlockHeader::size + 4 + 2 * compact_bytes + limits::max_block_transactions * 33;
constexpr auto addr_limit = compact_bytes + limits::max_addr_entries * 30;
constexpr auto addrv2_limit = compact_bytes + limits::max_addr_entries * most_addr_v2_bytes;

constexpr std::array table{
    Command{"version", few, decode_version},
    Command{"verack", few, decode_empty<Verack>},
    Command{"ping", few, decode_ping},
    Command{"pong", few, decode_pong},
    Command{"getheaders", locator_limit, decode_getheaders},
    Command{"getblocks", locator_limit, decode_getblocks},
    Command{"headers", headers_limit, decode_headers},
    Command{"sendheaders", few, decode_empty<SendHeaders>},
    Command{"inv", inv_limit, decode_inv},
    Command{"getdata", inv_limit, decode_getdata},
    Command{"notfound", inv_limit, decode_notfound},
    Command{"tx", limits::max_message_bytes, decode_tx},
    Command{"block", limits::max_message_bytes, decode_block},
    Command{"merkleblock", merkleblock_limit, decode_bip37<bip37::decode_merkleblock>},
    Command{"filterload", filterload_limit, decode_bip37<bip37::decode_filterload>},
    Command{"filteradd", filteradd_limit, decode_bip37<bip37::decode_filteradd>},
    Command{"filterclear", few, decode_empty<bip37::FilterClear>},
    Command{"mempool", few, decode_empty<Mempool>},
    Command{"feefilter", few, decode_feefilter},
    Command{"getaddr", few, decode_empty<GetAddr>},
    Command{"addr", addr_limit, decode_addr},
    Command{"addrv2", addrv2_limit, decode_addrv2},
    Command{"sendaddrv2", few, decode_empty<SendAddrV2>},
    Command{"reject", limits::max_reject_bytes, decode_reject},
    Command{"alert", limits::max_alert_bytes, decode_alert},
};
static_assert(table.size() + 1 == std::variant_size_v<Message>, "every message but Unknown");

} // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Command& command) { return command.name == name; });
    return found == table.end() ? nullptr : &*found;
}

std::size_t payload_limit(std::string_view command) {
    const auto* known = find_command(command);
    return known ? known->payload_limit : limits::max_message_bytes;
}

result<Message> decode_payload(std::string_view command, ByteView payload) {
    const auto* known = find_command(command);
    if (payload.size() > (known ? known->payload_limit : limits::max_message_bytes)) {
        return Error{errc::too_large, "a " + std::string(command) + " message is too large",
                     std::to_string(payload.size()) + " bytes"};
    }
    if (!known) return Message{Unknown{std::string(command), payload.size()}};
    return known->decode(payload);
}

} // namespace headlight::p2p
