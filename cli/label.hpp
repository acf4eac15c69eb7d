// Labels: what people call an address, a transaction or a descriptor. Kept in the wallet, told to
// nobody.
#pragma once

#include "cli/output.hpp"
#include "wallet/wallet.hpp"

#include <boost/json/value.hpp>

namespace headlight::cli {

/// The names under which a wallet keeps the labels of an item: an address and a transaction id have
/// one, a descriptor has its text (an address's descriptor the address), an extended public key
/// those of its descriptors. Errors: as wallet::parse_watch_item.
result<std::vector<std::string>> label_names(std::string_view item, const chain::Network& network);
std::string label_name(std::string_view descriptor_text); ///< of a canonical one
/// Error: bad_argument for an empty or too long text, or one that is not plain text of one line.
result<void> check_label(std::string_view text);

/// Of the script's address, or else of the descriptor that it comes from; empty: none.
std::string script_label(const wallet::Wallet& wallet, ByteView script_pubkey);
/// Of the transaction, or else of the scripts that it pays and spends from; empty: none.
std::string transaction_label(const wallet::Wallet& wallet, const chain::Hash256& txid);

/// Null for an empty one.
boost::json::value label_json(const std::string& label);

} // namespace headlight::cli
