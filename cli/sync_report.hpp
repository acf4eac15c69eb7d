// What a run of `sync` did, for people and for programs.
#pragma once

#include "client/client.hpp"

#include <boost/json/fwd.hpp>

namespace headlight::cli {

/// Said wherever one peer's word is all there is (docs: what SPV does not protect from).
inline constexpr std::string_view one_peer_note =
    "With one peer, a payment that it leaves out cannot be noticed; name a second with --peer.";

/// {height, tip, headers, scanned_blocks, rescanned_blocks, filterloads, transactions_new,
/// false_positives, bytes_received, bytes_sent, seconds, peers, balance}.
boost::json::object to_json(const client::SyncOutcome& outcome, const wallet::Balance& balance);
std::string to_text(const client::SyncOutcome& outcome, const wallet::Balance& balance);

} // namespace headlight::cli
