// Changing rows, each together with its share of the seal.
#pragma once

#include "wallet/state.hpp"
#include "wallet/store/seal.hpp"
#include "wallet/store/sqlite.hpp"

namespace headlight::wallet::store {

/// Every call gives SQLite's result code; the caller has begun a transaction.
class SealedRows {
  public:
    int prepare(const Database& database);
    /// The seal of an open file; that of a file of schema 1, which has none, is made from its rows.
    int read_seal(const Database& database, bool is_stored);

    int put_meta(std::string_view name, const Bytes& value);
    int put(const DescriptorState& descriptor);
    int put(const StoredTx& stored);
    int put_label(std::string_view name, std::string_view text); ///< an empty text removes it
    int erase(const chain::Hash256& txid);
    int erase_descriptor(std::uint32_t id);
    /// The last thing in a transaction.
    int put_seal();

    const Seal& seal() const { return seal_; }
    void set_seal(const Seal& seal) { seal_ = seal; } ///< after a rollback

  private:
    struct Statements {
        Statement put, erase, sum; ///< sum: the stored checksum of a key's row
    };
    int prepare(const Database& database, Table table);
    Statements& of(Table table);
    int unseal(Table table);
    int put_row(Table table);

    Seal seal_;
    Statements meta_, descriptors_, transactions_, labels_;
};

} // namespace headlight::wallet::store
