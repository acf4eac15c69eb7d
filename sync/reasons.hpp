// The words for what goes wrong with peers: thing, cause, cure, in one place.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"
#include "p2p/handshake.hpp"
#include "sync/events.hpp"

namespace headlight::sync::reasons {

Error nobody_listens(const std::string& peer, Loss loss, const std::string& detail,
                     const chain::Network& network);
/// No connection through the proxy, by its own fault or the peer's.
Error proxy(const std::string& peer, Loss loss, const std::string& detail,
            const p2p::Endpoint& through);
Error closed_in_handshake(const std::string& peer, const chain::Network& network);
Error other_network(const std::string& peer, const chain::Network& theirs,
                    const chain::Network& ours);
Error handshake_slow(const std::string& peer);
Error handshake_refused(const std::string& peer, p2p::HandshakeRefusal refusal);
Error bad_frame(const std::string& peer, const std::string& detail);
Error lost(const std::string& peer, Loss loss, const std::string& detail);
Error closed_while_scanning(const std::string& peer);
/// Nobody of those named may be shown this part of the scripts.
Error nobody_for_part(std::uint32_t part, std::uint32_t split);
Error no_bloom(const std::string& peer);
Error not_full(const std::string& peer);
Error pruned(const std::string& peer, std::int32_t from_height);
Error stalled(const std::string& peer, const std::string& what, std::int64_t seconds);
Error bad_headers(const std::string& peer, std::string_view rule);
Error headers_limit(const std::string& peer);
Error bad_merkleblock(const std::string& peer, const Error& proof);
Error bad_block(const std::string& peer, const Error& proof);
Error bad_transaction(const std::string& peer);
Error flood(const std::string& peer);
Error blocks_refused(const std::string& peer, std::int32_t height, const chain::Hash256& hash);
Error transactions_withheld(const std::string& peer, std::int32_t height,
                            const chain::Hash256& hash);
/// `peer` empty: it need not have been shown under that filter.
Error omitted(const std::string& peer, const chain::Hash256& txid, std::int32_t height);
Error banned(const std::string& peer, std::int64_t seconds_left, const std::string& reason);
Error wiped_chain(const std::string& peer, std::int32_t our_height, const chain::Network& network);
Error future_block(const std::string& peer, const chain::Hash256& hash, std::int64_t block_time);
Error stopped(std::string_view why, std::int32_t scanned);
Error stale_tip(std::int32_t height, std::int64_t tip_time, std::int64_t now);
Error too_little_work(const chain::Network& network, std::int32_t height);
Error lower_node(const std::string& peer, std::int32_t height);
Error until_not_seen(const std::string& what);
Error not_accepted(const chain::Hash256& txid, const std::string& cause);

} // namespace headlight::sync::reasons
