// Every limit and every wait of headlight, with its number, in one place (rule: bounded).
// docs/limits.md is this file in a table with the reasons; a test holds the two together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::limits {

// What the wire may hold
inline constexpr std::size_t max_block_bytes = 4'000'000;   ///< a block's, a transaction's or a script's
inline constexpr std::size_t max_message_bytes = 4'000'000; ///< a message's payload (Bitcoin Core's limit)
inline constexpr std::size_t max_headers_per_message = 2'000;
inline constexpr std::size_t max_inv_entries = 50'000;
inline constexpr std::size_t max_locator_hashes = 101;
inline constexpr std::size_t max_addr_entries = 1'000;
inline constexpr std::size_t max_user_agent_bytes = 256;
inline constexpr std::size_t max_reject_bytes = 1'000;
inline constexpr std::size_t max_alert_bytes = 100'000;

// BIP-37
inline constexpr std::size_t max_filter_bytes = 36'000;
inline constexpr std::uint32_t max_hash_functions = 50;
inline constexpr std::size_t min_filter_bytes = 8; ///< never rounded down to a filter that matches all
inline constexpr std::size_t max_filter_add_bytes = 520;
inline constexpr std::uint32_t max_block_transactions = 66'666; ///< 4,000,000 / 60, the least stripped size

// The header tree
inline constexpr std::size_t max_side_headers = 20'000; ///< headers of all lighter branches together
inline constexpr std::int32_t max_height = 4'000'000;   ///< mainnet gets there in the 2080s
inline constexpr std::int64_t max_future_seconds = 7'200;

// Peers: messages and connections
inline constexpr std::size_t max_short_payload_bytes = 4'096; ///< messages of a few fields: room for later ones
inline constexpr std::size_t max_address_bytes = 512;         ///< one address of addrv2 (BIP-155)
inline constexpr std::size_t read_buffer_bytes = 131'072;     ///< what one read of a socket takes at most
inline constexpr std::size_t max_send_queue_bytes = 8'388'608; ///< waiting to be sent on one connection
inline constexpr std::int64_t write_timeout_seconds = 30; ///< the peer takes no byte of what we send
inline constexpr std::int64_t close_flush_seconds = 5;    ///< for the last bytes of a connection we close

} // namespace headlight::limits
