// The pieces of JSON that more than one command prints.
#pragma once

#include "cli/proof_json.hpp"
#include "cli/view.hpp"

namespace headlight::cli {

/// What `proof` prints. Errors: not_found, while unconfirmed or when its block is not among the
/// stored headers.
result<PaymentProof> proof_of(const View& view, const wallet::StoredTx& stored);
/// An entry of `history`.
boost::json::object history_json(const wallet::HistoryEntry& entry, const std::string& label);
/// An entry of `descriptors`.
boost::json::object descriptor_json(const wallet::Wallet& wallet,
                                    const wallet::DescriptorState& state);
/// Those of all, in the order of ids.
void write_descriptors(const wallet::Wallet& wallet, const Output::Write& write);

} // namespace headlight::cli
