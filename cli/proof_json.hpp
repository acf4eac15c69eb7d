// The proof of a payment as people hand it on: JSON, which nobody vouches for.
#pragma once

#include "chain/block_header.hpp"
#include "chain/transaction.hpp"

#include <boost/json/fwd.hpp>

namespace headlight::cli {

struct PaymentProof {
    chain::Hash256 txid;
    chain::Transaction transaction;
    std::uint32_t position = 0;
    std::uint32_t total_transactions = 0;
    std::vector<chain::Hash256> branch; ///< merkle siblings, leaf upwards
    chain::BlockHeader header;
    chain::Hash256 block;
    std::int32_t height = 0;

    friend bool operator==(const PaymentProof&, const PaymentProof&) = default;
};

/// {txid, transaction, position, total_transactions, branch, header, block, height}; hashes as
/// people write them, transaction and header in hex.
boost::json::object to_json(const PaymentProof& proof);
/// Error: malformed, naming the member.
result<PaymentProof> parse_proof(std::string_view text);

/// Everything that the proof itself must satisfy: the id is the transaction's, which is not as long
/// as a merkle node (CVE-2017-12842); the branch leads to the header's root; the header's hash is
/// the block's. Whether that block is on our chain is another question. Error: bad_proof.
result<void> check_proof(const PaymentProof& proof);

} // namespace headlight::cli
