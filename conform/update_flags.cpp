// Checks of what the node itself adds to a filter: outpoints of matched outputs, as the flags say.
#include "conform/bench.hpp"
#include "conform/check.hpp"
#include "conform/locks.hpp"
#include "conform/mill.hpp"

namespace headlight::conform {

namespace {

using bip37::UpdateFlags;
using chain::ScriptForm;

/// An output of this form and its spending, which must not match by anything else.
Spend spend_of(Bench& bench, ScriptForm form, bool same_block = false) {
    const auto found = bench.scene().spend(form, same_block);
    return bench.need(found, std::string(to_string(form)) + " output that is spent in " +
                                 (same_block ? "its block" : "a later block"));
}

bip37::BloomFilter filter_for(const Spend& spend, UpdateFlags flags) {
    return filter_of({chain::filter_elements(spend.output.output().script_pubkey).front()}, flags);
}

/// Asks for the output's block, then for the spending one's; the answer to the latter.
Outcome across_blocks(Bench& bench, const Spend& spend, UpdateFlags flags) {
    auto filter = filter_for(spend, flags);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    const auto first =
        matches(ask(peer, spend.output.block->hash), due(filter, *spend.output.block));
    if (first.verdict != Verdict::pass) return first;
    return matches(ask(peer, spend.input.block->hash), due(filter, *spend.input.block));
}

template <ScriptForm form, UpdateFlags flags>
Outcome across_blocks(Bench& bench) {
    return across_blocks(bench, spend_of(bench, form), flags);
}

template <ScriptForm form, UpdateFlags flags>
Outcome in_one_block(Bench& bench) {
    const auto spend = spend_of(bench, form, true);
    auto filter = filter_for(spend, flags);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    return matches(ask(peer, spend.output.block->hash), due(filter, *spend.output.block));
}

/// Two requests in one message are answered under the filter that the first one left.
Outcome in_one_request(Bench& bench) {
    const auto spend = spend_of(bench, ScriptForm::pkh);
    auto filter = filter_for(spend, UpdateFlags::all);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    peer.send(p2p::GetData{{{p2p::InvType::filtered_block, spend.output.block->hash},
                            {p2p::InvType::filtered_block, spend.input.block->hash}}});
    const auto heard = peer.fence();
    const auto blocks = heard.all<bip37::MerkleBlock>();
    if (blocks.size() != 2) return fail("two merkleblocks are due: " + heard.text());
    due(filter, *spend.output.block);
    return matches({blocks[1], {}, heard}, due(filter, *spend.input.block));
}

Outcome reloaded(Bench& bench) {
    const auto spend = spend_of(bench, ScriptForm::pkh);
    const auto filter = filter_for(spend, UpdateFlags::all);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    matched(ask(peer, spend.output.block->hash));
    peer.send(bip37::FilterLoad{filter});
    auto fresh = filter;
    return matches(ask(peer, spend.input.block->hash), due(fresh, *spend.input.block));
}

/// Only what the scripts push counts as a matched output: one that matches by its id adds nothing.
Outcome matched_by_id(Bench& bench) {
    const auto spend = spend_of(bench, ScriptForm::pkh);
    auto filter = filter_of({to_bytes(spend.output.txid())}, UpdateFlags::all);
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    const auto first =
        matches(ask(peer, spend.output.block->hash), due(filter, *spend.output.block));
    if (first.verdict != Verdict::pass) return first;
    return matches(ask(peer, spend.input.block->hash), due(filter, *spend.input.block));
}

// ----------------------------------------------------------------------------- in mempool relay

/// Whether the spending of a pending output is announced to a filter that only its key matches.
Outcome in_relay(Bench& bench, UpdateFlags flags, ScriptForm form, bool wanted) {
    constexpr std::uint32_t key = 5'000'000;
    const auto element = chain::filter_elements(lock(form, key)).front();
    auto& filtered = bench.greet();
    filtered.send(bip37::FilterLoad{filter_of({element}, flags)});
    filtered.fence();
    auto& witness = bench.greet({.relay = true}); // is told everything, the last word included
    witness.fence();
    const auto paying = Bench::payment(bench.take_coin(), {lock(form, key)});
    bench.submit(paying);
    if (!announced(filtered, chain::txid(paying)))
        return fail("the payment itself is not announced");
    auto spending =
        Bench::payment({{chain::txid(paying), 0}, paying.outputs[0].amount}, {anyone_script()});
    spending.inputs[0].witness.clear();
    unlock(spending, 0, form, key, paying.outputs[0].amount);
    bench.submit(spending);
    if (wanted)
        return announced(filtered, chain::txid(spending)) ? pass("the spending is announced")
                                                          : fail("the spending is not announced");
    if (!announced(witness, chain::txid(spending)))
        return fail("the spending is announced to nobody");
    return told(filtered, chain::txid(spending)) ? fail("the spending is announced")
                                                 : pass("the spending is not announced");
}

Outcome none_in_relay(Bench& bench) {
    return in_relay(bench, UpdateFlags::none, ScriptForm::pkh, false);
}
Outcome all_in_relay(Bench& bench) {
    return in_relay(bench, UpdateFlags::all, ScriptForm::pkh, true);
}
Outcome keys_in_relay(Bench& bench) {
    return in_relay(bench, UpdateFlags::p2pubkey_only, ScriptForm::pkh, false);
}
Outcome pk_in_relay(Bench& bench) {
    return in_relay(bench, UpdateFlags::p2pubkey_only, ScriptForm::pk, true);
}

} // namespace

std::vector<Check> update_checks() {
    using enum ScriptForm;
    constexpr auto none = UpdateFlags::none, all = UpdateFlags::all,
                   keys = UpdateFlags::p2pubkey_only;
    constexpr std::string_view rule = "BIP-37, nFlags";
    return {
        {"update.none-pk", "NONE: the spending of a matched pk output does not match", rule,
         across_blocks<pk, none>},
        {"update.none-pkh", "NONE: the spending of a matched pkh output does not match", rule,
         across_blocks<pkh, none>},
        {"update.none-one-block", "NONE: nor does it in the same block", rule,
         in_one_block<sh, none>},
        {"update.all-pk", "ALL: the spending of a matched pk output matches", rule,
         across_blocks<pk, all>},
        {"update.all-pkh", "ALL: the spending of a matched pkh output matches", rule,
         across_blocks<pkh, all>},
        {"update.all-sh", "ALL: the spending of a matched sh output matches", rule,
         across_blocks<sh, all>},
        {"update.all-wpkh", "ALL: the spending of a matched wpkh output matches", rule,
         across_blocks<wpkh, all>},
        {"update.all-wsh", "ALL: the spending of a matched wsh output matches", rule,
         across_blocks<wsh, all>},
        {"update.all-tr", "ALL: the spending of a matched tr output matches", rule,
         across_blocks<tr, all>},
        {"update.all-multisig", "ALL: the spending of a matched multisig output matches", rule,
         across_blocks<multisig, all>},
        {"update.all-one-block", "ALL: it matches in the same block, too", rule,
         in_one_block<sh, all>},
        {"update.all-one-request", "ALL: it matches within one getdata of both blocks", rule,
         in_one_request},
        {"update.all-by-txid", "ALL: a match by the id alone adds no outpoint", rule,
         matched_by_id},
        {"update.reloaded", "A new filterload takes added outpoints away", "BIP-37, new messages",
         reloaded},
        {"update.keys-pk", "P2PUBKEY_ONLY: the spending of a matched pk output matches", rule,
         across_blocks<pk, keys>},
        {"update.keys-multisig", "P2PUBKEY_ONLY: so does that of a matched multisig output", rule,
         across_blocks<multisig, keys>},
        {"update.keys-pkh", "P2PUBKEY_ONLY: that of a matched pkh output does not match", rule,
         across_blocks<pkh, keys>},
        {"update.keys-sh", "P2PUBKEY_ONLY: that of a matched sh output does not match", rule,
         across_blocks<sh, keys>},
        {"update.keys-wpkh", "P2PUBKEY_ONLY: that of a matched wpkh output does not match", rule,
         across_blocks<wpkh, keys>},
        {"update.keys-wsh", "P2PUBKEY_ONLY: that of a matched wsh output does not match", rule,
         across_blocks<wsh, keys>},
        {"update.keys-tr", "P2PUBKEY_ONLY: that of a matched tr output does not match", rule,
         across_blocks<tr, keys>},
        {"update.keys-one-block", "P2PUBKEY_ONLY: a pk output's spending in the same block matches",
         rule, in_one_block<pk, keys>},
        {"update.relay-none", "NONE: in relay, the spending of a matched payment is not announced",
         rule, none_in_relay},
        {"update.relay-all", "ALL: in relay, the spending of a matched payment is announced", rule,
         all_in_relay},
        {"update.relay-keys", "P2PUBKEY_ONLY: in relay, that of a matched pkh payment is not", rule,
         keys_in_relay},
        {"update.relay-keys-pk", "P2PUBKEY_ONLY: in relay, that of a matched pk payment is", rule,
         pk_in_relay},
    };
}

} // namespace headlight::conform
