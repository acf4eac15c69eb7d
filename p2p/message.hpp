// Every message a light client sends or meets, as plain values that compare; with their payloads.
#pragma once

#include "bip37/messages.hpp"
#include "chain/block_header.hpp"
#include "chain/transaction.hpp"
#include "p2p/address.hpp"

#include <string>
#include <variant>
#include <vector>

namespace headlight::p2p {

inline constexpr std::int32_t protocol_version = 70016;
/// The first version that knows BIP-37's service bit (BIP-111); older peers are dropped.
inline constexpr std::int32_t least_protocol_version = 70011;

namespace services {
inline constexpr std::uint64_t network = 1;               ///< NODE_NETWORK: all blocks
inline constexpr std::uint64_t bloom = 1 << 2;            ///< NODE_BLOOM (BIP-111)
inline constexpr std::uint64_t witness = 1 << 3;          ///< NODE_WITNESS (BIP-144)
inline constexpr std::uint64_t compact_filters = 1 << 6;  ///< NODE_COMPACT_FILTERS (BIP-157)
inline constexpr std::uint64_t network_limited = 1 << 10; ///< NODE_NETWORK_LIMITED (BIP-159)
inline constexpr std::uint64_t p2p_v2 = 1 << 11;          ///< NODE_P2P_V2 (BIP-324)
} // namespace services

#define HEADLIGHT_COMPARES(type) friend bool operator==(const type&, const type&) = default

struct Version {
    std::int32_t version = protocol_version;
    std::uint64_t services = 0;
    std::int64_t time = 0;
    NetAddress receiver{}; ///< the time field is not sent
    NetAddress sender{};
    std::uint64_t nonce = 0;
    std::string user_agent;
    std::int32_t start_height = 0;
    bool relay = true;
    HEADLIGHT_COMPARES(Version);
};
struct Verack {
    HEADLIGHT_COMPARES(Verack);
};
struct Ping {
    std::optional<std::uint64_t> nonce{}; ///< absent in the form before BIP-31
    HEADLIGHT_COMPARES(Ping);
};
struct Pong {
    std::uint64_t nonce = 0;
    HEADLIGHT_COMPARES(Pong);
};
struct GetHeaders {
    std::int32_t version = protocol_version;
    std::vector<chain::Hash256> locator;
    chain::Hash256 stop{};
    HEADLIGHT_COMPARES(GetHeaders);
};
struct GetBlocks {
    std::int32_t version = protocol_version;
    std::vector<chain::Hash256> locator;
    chain::Hash256 stop{};
    HEADLIGHT_COMPARES(GetBlocks);
};
struct Headers {
    std::vector<chain::BlockHeader> headers;
    HEADLIGHT_COMPARES(Headers);
};
struct SendHeaders {
    HEADLIGHT_COMPARES(SendHeaders);
};

enum class InvType : std::uint32_t {
    error = 0,
    tx = 1,
    block = 2,
    filtered_block = 3,
    compact_block = 4,
    wtx = 5,
    witness_tx = 0x40000001,
    witness_block = 0x40000002,
    witness_filtered_block = 0x40000003,
};
struct InvEntry {
    InvType type = InvType::error; ///< may hold a value that the enumeration does not name
    chain::Hash256 hash;
    HEADLIGHT_COMPARES(InvEntry);
};
struct Inv {
    std::vector<InvEntry> entries;
    HEADLIGHT_COMPARES(Inv);
};
struct GetData {
    std::vector<InvEntry> entries;
    HEADLIGHT_COMPARES(GetData);
};
struct NotFound {
    std::vector<InvEntry> entries;
    HEADLIGHT_COMPARES(NotFound);
};
struct Tx {
    chain::Transaction transaction;
    HEADLIGHT_COMPARES(Tx);
};
struct Block {
    chain::BlockHeader header;
    std::vector<chain::Transaction> transactions;
    HEADLIGHT_COMPARES(Block);
};
struct Mempool {
    HEADLIGHT_COMPARES(Mempool);
};
struct FeeFilter {
    std::int64_t fee_rate = 0; ///< satoshis per 1,000 virtual bytes; any value
    HEADLIGHT_COMPARES(FeeFilter);
};
struct GetAddr {
    HEADLIGHT_COMPARES(GetAddr);
};
struct Addr {
    std::vector<NetAddress> addresses;
    HEADLIGHT_COMPARES(Addr);
};
struct AddrV2 {
    std::vector<NetAddressV2> addresses;
    HEADLIGHT_COMPARES(AddrV2);
};
struct SendAddrV2 {
    HEADLIGHT_COMPARES(SendAddrV2);
};
struct Reject {
    std::string message;
    std::uint8_t code = 0;
    std::string reason;
    Bytes data; ///< empty or a hash
    HEADLIGHT_COMPARES(Reject);
};
struct Alert {
    Bytes content; ///< skipped unread: the key is retired
    HEADLIGHT_COMPARES(Alert);
};
/// A command we do not know, or one we know of and have no use for.
struct Unknown {
    std::string command;
    std::size_t payload_bytes = 0;
    HEADLIGHT_COMPARES(Unknown);
};

#undef HEADLIGHT_COMPARES

using Message = std::variant<Version, Verack, Ping, Pong, GetHeaders, GetBlocks, Headers,
                             SendHeaders, Inv, GetData, NotFound, Tx, Block, bip37::MerkleBlock,
                             bip37::FilterLoad, bip37::FilterAdd, bip37::FilterClear, Mempool,
                             FeeFilter, GetAddr, Addr, AddrV2, SendAddrV2, Reject, Alert, Unknown>;

/// "getheaders": the command as it stands in the envelope.
std::string_view command_of(const Message& message);
/// One line for logs: the command and what matters of its content.
std::string summary(const Message& message);

Bytes encode_payload(const Message& message);
/// Errors: malformed, too_large. Unknown commands decode to Unknown.
result<Message> decode_payload(std::string_view command, ByteView payload);
/// The most bytes a payload of this command may have; what an unknown command may have.
std::size_t payload_limit(std::string_view command);

} // namespace headlight::p2p
