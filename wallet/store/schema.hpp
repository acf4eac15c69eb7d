// The wallet file's tables, and whether a file has exactly these.
#pragma once

#include "chain/result.hpp"
#include "wallet/store/sqlite.hpp"

namespace headlight::wallet::store {

/// 1 had no seal (seal.hpp), and did not know of a second peer; 2 knew one filter only.
inline constexpr int schema_version = 3;
inline constexpr int first_schema_version = 1;
inline constexpr int first_sealed_version = 2;

/// Writes application id, version and tables into an empty database. SQLite's result code.
int create_schema(const Database& database);
int set_version(const Database& database); ///< the newest one

/// The version. Error damaged: no wallet, another schema, or a file that fails SQLite's integrity
/// check.
result<int> check_schema(const Database& database, const std::filesystem::path& path);

/// What a failed call means; `action` as "cannot write".
Error sqlite_error(std::string_view action, const std::filesystem::path& path,
                   const Database& database);
Error damaged_wallet(const std::filesystem::path& path, std::string cause);

} // namespace headlight::wallet::store
