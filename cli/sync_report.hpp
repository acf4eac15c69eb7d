// What a run of `sync` did, for people and for programs.
#pragma once

#include "client/client.hpp"

#include <boost/json/fwd.hpp>

namespace headlight::cli {

/// Said after a sync that asked nobody twice, and in status while that is so, since nothing in the
/// figures shows it.
inline constexpr std::string_view omission_note =
    "With one peer scanning, a payment that it leaves out cannot be noticed: use a node you trust, "
    "or name a second one.";

/// Whether what was scanned is one peer's word; nothing can be left out of a whole block.
bool one_peer_scanned(const client::SyncOutcome& outcome);
/// {method, height, tip, headers, scanned_blocks, rescanned_blocks, filterloads, transactions_new,
/// false_positives, cross_checked, unchecked, omissions, bytes_received, bytes_sent, seconds,
/// reorganised, peers, balance, note}; note is null unless one_peer_scanned().
boost::json::object to_json(const client::SyncOutcome& outcome, const wallet::Balance& balance);
std::string to_text(const client::SyncOutcome& outcome, const wallet::Balance& balance);

} // namespace headlight::cli
