// Calls into SQLite.
#include "wallet/store/sqlite.hpp"

#include "chain/limits.hpp"
#include "wallet/store/crc32.hpp"

#include <array>
#include <sqlite3.h>

namespace headlight::wallet::store {

// The database

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

int Database::open(const std::filesystem::path& path, Access access) {
    sqlite3* handle = nullptr;
    const int mode = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    const int code = sqlite3_open_v2(path.c_str(), &handle, mode | SQLITE_OPEN_FULLMUTEX, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) return code;
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, limits::store_busy_ms);
    // A file from elsewhere may hold anything.
    return run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
}

void Database::keep_log(bool kept) const {
    sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, kept ? 1 : 0, nullptr);
}

int Database::run(const char* sql) const {
    return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
}

std::optional<std::int64_t> Database::number(const char* sql) const {
    Statement statement;
    if (statement.prepare(*this, sql) != SQLITE_OK || statement.next_row() != 1)
        return std::nullopt;
    return statement.number();
}

std::optional<std::string> Database::text(const char* sql) const {
    Statement statement;
    if (statement.prepare(*this, sql) != SQLITE_OK || statement.next_row() != 1)
        return std::nullopt;
    return statement.text();
}

int Database::error_code() const { return sqlite3_extended_errcode(handle_.get()); }
// A COMMIT that fails leaves nothing in sqlite3_system_errno(); the file that refused remembers it.
int Database::system_errno() const {
    if (const int noted = sqlite3_system_errno(handle_.get())) return noted;
    for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
        sqlite3_file* file = nullptr;
        sqlite3_file_control(handle_.get(), "main", which, &file);
        int noted = 0;
        if (file != nullptr && file->pMethods != nullptr)
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &noted);
        if (noted != 0) return noted;
    }
    return 0;
}
std::string Database::error_text() const { return sqlite3_errmsg(handle_.get()); }

// Statements

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

int Statement::prepare(const Database& database, std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    statement_.reset(statement);
    column_ = 0;
    sum_ = 0;
    return code;
}

void Statement::add(char kind, ByteView bytes) {
    // Kind and length first, so that no two rows share one string of bytes.
    std::array<std::uint8_t, 9> prefix{static_cast<std::uint8_t>(kind)};
    for (std::size_t i = 0; i < 8; ++i) {
        prefix[i + 1] = static_cast<std::uint8_t>(std::uint64_t{bytes.size()} >> (8 * i));
    }
    sum_ = crc32(bytes, crc32(prefix, sum_));
}

namespace {

std::array<std::uint8_t, 8> bytes_of(std::int64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
    return bytes;
}

} // namespace

Statement& Statement::bind(std::int64_t value) {
    add('n', bytes_of(value));
    sqlite3_bind_int64(statement_.get(), ++column_, value);
    return *this;
}

Statement& Statement::bind_text(std::string_view value) {
    add('t', as_bytes(value));
    sqlite3_bind_text64(statement_.get(), ++column_, value.empty() ? "" : value.data(),
                        value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind_blob(ByteView value) {
    add('b', value);
    // An empty span may carry a null pointer, which SQLite would take for NULL.
    const void* data = value.empty() ? static_cast<const void*>("") : value.data();
    sqlite3_bind_blob64(statement_.get(), ++column_, data, value.size(), SQLITE_TRANSIENT);
    return *this;
}

Statement& Statement::bind_null() {
    add('0', {});
    sqlite3_bind_null(statement_.get(), ++column_);
    return *this;
}

Statement& Statement::bind_sum() {
    sqlite3_bind_int64(statement_.get(), ++column_, sum_);
    return *this;
}

int Statement::execute() {
    const int code = sqlite3_step(statement_.get());
    reset();
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int Statement::next_row() {
    column_ = 0;
    sum_ = 0;
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return 1;
    return code == SQLITE_DONE ? 0 : -code;
}

bool Statement::is_null() const {
    return sqlite3_column_type(statement_.get(), column_) == SQLITE_NULL;
}

void Statement::skip_null() {
    add('0', {});
    ++column_;
}

std::int64_t Statement::number() {
    const auto value = sqlite3_column_int64(statement_.get(), column_++);
    add('n', bytes_of(value));
    return value;
}

std::string Statement::text() {
    const auto* data =
        reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column_));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column_++));
    std::string value = data == nullptr ? std::string() : std::string(data, size);
    add('t', as_bytes(value));
    return value;
}

Bytes Statement::blob() {
    const auto* data =
        static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column_));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column_++));
    Bytes value = data == nullptr ? Bytes() : Bytes(data, data + size);
    add('b', value);
    return value;
}

bool Statement::sum_holds() { return sqlite3_column_int64(statement_.get(), column_++) == sum_; }

void Statement::reset() {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
    column_ = 0;
    sum_ = 0;
}

} // namespace headlight::wallet::store
