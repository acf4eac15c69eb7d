// Messages to payloads.
#include "p2p/message.hpp"

#include "chain/limits.hpp"

#include <algorithm>

namespace headlight::p2p {
namespace {

using chain::Writer;

/// The messages whose command says it all.
template <class T>
void write(Writer&, const T&) {
    static_assert(std::is_empty_v<T>, "this message needs a write() of its own");
}

void write(Writer& w, const Version& m) {
    w.i32(m.version).u64(m.services).i64(m.time);
    write_net_address(w, m.receiver, false);
    write_net_address(w, m.sender, false);
    w.u64(m.nonce).var_string(m.user_agent).i32(m.start_height).u8(m.relay ? 1 : 0);
}

void write(Writer& w, const Ping& m) {
    if (m.nonce) w.u64(*m.nonce);
}

void write(Writer& w, const Pong& m) { w.u64(m.nonce); }

template <class Request>
void write_locator(Writer& w, const Request& m) {
    w.i32(m.version).compact_size(m.locator.size());
    for (const auto& hash : m.locator)
        w.hash(hash);
    w.hash(m.stop);
}

void write(Writer& w, const GetHeaders& m) { write_locator(w, m); }
void write(Writer& w, const GetBlocks& m) { write_locator(w, m); }

void write(Writer& w, const Headers& m) {
    w.compact_size(m.headers.size());
    for (const auto& header : m.headers)
        w.bytes(chain::serialize(header)).compact_size(0);
}

void write_entries(Writer& w, const std::vector<InvEntry>& entries) {
    w.compact_size(entries.size());
    for (const auto& entry : entries) {
        w.u32(static_cast<std::uint32_t>(entry.type)).hash(entry.hash);
    }
}

void write(Writer& w, const Inv& m) { write_entries(w, m.entries); }
void write(Writer& w, const GetData& m) { write_entries(w, m.entries); }
void write(Writer& w, const NotFound& m) { write_entries(w, m.entries); }

void write(Writer& w, const Tx& m) { w.bytes(chain::serialize(m.transaction)); }

void write(Writer& w, const Block& m) {
    w.bytes(chain::serialize(m.header)).compact_size(m.transactions.size());
    for (const auto& tx : m.transactions)
        w.bytes(chain::serialize(tx));
}

void write(Writer& w, const bip37::MerkleBlock& m) { w.bytes(bip37::encode(m)); }
void write(Writer& w, const bip37::FilterLoad& m) { w.bytes(bip37::encode(m)); }
void write(Writer& w, const bip37::FilterAdd& m) { w.bytes(bip37::encode(m)); }
void write(Writer& w, const FeeFilter& m) { w.i64(m.fee_rate); }

void write(Writer& w, const Addr& m) {
    w.compact_size(m.addresses.size());
    for (const auto& address : m.addresses)
        write_net_address(w, address, true);
}

void write(Writer& w, const AddrV2& m) {
    w.compact_size(m.addresses.size());
    for (const auto& address : m.addresses)
        write_net_address_v2(w, address);
}

void write(Writer& w, const Reject& m) {
    w.var_string(m.message).u8(m.code).var_string(m.reason).bytes(m.data);
}

void write(Writer& w, const Alert& m) { w.bytes(m.content); }

/// Its content was never kept: zeros of the same length stand for it.
void write(Writer& w, const Unknown& m) {
    w.bytes(Bytes(std::min(m.payload_bytes, limits::max_message_bytes)));
}

} // namespace

Bytes encode_payload(const Message& message) {
    Writer writer;
    std::visit([&writer](const auto& m) { write(writer, m); }, message);
    return writer.take();
}

} // namespace headlight::p2p
