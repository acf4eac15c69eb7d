#include "chain/transaction.hpp"

#include "chain/limits.hpp"

#include <algorithm>

namespace headlight::chain {
namespace {

constexpr std::size_t least_input_bytes = 41; // outpoint, empty script, sequence
constexpr std::size_t least_output_bytes = 9; // amount, empty script

TxIn read_input(Reader& reader) {
    TxIn input;
    input.prevout.txid = reader.hash();
    input.prevout.index = reader.u32();
    const auto script = reader.var_bytes(limits::max_block_bytes);
    input.script_sig.assign(script.begin(), script.end());
    input.sequence = reader.u32();
    return input;
}

TxOut read_output(Reader& reader) {
    TxOut output;
    output.amount = reader.i64();
    const auto script = reader.var_bytes(limits::max_block_bytes);
    output.script_pubkey.assign(script.begin(), script.end());
    return output;
}

void read_inputs(Reader& reader, std::vector<TxIn>& inputs) {
    const auto count = reader.count(limits::max_block_bytes, least_input_bytes);
    inputs.reserve(count);
    for (std::size_t i = 0; i < count && reader.ok(); ++i)
        inputs.push_back(read_input(reader));
}

void read_outputs(Reader& reader, std::vector<TxOut>& outputs) {
    const auto count = reader.count(limits::max_block_bytes, least_output_bytes);
    outputs.reserve(count);
    for (std::size_t i = 0; i < count && reader.ok(); ++i)
        outputs.push_back(read_output(reader));
}

/// `room` is how many items the transaction may still have: an empty one takes a byte on the wire
/// and many in memory.
void read_witness(Reader& reader, TxIn& input, std::size_t& room) {
    const auto count = reader.count(room, 1);
    room -= count;
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const auto item = reader.var_bytes(limits::max_block_bytes);
        input.witness.emplace_back(item.begin(), item.end());
    }
}

} // namespace

std::array<std::uint8_t, 36> OutPoint::bytes() const {
    std::array<std::uint8_t, 36> raw{};
    std::copy(txid.bytes.begin(), txid.bytes.end(), raw.begin());
    for (std::size_t i = 0; i < 4; ++i)
        raw[32 + i] = static_cast<std::uint8_t>(index >> (8 * i));
    return raw;
}

std::string OutPoint::to_string() const { return txid.to_string() + ":" + std::to_string(index); }

bool Transaction::has_witness() const {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const TxIn& input) { return !input.witness.empty(); });
}

Bytes serialize(const Transaction& tx, Witness witness) {
    const bool extended = witness == Witness::keep && tx.has_witness();
    Writer writer(tx.inputs.size() * 150 + tx.outputs.size() * 34 + 10);
    writer.i32(tx.version);
    if (extended) writer.u8(0).u8(1);
    writer.compact_size(tx.inputs.size());
    for (const auto& input : tx.inputs) {
        writer.hash(input.prevout.txid).u32(input.prevout.index);
        writer.var_bytes(input.script_sig).u32(input.sequence);
    }
    writer.compact_size(tx.outputs.size());
    for (const auto& output : tx.outputs) {
        writer.i64(output.amount).var_bytes(output.script_pubkey);
    }
    if (extended) {
        for (const auto& input : tx.inputs) {
            writer.compact_size(input.witness.size());
            for (const auto& item : input.witness)
                writer.var_bytes(item);
        }
    }
    writer.u32(tx.lock_time);
    return writer.take();
}

Transaction read_transaction(Reader& reader) {
    Transaction tx;
    tx.version = reader.i32();
    read_inputs(reader, tx.inputs);
    bool extended = false;
    if (reader.ok() && tx.inputs.empty()) { // BIP-144: an empty input list is the marker
        const auto flag = reader.u8();
        if (reader.ok() && flag == 1) {
            extended = true;
            read_inputs(reader, tx.inputs);
        } else if (reader.ok() && flag != 0) {
            reader.fail("the witness flag is unknown");
        }
        if (flag == 0) { // no inputs and no outputs: only a form, never a real transaction
            tx.lock_time = reader.u32();
            return tx;
        }
    }
    read_outputs(reader, tx.outputs);
    if (extended) {
        auto room = limits::max_witness_items;
        for (auto& input : tx.inputs)
            read_witness(reader, input, room);
        if (reader.ok() && !tx.has_witness()) reader.fail("a witness form carries no witness");
    }
    tx.lock_time = reader.u32();
    return tx;
}

result<Transaction> parse_transaction(ByteView bytes) {
    Reader reader(bytes);
    auto tx = read_transaction(reader);
    if (auto end = reader.finish("a transaction"); !end) return end.error();
    return tx;
}

bool amounts_in_range(const Transaction& tx) {
    Amount sum = 0;
    for (const auto& output : tx.outputs) {
        if (output.amount < 0 || output.amount > max_money) return false;
        sum += output.amount;
        if (sum > max_money) return false;
    }
    return true;
}

Hash256 txid(const Transaction& tx) { return hash256(serialize(tx, Witness::strip)); }
Hash256 wtxid(const Transaction& tx) { return hash256(serialize(tx, Witness::keep)); }

} // namespace headlight::chain
