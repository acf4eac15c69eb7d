// Bitcoin Core's IsRelevantAndUpdate, rule by rule: the mirror of a server's filter is only as good
// as this is exact. Run on every transaction of every block by tests and simulated nodes, so it
// steps through scripts in place.
#include "bip37/relevance.hpp"

#include "chain/script.hpp"

#include <algorithm>

namespace headlight::bip37 {
namespace {

bool any_push_matches(const BloomFilter& filter, ByteView script) {
    chain::ScriptReader reader(script);
    while (const auto op = reader.next()) {
        if (!op->push.empty() && filter.contains(op->push)) return true;
    }
    return false;
}

bool inputs_match(const BloomFilter& filter, const chain::Transaction& tx) {
    return std::any_of(tx.inputs.begin(), tx.inputs.end(), [&](const chain::TxIn& input) {
        return filter.contains(input.prevout) || any_push_matches(filter, input.script_sig);
    });
}

// p2pubkey_only is for the forms whose spending names neither key nor script: the outpoint is then
// the only thing by which a spend can match.
bool remembers_outpoint(UpdateFlags flags, ByteView script) {
    if (flags == UpdateFlags::all) return true;
    if (flags != UpdateFlags::p2pubkey_only) return false;
    const auto form = chain::classify(script);
    return form == chain::ScriptForm::pk || form == chain::ScriptForm::multisig;
}

} // namespace

bool match_and_update(BloomFilter& filter, const chain::Transaction& tx,
                      const chain::Hash256& txid) {
    bool found = filter.contains(txid.view());
    // Every output is looked at, found or not: each that matches adds its own outpoint.
    for (std::size_t i = 0; i < tx.outputs.size(); ++i) {
        const auto& script = tx.outputs[i].script_pubkey;
        if (!any_push_matches(filter, script)) continue;
        found = true;
        if (remembers_outpoint(filter.flags(), script)) {
            filter.insert(chain::OutPoint{txid, static_cast<std::uint32_t>(i)});
        }
    }
    return found || inputs_match(filter, tx);
}

bool match_and_update(BloomFilter& filter, const chain::Transaction& tx) {
    return match_and_update(filter, tx, chain::txid(tx));
}

bool matches(const BloomFilter& filter, const chain::Transaction& tx) {
    const auto output_matches = [&](const chain::TxOut& output) {
        return any_push_matches(filter, output.script_pubkey);
    };
    return std::any_of(tx.outputs.begin(), tx.outputs.end(), output_matches) ||
           inputs_match(filter, tx) || filter.contains(chain::txid(tx).view());
}

} // namespace headlight::bip37
