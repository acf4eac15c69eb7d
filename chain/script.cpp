#include "chain/script.hpp"

#include <algorithm>

namespace headlight::chain {
namespace {

constexpr std::uint8_t op_0 = 0x00;
constexpr std::uint8_t op_pushdata1 = 0x4c;
constexpr std::uint8_t op_pushdata2 = 0x4d;
constexpr std::uint8_t op_pushdata4 = 0x4e;
constexpr std::uint8_t op_1negate = 0x4f;
constexpr std::uint8_t op_1 = 0x51;
constexpr std::uint8_t op_16 = 0x60;
constexpr std::uint8_t op_return = 0x6a;
constexpr std::uint8_t op_dup = 0x76;
constexpr std::uint8_t op_equal = 0x87;
constexpr std::uint8_t op_equalverify = 0x88;
constexpr std::uint8_t op_hash160 = 0xa9;
constexpr std::uint8_t op_checksig = 0xac;
constexpr std::uint8_t op_checkmultisig = 0xae;

constexpr std::size_t max_multisig_keys = 20; // consensus, MAX_PUBKEYS_PER_MULTISIG

std::uint8_t small_number(std::size_t value) {
    return value == 0 ? op_0 : static_cast<std::uint8_t>(op_1 + value - 1);
}

bool is_public_key(ByteView push) {
    if (push.size() == 33) return push[0] == 2 || push[0] == 3;
    return push.size() == 65 && (push[0] == 4 || push[0] == 6 || push[0] == 7);
}

struct WitnessProgram {
    int version;
    ByteView program;
};

/// BIP-141: a version opcode and one direct push of 2..40 bytes, nothing else.
std::optional<WitnessProgram> witness_program(ByteView script) {
    if (script.size() < 4 || script.size() > 42 || script[1] + 2u != script.size()) return {};
    if (script[0] == op_0) return WitnessProgram{0, script.subspan(2)};
    if (script[0] < op_1 || script[0] > op_16) return {};
    return WitnessProgram{script[0] - op_1 + 1, script.subspan(2)};
}

bool is_pkh(ByteView s) {
    return s.size() == 25 && s[0] == op_dup && s[1] == op_hash160 && s[2] == 20 &&
           s[23] == op_equalverify && s[24] == op_checksig;
}

bool is_sh(ByteView s) {
    return s.size() == 23 && s[0] == op_hash160 && s[1] == 20 && s[22] == op_equal;
}

bool is_pk(ByteView s) {
    return (s.size() == 35 || s.size() == 67) && s[0] + 2u == s.size() && s.back() == op_checksig &&
           is_public_key(s.subspan(1, s.size() - 2));
}

bool is_null_data(ByteView script) {
    if (script.empty() || script[0] != op_return) return false;
    ScriptReader reader(script.subspan(1));
    while (const auto op = reader.next()) {
        if (op->opcode > op_16) return false;
    }
    return !reader.malformed();
}

/// A count of keys as `Solver` reads it: OP_1..OP_16, or the minimal push of 17..20.
std::optional<std::size_t> key_count(const ScriptOp& op) {
    if (op.opcode >= op_1 && op.opcode <= op_16) return op.opcode - op_1 + 1u;
    const bool direct = op.opcode == 1 && op.push.size() == 1;
    if (direct && op.push[0] > 16 && op.push[0] <= max_multisig_keys) return op.push[0];
    return std::nullopt;
}

/// The keys of a bare multisig; empty for any other script.
std::vector<ByteView> multisig_keys(ByteView script) {
    if (script.empty() || script.back() != op_checkmultisig) return {};
    ScriptReader reader(script.first(script.size() - 1));
    auto op = reader.next();
    const auto required = op ? key_count(*op) : std::nullopt;
    if (!required) return {};
    std::vector<ByteView> keys;
    while ((op = reader.next()) && is_public_key(op->push))
        keys.push_back(op->push);
    const auto total = op ? key_count(*op) : std::nullopt;
    if (!total || *total != keys.size() || *total < *required || reader.next() ||
        reader.malformed()) {
        return {};
    }
    return keys;
}

void append(Bytes& script, ByteView bytes) {
    script.insert(script.end(), bytes.begin(), bytes.end());
}

void append_little_endian(Bytes& script, std::size_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        script.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

} // namespace

std::optional<ScriptOp> ScriptReader::next() {
    if (malformed_ || position_ >= script_.size()) return std::nullopt;
    const std::uint8_t opcode = script_[position_++];
    if (opcode > op_pushdata4) return ScriptOp{opcode};
    std::size_t length = opcode;
    if (opcode >= op_pushdata1) {
        const std::size_t width = std::size_t{1} << (opcode - op_pushdata1);
        if (script_.size() - position_ < width) {
            malformed_ = true;
            return std::nullopt;
        }
        length = 0;
        for (std::size_t i = width; i-- > 0;)
            length = (length << 8) | script_[position_ + i];
        position_ += width;
    }
    if (script_.size() - position_ < length) {
        malformed_ = true;
        return std::nullopt;
    }
    const auto push = script_.subspan(position_, length);
    position_ += length;
    return ScriptOp{opcode, push};
}

std::vector<ByteView> data_pushes(ByteView script) {
    std::vector<ByteView> pushes;
    ScriptReader reader(script);
    while (const auto op = reader.next()) {
        if (!op->push.empty()) pushes.push_back(op->push);
    }
    return pushes;
}

std::vector<Bytes> filter_elements(ByteView script_pubkey) {
    const auto pushes = data_pushes(script_pubkey);
    std::vector<Bytes> elements;
    if (const auto keys = multisig_keys(script_pubkey); !keys.empty()) {
        for (const auto key : keys)
            elements.emplace_back(key.begin(), key.end());
    } else if (!pushes.empty()) {
        // pk, pkh, sh and the witness forms push exactly one thing, so the longest is theirs too.
        const auto longest =
            std::max_element(pushes.begin(), pushes.end(),
                             [](ByteView a, ByteView b) { return a.size() < b.size(); });
        elements.emplace_back(longest->begin(), longest->end());
    }
    return elements;
}

std::string_view to_string(ScriptForm form) {
    switch (form) {
    case ScriptForm::pk:
        return "pk";
    case ScriptForm::pkh:
        return "pkh";
    case ScriptForm::sh:
        return "sh";
    case ScriptForm::wpkh:
        return "wpkh";
    case ScriptForm::wsh:
        return "wsh";
    case ScriptForm::tr:
        return "tr";
    case ScriptForm::multisig:
        return "multisig";
    case ScriptForm::null_data:
        return "null_data";
    case ScriptForm::other:
        break;
    }
    return "other";
}

ScriptForm classify(ByteView script) {
    if (is_sh(script)) return ScriptForm::sh;
    if (const auto witness = witness_program(script)) {
        const auto size = witness->program.size();
        if (witness->version == 0 && size == 20) return ScriptForm::wpkh;
        if (witness->version == 0 && size == 32) return ScriptForm::wsh;
        return witness->version == 1 && size == 32 ? ScriptForm::tr : ScriptForm::other;
    }
    if (is_null_data(script)) return ScriptForm::null_data;
    if (is_pk(script)) return ScriptForm::pk;
    if (is_pkh(script)) return ScriptForm::pkh;
    return multisig_keys(script).empty() ? ScriptForm::other : ScriptForm::multisig;
}

Bytes pk_script(ByteView public_key) {
    Bytes script;
    append_push(script, public_key);
    script.push_back(op_checksig);
    return script;
}

Bytes pkh_script(ByteView hash20) {
    Bytes script{op_dup, op_hash160};
    append_push(script, hash20);
    script.push_back(op_equalverify);
    script.push_back(op_checksig);
    return script;
}

Bytes sh_script(ByteView hash20) {
    Bytes script{op_hash160};
    append_push(script, hash20);
    script.push_back(op_equal);
    return script;
}

Bytes witness_script(std::uint8_t version, ByteView program) {
    Bytes script{small_number(version)};
    append_push(script, program);
    return script;
}

Bytes multisig_script(std::size_t required, const std::vector<Bytes>& keys) {
    Bytes script{small_number(required)};
    for (const auto& key : keys)
        append_push(script, key);
    script.push_back(small_number(keys.size()));
    script.push_back(op_checkmultisig);
    return script;
}

void append_push(Bytes& script, ByteView data) {
    if (data.size() == 1 && data[0] >= 1 && data[0] <= 16) {
        script.push_back(small_number(data[0]));
        return;
    }
    if (data.size() == 1 && data[0] == 0x81) {
        script.push_back(op_1negate);
        return;
    }
    if (data.size() < op_pushdata1) {
        append_little_endian(script, data.size(), 1);
    } else if (data.size() <= 0xff) {
        script.push_back(op_pushdata1);
        append_little_endian(script, data.size(), 1);
    } else if (data.size() <= 0xffff) {
        script.push_back(op_pushdata2);
        append_little_endian(script, data.size(), 2);
    } else {
        script.push_back(op_pushdata4);
        append_little_endian(script, data.size(), 4);
    }
    append(script, data);
}

} // namespace headlight::chain
