// The schema. Every table ends in a column `crc`, the checksum of the row's other columns
// (sqlite.hpp).
#include "wallet/store/schema.hpp"

#include "wallet/store/file_system.hpp"

#include <array>
#include <cerrno>
#include <set>
#include <sqlite3.h>

namespace headlight::wallet::store {

namespace {

constexpr std::int64_t application_id = 0x484c7761; // "HLwa"

constexpr std::array<std::string_view, 4> tables{
    // network, fingerprint, created, scan, scan_trail, rescan, rescan_other, filter, parts,
    // checked_to, seal
    "CREATE TABLE meta(name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL,"
    " crc INTEGER NOT NULL) STRICT",
    // branches: for each, highest_used (i64) and derived (u32), little-endian
    "CREATE TABLE descriptors(id INTEGER PRIMARY KEY NOT NULL, descriptor TEXT NOT NULL,"
    " gap INTEGER NOT NULL, birthday_kind INTEGER NOT NULL, birthday INTEGER NOT NULL,"
    " generated INTEGER NOT NULL, branches BLOB NOT NULL, crc INTEGER NOT NULL) STRICT",
    // raw: BIP-144; lost_parents and branch: 32 bytes each; height and what follows: null if
    // unconfirmed
    "CREATE TABLE transactions(txid BLOB PRIMARY KEY NOT NULL, raw BLOB NOT NULL,"
    " first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, abandoned INTEGER NOT NULL,"
    " lost_parents BLOB NOT NULL, height INTEGER, block BLOB, time INTEGER, position INTEGER,"
    " total INTEGER, branch BLOB, crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE labels(name TEXT PRIMARY KEY NOT NULL, label TEXT NOT NULL,"
    " crc INTEGER NOT NULL) STRICT",
};

/// Exactly our tables: a changed text is damage, or somebody else's work.
result<void> compare_tables(const Database& database, const std::filesystem::path& path) {
    Statement statement;
    if (statement.prepare(database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") !=
        SQLITE_OK) {
        return sqlite_error("cannot read", path, database);
    }
    std::multiset<std::string> found;
    int row = 0;
    while ((row = statement.next_row()) == 1)
        found.insert(statement.text());
    if (row < 0) return sqlite_error("cannot read", path, database);
    if (found != std::multiset<std::string>(tables.begin(), tables.end())) {
        return damaged_wallet(path, "its tables are not a wallet's");
    }
    return {};
}

} // namespace

int create_schema(const Database& database) {
    std::string sql = "PRAGMA application_id = " + std::to_string(application_id) +
                      "; PRAGMA user_version = " + std::to_string(schema_version);
    for (const auto table : tables)
        sql.append(";").append(table);
    return database.run(sql.c_str());
}

int set_version(const Database& database) {
    return database.run(("PRAGMA user_version = " + std::to_string(schema_version)).c_str());
}

result<int> check_schema(const Database& database, const std::filesystem::path& path) {
    const auto id = database.number("PRAGMA application_id");
    if (!id) return sqlite_error("cannot read", path, database);
    if (*id != application_id) return damaged_wallet(path, "it is not a headlight wallet");
    const auto version = database.number("PRAGMA user_version");
    if (!version) return sqlite_error("cannot read", path, database);
    if (*version > schema_version) {
        return Error{errc::damaged, path.string() + " cannot be read by this version of headlight",
                     "a newer one wrote it (schema " + std::to_string(*version) +
                         ", this one knows " + std::to_string(schema_version) + ")",
                     "Use the newer headlight"};
    }
    if (*version < first_schema_version)
        return damaged_wallet(path, "its schema has no known version");
    if (const auto same = compare_tables(database, path); !same) return same.error();
    // The quick check would not hold indexes against their tables: a row that its index does not
    // know would be stored a second time.
    const auto verdict = database.text("PRAGMA integrity_check(1)");
    if (!verdict) return sqlite_error("cannot read", path, database);
    if (*verdict != "ok") return damaged_wallet(path, *verdict);
    return static_cast<int>(*version);
}

Error damaged_wallet(const std::filesystem::path& path, std::string cause) {
    return {errc::damaged, path.string() + " is damaged", std::move(cause),
            "Move it away and restore the wallet from its mnemonic or descriptors: the history is "
            "scanned again"};
}

Error sqlite_error(std::string_view action, const std::filesystem::path& path,
                   const Database& database) {
    const int code = database.error_code();
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        return damaged_wallet(path, database.error_text());
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return in_use_error(path);
    case SQLITE_FULL:
        return file_error(action, path, ENOSPC);
    default:
        break;
    }
    if (is_full(database.system_errno())) return file_error(action, path, database.system_errno());
    const bool forbidden = (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN ||
                           (code & 0xff) == SQLITE_PERM;
    const int refusal = database.system_errno();
    if (forbidden) return file_error(action, path, refusal != 0 ? refusal : EACCES);
    return {errc::io, std::string(action) + " " + path.string(), database.error_text(),
            "Check the disk"};
}

} // namespace headlight::wallet::store
