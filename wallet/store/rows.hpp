// The wallet's values as rows. Readers give nothing for a row that does not hold together.
#pragma once

#include "wallet/state.hpp"
#include "wallet/store/seal.hpp"
#include "wallet/store/sqlite.hpp"

namespace headlight::wallet::store {

namespace sql {
inline constexpr std::string_view put_meta =
    "INSERT INTO meta VALUES(?,?,?) ON CONFLICT(name) DO UPDATE SET value=excluded.value,"
    " crc=excluded.crc";
inline constexpr std::string_view put_descriptor =
    "INSERT OR REPLACE INTO descriptors VALUES(?,?,?,?,?,?,?,?)";
inline constexpr std::string_view put_transaction =
    "INSERT OR REPLACE INTO transactions VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)";
inline constexpr std::string_view put_label = "INSERT OR REPLACE INTO labels VALUES(?,?,?)";
inline constexpr std::string_view erase_descriptor = "DELETE FROM descriptors WHERE id=?";
inline constexpr std::string_view erase_transaction = "DELETE FROM transactions WHERE txid=?";
inline constexpr std::string_view erase_label = "DELETE FROM labels WHERE name=?";
inline constexpr std::string_view seal = "SELECT * FROM meta WHERE name='seal'";
inline constexpr std::string_view all_meta = "SELECT * FROM meta WHERE name<>'seal'";
inline constexpr std::string_view all_descriptors = "SELECT * FROM descriptors ORDER BY id";
inline constexpr std::string_view all_transactions = "SELECT * FROM transactions ORDER BY txid";
inline constexpr std::string_view all_labels = "SELECT * FROM labels";
} // namespace sql

void bind_row(Statement& statement, const DescriptorState& descriptor);
void bind_row(Statement& statement, const StoredTx& stored);
std::optional<DescriptorState> read_descriptor(Statement& row);
std::optional<StoredTx> read_transaction_row(Statement& row); ///< its txid is computed and compared
std::optional<Seal> read_seal_row(Statement& row);

// The values of meta.
Bytes encode(const ScanPosition& position);
Bytes encode(const std::vector<ScanPosition>& trail);
Bytes encode(const std::optional<Birthday>& birthday);
Bytes encode(const FilterParameters& filter);
/// What schema 3 knows beyond that.
Bytes encode_parts(const FilterParameters& filter);
Bytes encode(std::int64_t number);
Bytes encode(const std::string& text);

/// Puts one value of meta in its place. False for an unknown name, and for bytes that do not decode
/// or mean nothing.
bool decode_meta(const std::string& name, ByteView value, WalletState& state);
/// How many rows meta has beside the seal, in this version of the schema: each added one.
constexpr std::size_t meta_rows(int version) { return static_cast<std::size_t>(7 + version); }

} // namespace headlight::wallet::store
