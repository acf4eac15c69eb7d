#include "conform/locks.hpp"

#include "conform/keys.hpp"
#include "conform/opcodes.hpp"

#include <stdexcept>

namespace headlight::conform {

namespace {

using chain::ScriptForm;

// Taproot (BIP-341) with a single leaf, OP_TRUE, under the internal key of BIP-341 that nobody can
// sign for: the output key and its parity follow from these two alone.
constexpr std::string_view taproot_internal =
    "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0";
constexpr std::string_view taproot_output =
    "f855ca43402fb99cde0e3e634b175642561ff584fe76d1686630d8fd2ea93b36";
constexpr std::uint8_t taproot_control = 0xc1; // leaf version 0xc0, and the output key is odd

Bytes pushed(ByteView data) {
    Bytes script;
    chain::append_push(script, data);
    return script;
}

/// A script that anybody satisfies, with a push of its own.
Bytes redeem_script(std::uint32_t n) {
    auto script = pushed(unique_bytes(n, 20));
    script.insert(script.end(), {op_drop, op_true});
    return script;
}

Bytes lock_multisig(std::uint32_t n) {
    return chain::multisig_script(1, {public_key(n), public_key(n + 1'000'000)});
}

void append(Bytes& script, ByteView more) { script.insert(script.end(), more.begin(), more.end()); }

} // namespace

Bytes unique_bytes(std::uint32_t n, std::size_t size) {
    Bytes bytes;
    for (std::uint32_t part = 0; bytes.size() < size; ++part) {
        const auto hash = chain::sha256(chain::Writer().u32(n).u32(part).data());
        append(bytes, hash);
    }
    bytes.resize(size);
    return bytes;
}

Bytes lock(ScriptForm form, std::uint32_t n) {
    switch (form) {
    case ScriptForm::pk:
        return chain::pk_script(public_key(n));
    case ScriptForm::pkh:
        return chain::pkh_script(chain::hash160(public_key(n)));
    case ScriptForm::sh:
        return chain::sh_script(chain::hash160(redeem_script(n)));
    case ScriptForm::wpkh:
        return chain::witness_script(0, chain::hash160(public_key(n)));
    case ScriptForm::wsh:
        return chain::witness_script(0, chain::sha256(redeem_script(n)));
    case ScriptForm::tr:
        return chain::witness_script(1, from_hex(taproot_output).value());
    case ScriptForm::multisig:
        return lock_multisig(n);
    default:
        throw std::logic_error("there is no lock of this form");
    }
}

void unlock(chain::Transaction& tx, std::size_t index, ScriptForm form, std::uint32_t n,
            Amount amount) {
    auto& input = tx.inputs[index];
    switch (form) {
    case ScriptForm::pk:
        input.script_sig = pushed(sign_legacy(tx, index, lock(form, n), n));
        return;
    case ScriptForm::pkh:
        input.script_sig = pushed(sign_legacy(tx, index, lock(form, n), n));
        append(input.script_sig, pushed(public_key(n)));
        return;
    case ScriptForm::sh:
        input.script_sig = pushed(redeem_script(n));
        return;
    case ScriptForm::wpkh: {
        const auto code = chain::pkh_script(chain::hash160(public_key(n)));
        input.witness = {sign_segwit(tx, index, code, amount, n), public_key(n)};
        return;
    }
    case ScriptForm::wsh:
        input.witness = {redeem_script(n)};
        return;
    case ScriptForm::tr: {
        Bytes control{taproot_control};
        append(control, from_hex(taproot_internal).value());
        input.witness = {{op_true}, control};
        return;
    }
    case ScriptForm::multisig:
        input.script_sig = {0}; // CHECKMULTISIG takes one too many
        append(input.script_sig, pushed(sign_legacy(tx, index, lock(form, n), n)));
        return;
    default:
        throw std::logic_error("there is no key to this form");
    }
}

} // namespace headlight::conform
