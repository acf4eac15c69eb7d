// Scripts: stepping through them, the data they push, and the standard forms.
#pragma once

#include "chain/bytes.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace headlight::chain {

struct ScriptOp {
    std::uint8_t opcode = 0;
    ByteView push{}; ///< what the opcode pushes, borrowed; empty for OP_0 and for other opcodes

    bool is_push() const { return opcode <= 0x4e; }
};

/// Steps through a script. `next()` gives nothing at the end and at a push that runs over the end;
/// `malformed()` tells the two apart.
class ScriptReader {
  public:
    explicit ScriptReader(ByteView script) : script_(script) {}
    std::optional<ScriptOp> next();
    bool malformed() const { return malformed_; }

  private:
    ByteView script_;
    std::size_t position_ = 0;
    bool malformed_ = false;
};

/// Every non-empty data push up to the end or the first malformed one: what a BIP-37 server tests.
std::vector<ByteView> data_pushes(ByteView script);

/// What stands for a scriptPubKey in a BIP-37 filter: exactly what the script pushes. The program
/// of pkh, sh, wpkh, wsh and tr; the key of pk; each key of a bare multisig; for other scripts the
/// longest push. Empty when the script pushes nothing that a filter could match.
std::vector<Bytes> filter_elements(ByteView script_pubkey);

enum class ScriptForm { pk, pkh, sh, wpkh, wsh, tr, multisig, null_data, other };

std::string_view to_string(ScriptForm form);

/// The standard form of a scriptPubKey, by Bitcoin Core's `Solver` rules (public keys checked by
/// their length and first byte only).
ScriptForm classify(ByteView script_pubkey);

// The standard scripts.
Bytes pk_script(ByteView public_key);
Bytes pkh_script(ByteView hash20);
Bytes sh_script(ByteView hash20);
/// Version 0..16 with its 2..40 byte program.
Bytes witness_script(std::uint8_t version, ByteView program);
/// `required` of `keys`, bare: 1..16 keys of 33 or 65 bytes.
Bytes multisig_script(std::size_t required, const std::vector<Bytes>& keys);
/// The shortest push of `data`.
void append_push(Bytes& script, ByteView data);

} // namespace headlight::chain
