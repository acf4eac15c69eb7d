// A thin skin over SQLite: what closes itself, what binds and reads in order, and a checksum over
// every row, because a flipped bit in a stored number is otherwise as good as the number.
#pragma once

#include "chain/bytes.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace headlight::wallet::store {

class Database {
  public:
    enum class Access { read_only, read_write };
    /// SQLite's result code; the object can be asked for the reason also when it is not 0.
    int open(const std::filesystem::path& path, Access access);
    /// Whether closing leaves the log as it is, rather than write it back and remove it.
    void keep_log(bool kept) const;
    int run(const char* sql) const;
    /// A PRAGMA's (or other one-row query's) first column.
    std::optional<std::int64_t> number(const char* sql) const;
    std::optional<std::string> text(const char* sql) const;

    sqlite3* handle() const { return handle_.get(); }
    int error_code() const;   ///< extended
    int system_errno() const; ///< 0: the system refused nothing, or SQLite did not note what
    std::string error_text() const;

  private:
    struct Closer {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<sqlite3, Closer> handle_;
};

/// Values are bound and columns read from left to right; both go into the row's checksum, which is
/// the last column.
class Statement {
  public:
    int prepare(const Database& database, std::string_view sql);

    Statement& bind(std::int64_t value);
    Statement& bind_text(std::string_view value);
    Statement& bind_blob(ByteView value);
    Statement& bind_null();
    Statement& bind_sum();
    std::uint32_t sum() const { return sum_; } ///< of what was bound or read for this row
    /// Runs a statement that gives no rows, and makes it ready for the next values.
    int execute();

    /// 0 at the end, 1 for a row, else the negated SQLite code.
    int next_row();
    bool is_null() const; ///< the next column
    void skip_null();
    std::int64_t number();
    std::string text();
    Bytes blob();
    /// Reads the last column: whether it is the checksum of those read before.
    bool sum_holds();
    void reset();

  private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const;
    };
    void add(char kind, ByteView bytes);

    std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
    int column_ = 0;
    std::uint32_t sum_ = 0;
};

} // namespace headlight::wallet::store
