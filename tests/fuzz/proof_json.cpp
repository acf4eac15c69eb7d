// What `verify` is given: any text, and honest proofs with members changed. What reads comes back
// from what we print, and a proof holds only when its parts add up by hand.
#include "cli/proof_json.hpp"
#include "bip37/partial_merkle_tree.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

using namespace headlight;
using tests::require;

namespace {

/// Plain folding from the leaf up.
chain::Hash256 folded(const cli::PaymentProof& proof) {
    auto hash = proof.txid;
    auto place = proof.position;
    for (const auto& sibling : proof.branch) {
        const auto& left = place % 2 != 0 ? sibling : hash;
        const auto& right = place % 2 != 0 ? hash : sibling;
        Bytes pair(left.bytes.begin(), left.bytes.end());
        pair.insert(pair.end(), right.bytes.begin(), right.bytes.end());
        hash = chain::hash256(pair);
        place /= 2;
    }
    return hash;
}

void check(const cli::PaymentProof& proof) {
    const auto text = boost::json::serialize(cli::to_json(proof));
    const auto again = cli::parse_proof(text);
    require(again.has_value() && *again == proof);
    const auto holds = cli::check_proof(proof);
    if (!holds) return require(holds.error().code == errc::bad_proof);
    require(chain::txid(proof.transaction) == proof.txid);
    require(chain::serialize(proof.transaction, chain::Witness::strip).size() != 64);
    require(proof.position < proof.total_transactions);
    require(folded(proof) == proof.header.merkle_root);
    require(chain::hash_of(proof.header) == proof.block);
}

cli::PaymentProof honest(tests::Input& input) {
    std::vector<chain::Transaction> transactions(1 + input.choose(40));
    std::vector<chain::Hash256> txids;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        auto& tx = transactions[i];
        tx.lock_time = static_cast<std::uint32_t>(i);
        tx.inputs.push_back({{txids.empty() ? chain::Hash256{} : txids.back(), 0}, {}, 0, {}});
        tx.outputs.push_back({1'000, Bytes(22, 0x14)});
        txids.push_back(chain::txid(tx));
    }
    cli::PaymentProof proof;
    proof.position = input.choose(static_cast<std::uint32_t>(txids.size()));
    std::vector<bool> chosen(txids.size(), false);
    chosen[proof.position] = true;
    const auto found =
        bip37::extract_matches(bip37::build_partial_merkle_tree(txids, chosen)).value();
    proof.txid = txids[proof.position];
    proof.transaction = transactions[proof.position];
    proof.total_transactions = static_cast<std::uint32_t>(txids.size());
    proof.branch = found.matches.at(0).branch;
    proof.header.merkle_root = found.root;
    proof.block = chain::hash_of(proof.header);
    return proof;
}

/// True when what was changed is a member that no branch can make good.
bool change(tests::Input& input, cli::PaymentProof& proof) {
    const auto add = static_cast<std::uint8_t>(1 + input.choose(255));
    switch (input.choose(8)) {
    case 0:
        proof.txid.bytes[input.choose(32)] ^= add;
        return true;
    case 1:
        proof.transaction.outputs[0].amount += add;
        return true;
    case 2:
        proof.header.nonce += add;
        return true;
    case 3:
        proof.block.bytes[input.choose(32)] ^= add;
        return true;
    case 4:
        if (proof.branch.empty()) return false;
        proof.branch[input.choose(static_cast<std::uint32_t>(proof.branch.size()))].bytes[0] ^= add;
        return true;
    case 5:
        proof.position += add; // at an odd end another place may fold alike
        return false;
    case 6:
        proof.total_transactions += add; // nothing vouches for it but the branch's length
        return false;
    default:
        proof.transaction.inputs[0].witness = {Bytes(add)}; // not part of the id
        return false;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (const auto proof = cli::parse_proof(tests::as_text({data, size}))) check(*proof);
    tests::Input input(data, size);
    auto proof = honest(input);
    require(cli::check_proof(proof).has_value());
    check(proof);
    const bool broken = change(input, proof);
    check(proof);
    if (broken) require(!cli::check_proof(proof));
    return 0;
}
