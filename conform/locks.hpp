// Outputs of each form, and how to spend them: what a scene is made of.
#pragma once

#include "chain/script.hpp"
#include "chain/transaction.hpp"

namespace headlight::conform {

/// The forms that have a lock here: those that can be spent.
inline constexpr chain::ScriptForm spendable_forms[] = {
    chain::ScriptForm::pk,      chain::ScriptForm::pkh, chain::ScriptForm::sh,
    chain::ScriptForm::wpkh,    chain::ScriptForm::wsh, chain::ScriptForm::tr,
    chain::ScriptForm::multisig};

/// The n-th output script of this form (n is 1 or more). No two are alike, but for tr.
Bytes lock(chain::ScriptForm form, std::uint32_t n);
/// Fills in what input `index` needs to spend a coin of `amount` with that script. The rest of the
/// transaction must be there already.
void unlock(chain::Transaction& tx, std::size_t index, chain::ScriptForm form, std::uint32_t n,
            Amount amount);

/// `size` bytes that no other number gives.
Bytes unique_bytes(std::uint32_t n, std::size_t size);

} // namespace headlight::conform
