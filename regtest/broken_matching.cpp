// Nodes that hold too little or too much of a transaction against the filter.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

using bip37::BloomFilter;
using chain::ScriptForm;
using chain::Transaction;

/// Sees the transaction as `change` leaves it.
template <auto change>
bool sees_changed(BloomFilter& filter, const Transaction& tx, const chain::Hash256& id) {
    auto seen = tx;
    change(seen);
    return match_and_update(filter, seen, id);
}

/// Finds what `also` finds as well.
template <auto also>
bool finds_also(BloomFilter& filter, const Transaction& tx, const chain::Hash256& id) {
    return also(filter, tx, id) || match_and_update(filter, tx, id);
}

/// Does not see outputs whose script `wanted` accepts.
template <auto wanted>
void without_outputs(Transaction& tx) {
    for (auto& output : tx.outputs)
        if (wanted(output.script_pubkey)) output.script_pubkey.clear();
}
template <ScriptForm form>
bool is_form(const Bytes& script) {
    return chain::classify(script) == form;
}
template <std::size_t size>
bool is_pk_of(const Bytes& script) {
    return is_form<ScriptForm::pk>(script) && script.size() == size + 2;
}
template <std::uint8_t opcode>
bool pushes_by(const Bytes& script) {
    chain::ScriptReader reader(script);
    while (const auto op = reader.next())
        if (op->opcode == opcode) return true;
    return false;
}
bool is_malformed(const Bytes& script) {
    chain::ScriptReader reader(script);
    while (reader.next()) {
    }
    return reader.malformed();
}

Bytes first_push_only(const Bytes& script) {
    const auto pushes = chain::data_pushes(script);
    Bytes kept;
    if (!pushes.empty()) chain::append_push(kept, pushes.front());
    return kept;
}
template <ScriptForm form>
void first_push_of_outputs(Transaction& tx) {
    for (auto& output : tx.outputs)
        if (is_form<form>(output.script_pubkey))
            output.script_pubkey = first_push_only(output.script_pubkey);
}
void first_push_of_inputs(Transaction& tx) {
    for (auto& input : tx.inputs)
        input.script_sig = first_push_only(input.script_sig);
}
void no_input_scripts(Transaction& tx) {
    for (auto& input : tx.inputs)
        if (!tx.is_coinbase()) input.script_sig.clear();
}
void no_outpoints(Transaction& tx) {
    for (auto& input : tx.inputs)
        input.prevout = {};
}
void no_coinbase_script(Transaction& tx) {
    if (tx.is_coinbase()) tx.inputs[0].script_sig.clear();
}
void no_coinbase_outputs(Transaction& tx) {
    if (tx.is_coinbase()) tx.outputs.clear();
}

bool without_id(BloomFilter& filter, const Transaction& tx, const chain::Hash256&) {
    return match_and_update(filter, tx, chain::Hash256{});
}

bool reversed_id(const BloomFilter& filter, const Transaction&, const chain::Hash256& id) {
    return filter.contains(Bytes(id.bytes.rbegin(), id.bytes.rend()));
}
bool witness_id(const BloomFilter& filter, const Transaction& tx, const chain::Hash256&) {
    return tx.has_witness() && filter.contains(chain::wtxid(tx).view());
}

template <auto found>
bool any_output(const BloomFilter& filter, const Transaction& tx, const chain::Hash256&) {
    return std::any_of(tx.outputs.begin(), tx.outputs.end(),
                       [&](const auto& output) { return found(filter, output.script_pubkey); });
}
bool empty_push(const BloomFilter& filter, const Bytes& script) {
    return !script.empty() && script.front() == 0 && filter.contains(ByteView{});
}
bool small_number(const BloomFilter& filter, const Bytes& script) {
    return script.size() == 1 &&
           filter.contains(Bytes{static_cast<std::uint8_t>(script[0] - 0x50)});
}
bool malformed_rest(const BloomFilter& filter, const Bytes& script) {
    return script.size() > 20 && is_malformed(script) &&
           filter.contains(Bytes(script.end() - 20, script.end()));
}
bool part_of_push(const BloomFilter& filter, const Bytes& script) {
    const auto pushes = chain::data_pushes(script);
    return std::any_of(pushes.begin(), pushes.end(), [&](ByteView push) {
        return push.size() > 20 && filter.contains(push.first(20));
    });
}
bool whole_script(const BloomFilter& filter, const Bytes& script) {
    return filter.contains(script);
}

template <auto found>
bool any_input(const BloomFilter& filter, const Transaction& tx, const chain::Hash256&) {
    return std::any_of(tx.inputs.begin(), tx.inputs.end(),
                       [&](const auto& input) { return found(filter, input); });
}
bool next_outpoint(const BloomFilter& filter, const chain::TxIn& input) {
    return filter.contains(chain::OutPoint{input.prevout.txid, input.prevout.index + 1});
}
bool spent_id(const BloomFilter& filter, const chain::TxIn& input) {
    return filter.contains(input.prevout.txid.view());
}
bool witness_item(const BloomFilter& filter, const chain::TxIn& input) {
    return std::any_of(input.witness.begin(), input.witness.end(),
                       [&](const Bytes& item) { return !item.empty() && filter.contains(item); });
}

} // namespace

