// Every limit and every wait of headlight, with its number, in one place (rule: bounded).
// docs/limits.md is this file in a table with the reasons; a test holds the two together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::limits {
// clang-format off

// What the wire may hold
inline constexpr std::size_t max_block_bytes =
    4'000'000; ///< a block's, a transaction's or a script's
inline constexpr std::size_t max_message_bytes =
    4'000'000; ///< a message's payload (Bitcoin Core's limit)
inline constexpr std::size_t max_witness_items =
    100'000; ///< of a transaction; each takes 24 bytes of memory for one
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
inline constexpr std::size_t min_filter_bytes =
    8; ///< never rounded down to a filter that matches all
inline constexpr std::size_t max_filter_add_bytes = 520;
inline constexpr std::uint32_t max_block_transactions =
    16'666; ///< weight 4,000,000 / (4 * 60), 60 the least stripped size

// The header tree
inline constexpr std::size_t max_side_headers =
    20'000; ///< headers of all lighter branches together
inline constexpr std::int32_t max_height =
    10'000'000; ///< testnet3 is half way there, mainnet in the 2200s
inline constexpr std::int64_t max_future_seconds = 7'200;

// Peers: messages and connections
inline constexpr std::size_t max_short_payload_bytes =
    4'096; ///< messages of a few fields: room for later ones
inline constexpr std::size_t max_address_bytes = 512; ///< one address of addrv2 (BIP-155)
inline constexpr std::size_t read_buffer_bytes =
    131'072; ///< what one read of a socket takes at most
inline constexpr std::size_t max_send_queue_bytes =
    8'388'608; ///< waiting to be sent on one connection
inline constexpr std::int64_t write_timeout_seconds =
    30; ///< the peer takes no byte of what we send
inline constexpr std::int64_t close_flush_seconds =
    5; ///< for the last bytes of a connection we close

// Peers
inline constexpr std::size_t max_peers = 8; ///< --peer, at most
inline constexpr std::int64_t connect_timeout_ms = 5'000;
inline constexpr std::int64_t proxy_connect_timeout_ms = 30'000; ///< the same through --proxy
inline constexpr std::int64_t handshake_timeout_ms = 10'000;
inline constexpr std::int64_t headers_timeout_ms = 15'000; ///< from getheaders to headers
inline constexpr std::int64_t stall_timeout_ms = 15'000;   ///< without an answered block or pong
inline constexpr std::int64_t slow_peer_bytes_per_second = 500; ///< a lone peer above it is kept
inline constexpr std::int64_t idle_ping_ms = 60'000;            ///< at the tip, while following
inline constexpr std::int64_t first_backoff_ms = 500;           ///< doubles with each failure
inline constexpr std::int64_t max_backoff_ms = 60'000;
inline constexpr std::int64_t ban_seconds = 86'400; ///< of a peer that is proven false
inline constexpr std::int64_t regtest_ban_seconds = 600; ///< where ports change hands quickly
inline constexpr int max_extensions = 20;      ///< of a slow lone peer's time, without progress
inline constexpr int max_failures = 3;         ///< in a row without progress, then given up
inline constexpr int max_unlinked_headers = 5; ///< messages that do not connect, from one peer
inline constexpr std::int32_t max_headers_beyond_claim =
    20'000; ///< above the height a peer's version told
inline constexpr std::int64_t flood_messages_per_second =
    2'000; ///< nobody asked for, over ten seconds

// Scanning
inline constexpr std::int32_t scan_batch_blocks = 500;   ///< in one getdata, closed by a ping
inline constexpr std::size_t scan_window_blocks = 2'000; ///< asked for and not answered yet
inline constexpr std::int32_t scan_lead_blocks =
    4'000; ///< how far one part's answers may be ahead of what is scanned
inline constexpr std::int32_t whole_batch_blocks = 4;  ///< whole blocks in one getdata
inline constexpr std::size_t whole_window_blocks = 16; ///< whole blocks asked for at once
inline constexpr std::size_t scan_buffer_bytes =
    16'000'000; ///< answers that wait for an earlier block, of all parts together
inline constexpr int max_block_retries = 3;            ///< of one block, from one peer
inline constexpr std::size_t loose_transactions = 500; ///< kept in case a merkleblock names them
inline constexpr std::size_t loose_transaction_bytes = 4'000'000;
inline constexpr std::int32_t always_checked_blocks =
    144; ///< the latest ones, by a second peer where there is one
inline constexpr std::int64_t check_timeout_ms =
    60'000; ///< for what a second peer is asked at once
inline constexpr std::size_t listed_matches =
    100; ///< of a scanned block, in its record; of more, that keeps our own only
