// Checks of the matching rule: which parts of a transaction are held against the filter. Each asks
// for one block under a filter of one element, and holds the whole answer against the rule.
#include "conform/bench.hpp"
#include "conform/check.hpp"
#include "conform/mill.hpp"
#include "conform/opcodes.hpp"

#include <algorithm>

namespace headlight::conform {

namespace {

using chain::ScriptForm;

/// Whether the transaction at `spot` matches `element` as it should; the others of its block too.
Outcome one_element(Bench& bench, const Spot& spot, const Bytes& element, bool wanted) {
    auto filter = filter_of({element});
    auto& peer = bench.greet();
    peer.send(bip37::FilterLoad{filter});
    const auto positions = due(filter, *spot.block);
    const bool expected =
        std::find(positions.begin(), positions.end(), spot.position) != positions.end();
    if (expected != wanted) return skipped("the element is elsewhere in that block, too");
    return matches(ask(peer, spot.block->hash), positions);
}

Spot output_of(Bench& bench, ScriptForm form) {
    const auto spot = bench.scene().output([&](const chain::TxOut& output) {
        return output.script_pubkey != bench.scene().filler_script &&
               chain::classify(output.script_pubkey) == form;
    });
    return bench.need(spot, std::string(to_string(form)) + " output");
}

Outcome form(Bench& bench, ScriptForm wanted) {
    const auto spot = output_of(bench, wanted);
    return one_element(bench, spot, chain::filter_elements(spot.output().script_pubkey).front(),
                       true);
}

template <ScriptForm wanted>
Outcome form(Bench& bench) {
    return form(bench, wanted);
}

/// A pay-to-pubkey output whose key has this many bytes.
template <std::size_t key_bytes>
Outcome public_key_output(Bench& bench) {
    const auto spot = bench.need(bench.scene().output([](const chain::TxOut& output) {
        return chain::classify(output.script_pubkey) == ScriptForm::pk &&
               output.script_pubkey.size() == key_bytes + 2;
    }),
                                 "pk output with a key of " + std::to_string(key_bytes) + " bytes");
    return one_element(bench, spot, chain::filter_elements(spot.output().script_pubkey).front(),
                       true);
}

Outcome multisig_last_key(Bench& bench) {
    const auto spot = output_of(bench, ScriptForm::multisig);
    return one_element(bench, spot, chain::filter_elements(spot.output().script_pubkey).back(),
                       true);
}

using Ops = std::vector<chain::ScriptOp>;

/// An output of no standard form whose operations `wanted` accepts.
Spot odd_output(Bench& bench, const std::function<bool(const Ops&)>& wanted,
                std::string_view what) {
    const auto spot = bench.scene().output([&](const chain::TxOut& output) {
        const auto& script = output.script_pubkey;
        return chain::classify(script) == ScriptForm::other && wanted(ops_of(script));
    });
    return bench.need(spot, what);
}

bool has_push_of(const Ops& ops, std::uint8_t opcode) {
    return std::any_of(ops.begin(), ops.end(),
                       [&](const auto& op) { return op.opcode == opcode && !op.push.empty(); });
}

std::vector<Bytes> pushes_of(const Spot& spot) {
    std::vector<Bytes> pushes;
    for (const auto push : chain::data_pushes(spot.output().script_pubkey))
        pushes.push_back(to_bytes(push));
    return pushes;
}

Outcome later_push(Bench& bench) {
    const auto spot = odd_output(
        bench,
        [](const Ops& ops) {
            return std::count_if(ops.begin(), ops.end(),
                                 [](const auto& op) { return !op.push.empty(); }) > 2;
        },
        "output with three pushes");
    return one_element(bench, spot, pushes_of(spot).back(), true);
}

Outcome empty_push(Bench& bench) {
    const auto spot = odd_output(
        bench, [](const Ops& ops) { return !ops.empty() && ops.front().opcode == op_0; },
        "output that starts with an empty push");
    return one_element(bench, spot, {}, false);
}

Outcome small_number(Bench& bench) {
    const auto spot = odd_output(
        bench, [](const Ops& ops) { return ops.size() == 1 && ops.front().opcode == op_true; },
        "output that is a small number");
    return one_element(bench, spot, {1}, false);
}

template <std::uint8_t opcode>
Outcome long_push(Bench& bench) {
    const auto spot = odd_output(
        bench, [](const Ops& ops) { return has_push_of(ops, opcode); },
        opcode == op_pushdata1 ? "OP_PUSHDATA1" : "OP_PUSHDATA2");
    return one_element(bench, spot, pushes_of(spot).front(), true);
}

Spot malformed_output(Bench& bench) {
    const auto spot = bench.scene().output([](const chain::TxOut& output) {
        chain::ScriptReader reader(output.script_pubkey);
        bool pushes = false;
        while (const auto op = reader.next())
            pushes |= !op->push.empty();
        return pushes && reader.malformed();
    });
    return bench.need(spot, "script with a push that runs over its end");
}

Outcome before_malformed(Bench& bench) {
    const auto spot = malformed_output(bench);
    return one_element(bench, spot, pushes_of(spot).front(), true);
}

Outcome in_malformed(Bench& bench) {
    const auto spot = malformed_output(bench);
    const auto& script = spot.output().script_pubkey;
    constexpr std::ptrdiff_t tail = 20;
    return one_element(bench, spot, Bytes(script.end() - tail, script.end()), false);
}

Spot long_output(Bench& bench) {
    return odd_output(
        bench,
        [](const Ops& ops) {
            return std::any_of(ops.begin(), ops.end(),
                               [](const auto& op) { return op.push.size() >= 40; });
        },
        "output with a long push");
}

Outcome inside_push(Bench& bench) {
    const auto spot = long_output(bench);
    auto part = pushes_of(spot).front();
    part.resize(20);
    return one_element(bench, spot, part, false);
}

Outcome whole_script(Bench& bench) {
    const auto spot = output_of(bench, ScriptForm::wpkh);
    return one_element(bench, spot, spot.output().script_pubkey, false);
}

Outcome transaction_id(Bench& bench) {
    const auto spot = output_of(bench, ScriptForm::wpkh);
    return one_element(bench, spot, to_bytes(spot.txid()), true);
}

Outcome reversed_id(Bench& bench) {
    const auto spot = output_of(bench, ScriptForm::wpkh);
    const auto id = to_bytes(spot.txid());
    return one_element(bench, spot, Bytes(id.rbegin(), id.rend()), false);
}

Outcome witness_id(Bench& bench) {
    const auto spot = bench.need(
        bench.scene().input([](const chain::TxIn& input) { return !input.witness.empty(); }),
        "transaction with a witness");
    return one_element(bench, spot, to_bytes(chain::wtxid(spot.tx())), false);
}

// --------------------------------------------------------------------------------------- inputs

Spot any_input(Bench& bench) {
    return bench.need(bench.scene().input([](const chain::TxIn&) { return true; }),
                      "transaction but coinbases");
}

Outcome outpoint(Bench& bench) {
    const auto spot = any_input(bench);
    return one_element(bench, spot, to_bytes(spot.input().prevout.bytes()), true);
}

Outcome other_outpoint(Bench& bench) {
    const auto spot = any_input(bench);
    auto other = spot.input().prevout;
    other.index += 1;
    return one_element(bench, spot, to_bytes(other.bytes()), false);
}

Outcome spent_id(Bench& bench) {
    const auto spot = any_input(bench);
    const auto id = spot.input().prevout.txid;
    const auto& ids = spot.block->txids;
    if (std::find(ids.begin(), ids.end(), id) != ids.end())
        return skipped("the coin is of the same block");
    return one_element(bench, spot, to_bytes(id), false);
}

/// An input whose script has at least `least` pushes.
Spot scripted_input(Bench& bench, std::size_t least) {
    return bench.need(bench.scene().input([&](const chain::TxIn& input) {
        return chain::data_pushes(input.script_sig).size() >= least;
    }),
                      "input script with " + std::to_string(least) + " pushes");
}

Outcome input_push(Bench& bench) {
    const auto spot = scripted_input(bench, 1);
    return one_element(bench, spot, to_bytes(chain::data_pushes(spot.input().script_sig)[0]), true);
}

Outcome later_input_push(Bench& bench) {
    const auto spot = scripted_input(bench, 2);
    return one_element(bench, spot, to_bytes(chain::data_pushes(spot.input().script_sig)[1]), true);
}

Outcome witness_item(Bench& bench) {
    static const auto helper = anyone_witness();
    const auto spot = bench.need(bench.scene().input([](const chain::TxIn& input) {
        return !input.witness.empty() && input.witness != helper && !input.witness.back().empty();
    }),
                                 "witness");
    return one_element(bench, spot, spot.input().witness.back(), false);
}

/// What a coinbase pushes: neither its height alone nor what others may push as well.
Outcome coinbase_script(Bench& bench) {
    for (const auto& block : bench.scene().blocks) {
        for (const auto push : chain::data_pushes(block.transactions[0].inputs[0].script_sig)) {
            if (push.size() < 8) continue;
            return one_element(bench, {&block, 0, 0}, to_bytes(push), true);
        }
    }
    return skipped("the chain holds no coinbase with a long push");
}

Outcome coinbase_output(Bench& bench) {
    const auto* block = bench.scene().of_size(1);
    const Spot spot{&bench.need(block, "block of a coinbase alone"), 0, 0};
    const auto elements = chain::filter_elements(spot.output().script_pubkey);
    if (elements.empty()) return skipped("that coinbase pays to no key");
    return one_element(bench, spot, elements.front(), true);
}

} // namespace

std::vector<Check> matching_checks() {
    constexpr std::string_view rule = "BIP-37, filter matching algorithm";
    return {
        {"matching.txid", "The transaction's id matches", rule, transaction_id},
        {"matching.txid-reversed", "The id as people write it does not match", rule, reversed_id},
        {"matching.wtxid", "The id with the witness does not match", rule, witness_id},
        {"matching.pk", "A compressed key in a pay-to-pubkey output matches", rule,
         public_key_output<33>},
        {"matching.pk-uncompressed", "An uncompressed key in a pay-to-pubkey output matches", rule,
         public_key_output<65>},
        {"matching.pkh", "The key hash in a pay-to-pubkey-hash output matches", rule,
         form<ScriptForm::pkh>},
        {"matching.sh", "The script hash in a pay-to-script-hash output matches", rule,
         form<ScriptForm::sh>},
        {"matching.wpkh", "The program of a witness key hash output matches", rule,
         form<ScriptForm::wpkh>},
        {"matching.wsh", "The program of a witness script hash output matches", rule,
         form<ScriptForm::wsh>},
        {"matching.tr", "The output key of a taproot output matches", rule, form<ScriptForm::tr>},
        {"matching.multisig", "The first key of a bare multisig output matches", rule,
         form<ScriptForm::multisig>},
        {"matching.multisig-last", "The last key of a bare multisig output matches", rule,
         multisig_last_key},
        {"matching.null-data", "The data behind OP_RETURN matches", rule,
         form<ScriptForm::null_data>},
        {"matching.later-push", "Of several pushes in one script the last one matches too", rule,
         later_push},
        {"matching.pushdata1", "Data pushed by OP_PUSHDATA1 matches", rule,
         long_push<op_pushdata1>},
        {"matching.pushdata2", "Data pushed by OP_PUSHDATA2 matches", rule,
         long_push<op_pushdata2>},
        {"matching.empty-push", "An empty push never matches",
         "Bitcoin Core: empty data is skipped", empty_push},
        {"matching.small-number", "A number pushed by an opcode of its own is no data element",
         "Bitcoin Core: GetOp", small_number},
        {"matching.before-malformed", "Pushes before a malformed one match",
         "Bitcoin Core: reads up to it", before_malformed},
        {"matching.in-malformed", "Bytes of a malformed push do not match",
         "Bitcoin Core: reads up to it", in_malformed},
        {"matching.inside-push", "A part of a push does not match", rule, inside_push},
        {"matching.whole-script", "The output script as a whole does not match", rule,
         whole_script},
        {"matching.outpoint", "The outpoint that an input spends matches", rule, outpoint},
        {"matching.outpoint-index", "The same transaction's other outpoints do not match", rule,
         other_outpoint},
        {"matching.spent-txid", "The id of the spent transaction alone does not match", rule,
         spent_id},
        {"matching.input-push", "The first push of an input script matches", rule, input_push},
        {"matching.input-push-later", "Later pushes of an input script match", rule,
         later_input_push},
        {"matching.witness", "Witness data never matches",
         "BIP-37; BIP-144: not in the input script", witness_item},
        {"matching.coinbase-script", "What a coinbase pushes matches", rule, coinbase_script},
        {"matching.coinbase-output", "What a coinbase pays to matches", rule, coinbase_output},
    };
}

} // namespace headlight::conform