std::vector<Fault> broken_matching() {
    using enum ScriptForm;
    return {
        {.name = "broken-no-txid", .does = "matches no ids", .match = without_id},
        {.name = "broken-reversed-txid",
         .does = "matches ids as people write them",
         .match = finds_also<reversed_id>},
        {.name = "broken-wtxid",
         .does = "matches ids with witness",
         .match = finds_also<witness_id>},
        {.name = "broken-no-pk",
         .does = "matches no compressed keys of pk outputs",
         .match = sees_changed<without_outputs<is_pk_of<33>>>},
        {.name = "broken-no-pk-65",
         .does = "matches no uncompressed keys of pk outputs",
         .match = sees_changed<without_outputs<is_pk_of<65>>>},
        {.name = "broken-no-pkh",
         .does = "matches no pkh outputs",
         .match = sees_changed<without_outputs<is_form<pkh>>>},
        {.name = "broken-no-sh",
         .does = "matches no sh outputs",
         .match = sees_changed<without_outputs<is_form<sh>>>},
        {.name = "broken-no-wpkh",
         .does = "matches no wpkh outputs",
         .match = sees_changed<without_outputs<is_form<wpkh>>>},
        {.name = "broken-no-wsh",
         .does = "matches no wsh outputs",
         .match = sees_changed<without_outputs<is_form<wsh>>>},
        {.name = "broken-no-tr",
         .does = "matches no tr outputs",
         .match = sees_changed<without_outputs<is_form<tr>>>},
        {.name = "broken-no-multisig",
         .does = "matches no bare multisig outputs",
         .match = sees_changed<without_outputs<is_form<multisig>>>},
        {.name = "broken-first-key",
         .does = "matches the first key of a bare multisig output alone",
         .match = sees_changed<first_push_of_outputs<multisig>>},
        {.name = "broken-no-null-data",
         .does = "matches no data behind OP_RETURN",
         .match = sees_changed<without_outputs<is_form<null_data>>>},
        {.name = "broken-first-push",
         .does = "matches the first push of other scripts alone",
         .match = sees_changed<first_push_of_outputs<other>>},
        {.name = "broken-no-pushdata1",
         .does = "does not know OP_PUSHDATA1",
         .match = sees_changed<without_outputs<pushes_by<0x4c>>>},
        {.name = "broken-no-pushdata2",
         .does = "does not know OP_PUSHDATA2",
         .match = sees_changed<without_outputs<pushes_by<0x4d>>>},
        {.name = "broken-empty-push",
         .does = "matches empty pushes",
         .match = finds_also<any_output<empty_push>>},
        {.name = "broken-small-number",
         .does = "matches numbers that an opcode pushes",
         .match = finds_also<any_output<small_number>>},
        {.name = "broken-no-malformed",
         .does = "matches nothing of a malformed script",
         .match = sees_changed<without_outputs<is_malformed>>},
        {.name = "broken-in-malformed",
         .does = "matches bytes of a malformed push",
         .match = finds_also<any_output<malformed_rest>>},
        {.name = "broken-part-of-push",
         .does = "matches the first 20 bytes of a push",
         .match = finds_also<any_output<part_of_push>>},
        {.name = "broken-whole-script",
         .does = "matches whole output scripts",
         .match = finds_also<any_output<whole_script>>},
        {.name = "broken-no-outpoint",
         .does = "matches no outpoints",
         .match = sees_changed<no_outpoints>},
        {.name = "broken-next-outpoint",
         .does = "matches the outpoint after the spent one",
         .match = finds_also<any_input<next_outpoint>>},
        {.name = "broken-spent-txid",
         .does = "matches the id of the spent transaction",
         .match = finds_also<any_input<spent_id>>},
        {.name = "broken-no-input-push",
         .does = "matches nothing of input scripts",
         .match = sees_changed<no_input_scripts>},
        {.name = "broken-first-input-push",
         .does = "matches the first push of input scripts alone",
         .match = sees_changed<first_push_of_inputs>},
        {.name = "broken-witness",
         .does = "matches witness items",
         .match = finds_also<any_input<witness_item>>},
        {.name = "broken-no-coinbase-script",
         .does = "matches nothing of a coinbase's input",
         .match = sees_changed<no_coinbase_script>},
        {.name = "broken-no-coinbase-output",
         .does = "matches nothing of a coinbase's outputs",
         .match = sees_changed<no_coinbase_outputs>},
    };
}

} // namespace headlight::regtest