inline constexpr std::size_t max_unchecked_blocks =
    4'000; ///< scanned and waiting for the second peer
inline constexpr double refresh_fp_factor =
    8.0; ///< a filter this much worse than designed is replaced
inline constexpr std::int32_t pruned_depth = 288; ///< NODE_NETWORK_LIMITED serves these (BIP-159)

// Transactions
inline constexpr std::size_t max_pending_bytes =
    400'000; ///< of one unconfirmed transaction: nodes relay no larger ones
inline constexpr std::size_t max_tx_requests = 1'000; ///< unconfirmed ones asked for at once
inline constexpr std::int64_t relay_timeout_ms =
    15'000; ///< at the tip, for transactions that are announced and do not come
inline constexpr std::int64_t broadcast_timeout_ms =
    40'000; ///< from the announcement to a peer showing it
inline constexpr std::int64_t broadcast_poll_ms = 1'000;

// Storing
inline constexpr std::int64_t persist_interval_ms = 1'000; ///< while scanning
inline constexpr std::int32_t persist_headers = 20'000; ///< unsaved headers that are stored at once
inline constexpr std::int64_t birthday_margin_seconds =
    86'400; ///< block times drift; never skip a block
inline constexpr std::int64_t stale_tip_seconds = 86'400;

// Text that people give to a wallet
inline constexpr std::size_t max_descriptor_bytes =
    16'384;                                              ///< 20 keys with long origins take a third
inline constexpr std::size_t max_multipath = 16;         ///< alternatives in <0;1;...> (BIP-389)
inline constexpr std::size_t max_multisig_keys = 20;     ///< what CHECKMULTISIG counts to
inline constexpr std::size_t max_bare_multisig_keys = 3; ///< more is not relayed (Bitcoin Core)
inline constexpr std::size_t max_redeem_script_bytes = 520; ///< BIP-16: it must fit one push
inline constexpr std::size_t max_bech32_chars = 90;         ///< BIP-173
inline constexpr std::size_t max_mnemonic_bytes = 4'096;    ///< 24 words take 215 at most

// The wallet and its store
inline constexpr std::uint32_t script_headroom =
    200;                                         ///< indexes derived beyond what the gap asks for
inline constexpr std::uint32_t max_gap = 10'000; ///< the largest gap limit that may be asked for
inline constexpr std::int64_t stale_pending_seconds = 14 * 86'400; ///< unseen so long: marked stale
inline constexpr std::size_t max_pending_transactions = 4'000; ///< 4,000 * max_money fits 64 bits
inline constexpr std::size_t max_spends_of_coin = 100; ///< pending spends kept of one outpoint
inline constexpr std::size_t scan_trail_dense = 10;    ///< latest scan positions kept one by one
inline constexpr std::uint32_t max_wasted_header_records = 10'000; ///< then the file is compacted
inline constexpr int store_busy_ms = 5'000; ///< wait for another connection's database lock
inline constexpr std::uint32_t max_shards = 16; ///< filters the scripts of one peer are spread over
inline constexpr std::uint32_t max_split = 8;   ///< groups of peers that each get a part
inline constexpr std::size_t max_grouped_peers = 64; ///< whose group a wallet remembers
inline constexpr std::size_t max_endpoint_bytes =
    300; ///< "host:port"; a name has 253 characters at most

// The client
inline constexpr std::size_t max_commands_at_once = 4;         ///< of --on-tx and --on-block
inline constexpr std::size_t max_commands_waiting = 10'000;    ///< what comes beyond is told later
inline constexpr std::int64_t command_timeout_seconds = 60;    ///< then a command is ended
inline constexpr std::int64_t command_end_milliseconds = 5'000; ///< for commands, when we end
inline constexpr std::int32_t told_blocks_kept = 144; ///< told to --on-block; how many are caught up
inline constexpr std::size_t max_ban_file_bytes = 1'000'000;
inline constexpr std::size_t max_ban_reason_bytes = 300;
inline constexpr std::size_t max_told_file_bytes =
    1'000'000'000; ///< what --on-tx and --on-block told: some millions of transactions
inline constexpr std::int64_t shut_down_milliseconds = 200; ///< for connections to close at the end

// The program
inline constexpr std::size_t max_label_bytes = 255;
inline constexpr std::size_t max_secret_file_bytes =
    65'536; ///< a mnemonic's or a passphrase's file
inline constexpr std::size_t max_watch_file_bytes = 268'435'456;
inline constexpr std::size_t max_transaction_text_bytes =
    8'000'016; ///< hex of the largest, and a line's end
inline constexpr std::size_t max_proof_file_bytes =
    8'100'000; ///< the hex of such a transaction, and its proof

// clang-format on
} // namespace headlight::limits
