// `proof`: what convinces anybody who has the headers that a payment is in a block.
#include "cli/commands.hpp"
#include "cli/parts.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

Error unconfirmed(const chain::Hash256& txid) {
    return {errc::not_found, "transaction " + txid.to_string() + " is in no block yet",
            "only what is confirmed has a proof", "Sync again once it is confirmed"};
}

Error off_chain(const wallet::Confirmation& at) {
    return {errc::not_found,
            "the header of block " + at.block.to_string() + " is not among the stored ones",
            "the chain was reorganised, or its headers were removed", "Run `headlight sync`"};
}

} // namespace

result<PaymentProof> proof_of(const View& view, const wallet::StoredTx& stored) {
    if (!stored.confirmation) return unconfirmed(stored.txid);
    const auto& at = *stored.confirmation;
    if (at.height > view.chain.height) return off_chain(at);
    const auto header = view.headers->at(at.height);
    if (header.hash != at.block) return off_chain(at);
    return PaymentProof{.txid = stored.txid,
                        .transaction = stored.tx,
                        .position = at.position,
                        .total_transactions = at.total_transactions,
                        .branch = at.branch,
                        .header = header.header,
                        .block = at.block,
                        .height = at.height};
}

result<void> perform(Context& context, const command::Proof& proof) {
    const auto view = open_view(context);
    if (!view) return view.error();
    const auto* stored = view->wallet().ledger().find(proof.txid);
    if (!stored) return wallet::no_such_transaction(proof.txid);
    const auto made = proof_of(*view, *stored);
    if (!made) return made.error();
    context.out.line(to_json(*made)); // a proof is JSON for people as well
    return {};
}

} // namespace headlight::cli
