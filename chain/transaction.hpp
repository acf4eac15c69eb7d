// Transactions: the plain values, and their two encodings (BIP-144).
#pragma once

#include "chain/hash.hpp"
#include "chain/result.hpp"
#include "chain/serialize.hpp"

#include <array>
#include <compare>
#include <vector>

namespace headlight::chain {

/// 21 million coins; no amount, and no sum of a transaction's amounts, is above it.
inline constexpr Amount max_money = 2'100'000'000'000'000;

/// An output's name: the transaction that made it and its place in there.
struct OutPoint {
    Hash256 txid;
    std::uint32_t index = 0;

    friend auto operator<=>(const OutPoint&, const OutPoint&) = default;

    bool is_null() const { return txid.is_null() && index == 0xffffffff; }
    /// txid in wire order, then the index as u32 LE: what BIP-37 puts into a filter.
    std::array<std::uint8_t, 36> bytes() const;
    /// "txid:index".
    std::string to_string() const;
};

struct TxIn {
    OutPoint prevout;
    Bytes script_sig;
    std::uint32_t sequence = 0xffffffff;
    std::vector<Bytes> witness;

    friend bool operator==(const TxIn&, const TxIn&) = default;
};

struct TxOut {
    Amount amount = 0;
    Bytes script_pubkey;

    friend bool operator==(const TxOut&, const TxOut&) = default;
};

struct Transaction {
    std::int32_t version = 2;
    std::vector<TxIn> inputs;
    std::vector<TxOut> outputs;
    std::uint32_t lock_time = 0;

    friend bool operator==(const Transaction&, const Transaction&) = default;

    bool has_witness() const;
    bool is_coinbase() const { return inputs.size() == 1 && inputs[0].prevout.is_null(); }
};

enum class Witness { keep, strip };

/// The bytes of a transaction; with Witness::keep in the BIP-144 form when it has a witness.
Bytes serialize(const Transaction& tx, Witness witness = Witness::keep);

/// Reads one transaction and leaves the reader behind it. A failed reader says why.
Transaction read_transaction(Reader& reader);
/// Reads one transaction that fills `bytes` whole. No rule of consensus is checked beyond the form.
result<Transaction> parse_transaction(ByteView bytes);

/// Whether every amount and their sum lie in 0..max_money.
bool amounts_in_range(const Transaction& tx);

/// Double SHA-256 without the witness: the name that merkle trees hold.
Hash256 txid(const Transaction& tx);
/// Double SHA-256 with the witness (BIP-141).
Hash256 wtxid(const Transaction& tx);

} // namespace headlight::chain
