// Nodes that add other outpoints to a filter than its flags ask for.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

using bip37::BloomFilter;
using bip37::UpdateFlags;
using chain::ScriptForm;

bool pushes_match(const BloomFilter& filter, ByteView script) {
    const auto pushes = chain::data_pushes(script);
    return std::any_of(pushes.begin(), pushes.end(),
                       [&](ByteView push) { return filter.contains(push); });
}

bool by_the_book(UpdateFlags flags, ScriptForm form) {
    if (flags == UpdateFlags::all) return true;
    return flags == UpdateFlags::p2pubkey_only &&
           (form == ScriptForm::pk || form == ScriptForm::multisig);
}

/// The rule, but that for these flags and this form the outpoint is added exactly when it should
/// not be.
template <UpdateFlags flags, ScriptForm form>
bool wrong_for(BloomFilter& filter, const chain::Transaction& tx, const chain::Hash256& id) {
    bool found = filter.contains(id.view());
    for (std::size_t i = 0; i < tx.outputs.size(); ++i) {
        const auto& script = tx.outputs[i].script_pubkey;
        if (!pushes_match(filter, script)) continue;
        found = true;
        const auto its_form = chain::classify(script);
        const bool wrong = filter.flags() == flags && its_form == form;
        if (by_the_book(filter.flags(), its_form) != wrong)
            filter.insert(chain::OutPoint{id, static_cast<std::uint32_t>(i)});
    }
    return found || bip37::matches(filter, tx);
}

bool adds_by_id(BloomFilter& filter, const chain::Transaction& tx, const chain::Hash256& id) {
    if (filter.contains(id.view()) && filter.flags() == UpdateFlags::all)
        for (std::size_t i = 0; i < tx.outputs.size(); ++i)
            filter.insert(chain::OutPoint{id, static_cast<std::uint32_t>(i)});
    return match_and_update(filter, tx, id);
}

} // namespace

std::vector<Fault> broken_updates() {
    using enum ScriptForm;
    constexpr auto none = UpdateFlags::none, all = UpdateFlags::all,
                   keys = UpdateFlags::p2pubkey_only;
    constexpr std::string_view adds = "adds an outpoint of this form that the flags leave out";
    constexpr std::string_view leaves_out = "adds no outpoints of this form under these flags";
    return {
        {.name = "broken-none-pk", .does = adds, .match = wrong_for<none, pk>},
        {.name = "broken-none-pkh", .does = adds, .match = wrong_for<none, pkh>},
        {.name = "broken-none-sh", .does = adds, .match = wrong_for<none, sh>},
        {.name = "broken-all-pk", .does = leaves_out, .match = wrong_for<all, pk>},
        {.name = "broken-all-pkh", .does = leaves_out, .match = wrong_for<all, pkh>},
        {.name = "broken-all-sh", .does = leaves_out, .match = wrong_for<all, sh>},
        {.name = "broken-all-wpkh", .does = leaves_out, .match = wrong_for<all, wpkh>},
        {.name = "broken-all-wsh", .does = leaves_out, .match = wrong_for<all, wsh>},
        {.name = "broken-all-tr", .does = leaves_out, .match = wrong_for<all, tr>},
        {.name = "broken-all-multisig", .does = leaves_out, .match = wrong_for<all, multisig>},
        {.name = "broken-keys-pk", .does = leaves_out, .match = wrong_for<keys, pk>},
        {.name = "broken-keys-multisig", .does = leaves_out, .match = wrong_for<keys, multisig>},
        {.name = "broken-keys-pkh", .does = adds, .match = wrong_for<keys, pkh>},
        {.name = "broken-keys-sh", .does = adds, .match = wrong_for<keys, sh>},
        {.name = "broken-keys-wpkh", .does = adds, .match = wrong_for<keys, wpkh>},
        {.name = "broken-keys-wsh", .does = adds, .match = wrong_for<keys, wsh>},
        {.name = "broken-keys-tr", .does = adds, .match = wrong_for<keys, tr>},
        {.name = "broken-adds-by-txid",
         .does = "adds all outpoints where the id matches",
         .match = adds_by_id},
    };
}

} // namespace headlight::regtest
