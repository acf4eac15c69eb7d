// `verify`: checks a proof offline, believing nothing in it but what can be computed again.
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/proof_json.hpp"
#include "cli/text.hpp"
#include "cli/view.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

namespace {

Error elsewhere(const PaymentProof& proof, std::string cause) {
    return {errc::not_found,
            "block " + proof.block.to_string() + " is not at height " +
                std::to_string(proof.height) + " of our chain",
            std::move(cause),
            "Run `headlight sync` and verify again; until then do not rely on it"};
}

// The work behind the block is what the stored chain was checked for.
result<void> check_place(const PaymentProof& proof, const chain::HeaderArchive& headers) {
    const auto tip = headers.tip_height();
    if (tip < 0) return elsewhere(proof, "no headers are stored yet");
    const auto found = headers.find(proof.block);
    if (!found) return elsewhere(proof, "it is not among the headers up to " + std::to_string(tip));
    if (*found != proof.height)
        return elsewhere(proof, "it stands at height " + std::to_string(*found));
    return {};
}

void show(Context& context, const PaymentProof& proof, std::int32_t tip) {
    const auto confirmations = tip - proof.height + 1;
    if (context.out.json())
        return context.out.value(boost::json::object{{"valid", true},
                                                     {"txid", proof.txid.to_string()},
                                                     {"block", proof.block.to_string()},
                                                     {"height", proof.height},
                                                     {"confirmations", confirmations}});
    context.out.text("Valid: transaction " + proof.txid.to_string() + "\n  is transaction " +
                     std::to_string(proof.position + 1) + " of " +
                     std::to_string(proof.total_transactions) + " (position " +
                     std::to_string(proof.position) + ") in block " + proof.block.to_string() +
                     "\n  at height " + std::to_string(proof.height) + ", with " +
                     count(confirmations, "confirmation") + ".\n");
}

} // namespace

result<void> perform(Context& context, const command::Verify& verify) {
    const auto text = read_input(context.out.host(), verify.file, limits::max_proof_file_bytes);
    if (!text) return text.error();
    const auto proof = parse_proof(*text);
    if (!proof) return proof.error();
    if (auto holds = check_proof(*proof); !holds) return holds;
    const auto headers = open_headers(context);
    if (!headers) return headers.error();
    if (auto placed = check_place(*proof, **headers); !placed) return placed;
    show(context, *proof, (*headers)->tip_height());
    return {};
}

} // namespace headlight::cli
