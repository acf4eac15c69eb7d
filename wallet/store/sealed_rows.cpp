#include "wallet/store/sealed_rows.hpp"

#include "wallet/store/rows.hpp"

#include <array>
#include <sqlite3.h>

namespace headlight::wallet::store {

namespace {

constexpr std::string_view seal_name = "seal";

struct TableSql {
    Table table;
    std::string_view put, erase, sum, all_sums;
};
constexpr std::array<TableSql, 4> table_sql{{
    {Table::meta,
     sql::put_meta,
     {},
     "SELECT crc FROM meta WHERE name=?",
     "SELECT crc FROM meta WHERE name<>'seal'"},
    {Table::descriptors, sql::put_descriptor, sql::erase_descriptor,
     "SELECT crc FROM descriptors WHERE id=?", "SELECT crc FROM descriptors"},
    {Table::transactions, sql::put_transaction, sql::erase_transaction,
     "SELECT crc FROM transactions WHERE txid=?", "SELECT crc FROM transactions"},
    {Table::labels, sql::put_label, sql::erase_label, "SELECT crc FROM labels WHERE name=?",
     "SELECT crc FROM labels"},
}};

/// Adds up the checksums that rows carry.
int add_stored_sums(const Database& database, Seal& seal) {
    for (const auto& sql : table_sql) {
        Statement sums;
        if (const int code = sums.prepare(database, sql.all_sums)) return code;
        int row = 0;
        while ((row = sums.next_row()) == 1)
            seal.add(sql.table, static_cast<std::uint32_t>(sums.number()));
        if (row < 0) return -row;
    }
    return SQLITE_OK;
}

} // namespace

int SealedRows::prepare(const Database& database) {
    for (const auto& sql : table_sql) {
        auto& statements = of(sql.table);
        const std::pair<Statement*, std::string_view> all[] = {
            {&statements.put, sql.put}, {&statements.erase, sql.erase}, {&statements.sum, sql.sum}};
        for (const auto& [statement, text] : all) {
            if (text.empty()) continue;
            if (const int code = statement->prepare(database, text)) return code;
        }
    }
    return SQLITE_OK;
}

int SealedRows::read_seal(const Database& database, bool is_stored) {
    Statement row;
    if (const int code = row.prepare(database, sql::seal)) return code;
    const int found = row.next_row();
    if (found < 0) return -found;
    if (is_stored != (found == 1)) return SQLITE_CORRUPT;
    seal_ = {};
    if (!is_stored) return add_stored_sums(database, seal_);
    const auto read = read_seal_row(row);
    if (!read) return SQLITE_CORRUPT;
    seal_ = *read;
    return SQLITE_OK;
}

SealedRows::Statements& SealedRows::of(Table table) {
    switch (table) {
    case Table::meta:
        return meta_;
    case Table::descriptors:
        return descriptors_;
    case Table::transactions:
        return transactions_;
    case Table::labels:
        break;
    }
    return labels_;
}

/// The key is bound to the statement `sum`: its row, if there is one, is about to go.
int SealedRows::unseal(Table table) {
    auto& sum = of(table).sum;
    const int row = sum.next_row();
    if (row == 1) seal_.remove(table, static_cast<std::uint32_t>(sum.number()));
    sum.reset();
    return row < 0 ? -row : SQLITE_OK;
}

/// The row is bound to the statement `put`.
int SealedRows::put_row(Table table) {
    auto& put = of(table).put;
    seal_.add(table, put.sum());
    return put.execute();
}

int SealedRows::put_meta(std::string_view name, const Bytes& value) {
    meta_.sum.bind_text(name);
    if (const int code = unseal(Table::meta)) return code;
    meta_.put.bind_text(name).bind_blob(value).bind_sum();
    return put_row(Table::meta);
}

int SealedRows::put(const DescriptorState& descriptor) {
    descriptors_.sum.bind(descriptor.id);
    if (const int code = unseal(Table::descriptors)) return code;
    bind_row(descriptors_.put, descriptor);
    return put_row(Table::descriptors);
}

int SealedRows::put(const StoredTx& stored) {
    transactions_.sum.bind_blob(stored.txid.bytes);
    if (const int code = unseal(Table::transactions)) return code;
    bind_row(transactions_.put, stored);
    return put_row(Table::transactions);
}

int SealedRows::put_label(std::string_view name, std::string_view text) {
    labels_.sum.bind_text(name);
    if (const int code = unseal(Table::labels)) return code;
    if (text.empty()) return labels_.erase.bind_text(name).execute();
    labels_.put.bind_text(name).bind_text(text).bind_sum();
    return put_row(Table::labels);
}

int SealedRows::erase(const chain::Hash256& txid) {
    transactions_.sum.bind_blob(txid.bytes);
    if (const int code = unseal(Table::transactions)) return code;
    return transactions_.erase.bind_blob(txid.bytes).execute();
}

int SealedRows::erase_descriptor(std::uint32_t id) {
    descriptors_.sum.bind(id);
    if (const int code = unseal(Table::descriptors)) return code;
    return descriptors_.erase.bind(id).execute();
}

int SealedRows::put_seal() {
    return meta_.put.bind_text(seal_name).bind_blob(seal_.encode()).bind_sum().execute();
}

} // namespace headlight::wallet::store
