// Creating, opening, loading and changing a wallet file.
#include "wallet/store/wallet_db.hpp"

#include "wallet/store/file_system.hpp"
#include "wallet/store/rows.hpp"
#include "wallet/store/schema.hpp"
#include "wallet/store/sealed_rows.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

namespace headlight::wallet::store {

namespace {

std::filesystem::path beside(const std::filesystem::path& path, std::string_view ending) {
    auto name = path;
    name += ending;
    return name;
}

bool file_exists(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// The wallet for this process alone. A file beside it: closing another descriptor of the database
/// itself would drop SQLite's own locks (POSIX record locks).
result<FileDescriptor> lock_wallet(const std::filesystem::path& path) {
    const auto lock_path = beside(path, ".lock");
    auto file = open_file(lock_path, O_RDWR | O_CREAT);
    if (!file.is_open()) return file_error("cannot open", lock_path, errno);
    if (const int error = lock_file(file)) {
        if (error == EAGAIN) return in_use_error(path);
        return file_error("cannot lock", lock_path, error);
    }
    return file;
}

class SqliteWallet final : public WalletDb {
  public:
    explicit SqliteWallet(std::filesystem::path path) : path_(std::move(path)) {}

    void hold(FileDescriptor lock) { lock_ = std::move(lock); }
    result<void> open(Mode mode);
    /// Into an empty database.
    result<void> fill(const WalletState& state, const DescriptorSource& more);

    result<WalletState> load(const TakeLoaded& take) override;
    result<void> apply(const WalletChanges& changes, const DescriptorSource& more) override;

  private:
    Error failure(std::string_view action) const { return sqlite_error(action, path_, database_); }
    Error part_missing() const { return damaged_wallet(path_, "a part of its state is missing"); }
    result<void> upgrade();
    int put_identity(const WalletState& state);
    int write(const WalletChanges& changes, const DescriptorSource& more);
    int write_meta(const WalletChanges& changes);
    int write_rows(const WalletChanges& changes);
    int write_descriptors(const DescriptorSource& source);

    template <class Read>
    result<void> for_rows(Table table, std::string_view sql, Seal& seal, Read read);
    result<void> load_into(WalletState& state, const TakeLoaded& take);
    result<void> load_meta(WalletState& state, Seal& seal);
    result<void> load_descriptors(const WalletState& so_far, Seal& seal, const TakeLoaded& take);
    result<void> load_rows(WalletState& state, Seal& seal);
    result<void> check_seal(const Seal& found);

    std::filesystem::path path_;
    Mode mode_ = Mode::read_write;
    FileDescriptor lock_;
    Database database_;
    SealedRows rows_;
    int version_ = schema_version;
};

// Opening

result<void> SqliteWallet::open(Mode mode) {
    mode_ = mode;
    const bool writes = mode == Mode::read_write;
    if (writes) ::chmod(path_.c_str(), 0600); // it may have been copied here
    const auto access = writes ? Database::Access::read_write : Database::Access::read_only;
    if (database_.open(path_, access) != SQLITE_OK) return failure("cannot open");
    database_.keep_log(true); // damaged files stay as they are, until load() finds them whole
    const auto version = check_schema(database_, path_);
    if (!version) return version.error();
    version_ = *version;
    if (!writes) return {};
    // WAL with FULL: a commit is on the disk when it returns.
    if (database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") != SQLITE_OK ||
        rows_.prepare(database_) != SQLITE_OK) {
        return failure("cannot open");
    }
    const int code = rows_.read_seal(database_, version_ >= first_sealed_version);
    if (code == SQLITE_CORRUPT) return damaged_wallet(path_, "its seal is missing or broken");
    if (code != SQLITE_OK) return failure("cannot open");
    return version_ == schema_version ? result<void>() : upgrade();
}

/// To the newest schema. What was not known before is as in a new wallet.
result<void> SqliteWallet::upgrade() {
    // No checksum covers the version: rows that it did not have belong to a newer one.
    const auto metas = database_.number("SELECT count(*) FROM meta WHERE name<>'seal'");
    if (!metas) return failure("cannot open");
    if (static_cast<std::size_t>(*metas) != meta_rows(version_)) return part_missing();
    const WalletState fresh;
    int code = database_.run("BEGIN IMMEDIATE");
    if (code == SQLITE_OK && version_ < first_sealed_version) {
        code = rows_.put_meta("checked_to", encode(fresh.checked_to));
    }
    if (code == SQLITE_OK) code = rows_.put_meta("parts", encode_parts(fresh.filter));
    if (code == SQLITE_OK) code = rows_.put_seal();
    if (code == SQLITE_OK) code = set_version(database_);
    if (code == SQLITE_OK) code = database_.run("COMMIT");
    if (code != SQLITE_OK) return failure("cannot open");
    version_ = schema_version;
    return {};
}

result<void> SqliteWallet::fill(const WalletState& state, const DescriptorSource& more) {
    if (database_.open(path_, Database::Access::read_write) != SQLITE_OK ||
        database_.run("PRAGMA synchronous = FULL; BEGIN IMMEDIATE") != SQLITE_OK ||
        create_schema(database_) != SQLITE_OK || rows_.prepare(database_) != SQLITE_OK ||
        put_identity(state) != SQLITE_OK) {
        return failure("cannot create");
    }
    WalletChanges all;
    all.descriptors = state.descriptors;
    all.transactions = state.transactions;
    all.labels = state.labels;
    all.scan = state.scan;
    all.scan_trail = state.scan_trail;
    all.rescan = state.rescan;
    all.rescan_other = state.rescan_other;
    all.filter = state.filter;
    all.checked_to = state.checked_to;
    if (write(all, more) != SQLITE_OK || database_.run("COMMIT") != SQLITE_OK) {
        return failure("cannot create");
    }
    return {};
}

// Writing

result<void> SqliteWallet::apply(const WalletChanges& changes, const DescriptorSource& more) {
    if (changes.empty() && !more) return {};
    if (mode_ == Mode::read_only) {
        return Error{errc::bad_argument,
                     "the changes for " + path_.string() + " cannot be stored",
                     "the wallet is open for reading only",
                     {}};
    }
    const auto seal = rows_.seal();
    if (database_.run("BEGIN IMMEDIATE") == SQLITE_OK && write(changes, more) == SQLITE_OK &&
        database_.run("COMMIT") == SQLITE_OK) {
        return {};
    }
    auto error = failure("cannot write");
    database_.run("ROLLBACK"); // where SQLite has not done so by itself
    rows_.set_seal(seal);
    return error;
}

int SqliteWallet::put_identity(const WalletState& state) {
    int code = rows_.put_meta("network", encode(state.network));
    if (code == SQLITE_OK) code = rows_.put_meta("fingerprint", encode(state.fingerprint));
    if (code == SQLITE_OK) code = rows_.put_meta("created", encode(state.created));
    return code;
}

int SqliteWallet::write(const WalletChanges& changes, const DescriptorSource& more) {
    int code = write_meta(changes);
    if (code == SQLITE_OK) code = write_rows(changes);
    if (code == SQLITE_OK && more) code = write_descriptors(more);
    return code == SQLITE_OK ? rows_.put_seal() : code;
}

int SqliteWallet::write_meta(const WalletChanges& changes) {
    int code = SQLITE_OK;
    const auto put = [&](std::string_view name, const auto& value) {
        if (value && code == SQLITE_OK) code = rows_.put_meta(name, encode(*value));
    };
    put("scan", changes.scan);
    put("scan_trail", changes.scan_trail);
    put("rescan", changes.rescan);
    put("rescan_other", changes.rescan_other);
    put("filter", changes.filter);
    if (changes.filter && code == SQLITE_OK) {
        code = rows_.put_meta("parts", encode_parts(*changes.filter));
    }
    put("checked_to", changes.checked_to);
    return code;
}

int SqliteWallet::write_rows(const WalletChanges& changes) {
    for (const auto& descriptor : changes.descriptors) {
        if (const int code = rows_.put(descriptor)) return code;
    }
    for (const auto id : changes.removed) {
        if (const int code = rows_.erase_descriptor(id)) return code;
    }
    for (const auto& txid : changes.erased) {
        if (const int code = rows_.erase(txid)) return code;
    }
    for (const auto& stored : changes.transactions) {
        if (const int code = rows_.put(stored)) return code;
    }
    for (const auto& [name, text] : changes.labels) {
        if (const int code = rows_.put_label(name, text)) return code;
    }
    return SQLITE_OK;
}

int SqliteWallet::write_descriptors(const DescriptorSource& source) {
    int code = SQLITE_OK;
    source([&](const DescriptorState& descriptor) {
        code = rows_.put(descriptor);
        return code == SQLITE_OK;
    });
    return code;
}

// Reading

/// `read` gives an error that ends the reading, or whether the row holds together.
template <class Read>
result<void> SqliteWallet::for_rows(Table table, std::string_view sql, Seal& seal, Read read) {
    Statement statement;
    if (statement.prepare(database_, sql) != SQLITE_OK) return failure("cannot read");
    int row = 0;
    while ((row = statement.next_row()) == 1) {
        const result<bool> holds = read(statement);
        if (!holds) return holds.error();
        if (!*holds) return damaged_wallet(path_, "a stored row fails its checksum");
        seal.add(table, statement.sum());
    }
    if (row < 0) return failure("cannot read");
    return {};
}

result<WalletState> SqliteWallet::load(const TakeLoaded& take) {
    WalletState state;
    // One snapshot, whoever writes meanwhile.
    if (database_.run("BEGIN") != SQLITE_OK) return failure("cannot read");
    const auto loaded = load_into(state, take);
    database_.run("COMMIT");
    if (!loaded) return loaded.error();
    database_.keep_log(false);
    return state;
}

result<void> SqliteWallet::load_into(WalletState& state, const TakeLoaded& take) {
    Seal seal;
    auto done = load_meta(state, seal);
    if (done) done = load_descriptors(state, seal, take);
    if (done) done = load_rows(state, seal);
    return done ? check_seal(seal) : done;
}

result<void> SqliteWallet::load_meta(WalletState& state, Seal& seal) {
    std::size_t metas = 0;
    const auto done = for_rows(Table::meta, sql::all_meta, seal, [&](Statement& row) {
        const auto name = row.text();
        const auto value = row.blob();
        ++metas;
        return row.sum_holds() && decode_meta(name, value, state);
    });
    if (done && metas != meta_rows(version_)) return part_missing();
    return done;
}

result<void> SqliteWallet::load_descriptors(const WalletState& so_far, Seal& seal,
                                            const TakeLoaded& take) {
    std::uint32_t next = 0;
    return for_rows(Table::descriptors, sql::all_descriptors, seal,
                    [&](Statement& row) -> result<bool> {
                        const auto descriptor = read_descriptor(row);
                        if (!descriptor) return false;
                        // A gap is a descriptor that was removed; without a seal, it may be a lost
                        // row as well.
                        const bool sealed = version_ >= first_sealed_version;
                        if (!sealed && descriptor->id != next++) return false;
                        if (const auto taken = take(so_far, *descriptor); !taken)
                            return taken.error();
                        return true;
                    });
}

result<void> SqliteWallet::load_rows(WalletState& state, Seal& seal) {
    auto done = for_rows(Table::transactions, sql::all_transactions, seal, [&](Statement& row) {
        auto stored = read_transaction_row(row);
        if (!stored) return false;
        state.transactions.push_back(std::move(*stored));
        return true;
    });
    if (done) {
        done = for_rows(Table::labels, sql::all_labels, seal, [&](Statement& row) {
            const auto name = row.text();
            state.labels[name] = row.text();
            return row.sum_holds();
        });
    }
    return done;
}

result<void> SqliteWallet::check_seal(const Seal& found) {
    if (version_ < first_sealed_version) return {}; // open for reading, not upgraded yet
    Statement row;
    if (row.prepare(database_, sql::seal) != SQLITE_OK) return failure("cannot read");
    const int code = row.next_row();
    if (code < 0) return failure("cannot read");
    const auto seal = code == 1 ? read_seal_row(row) : std::nullopt;
    if (!seal) return damaged_wallet(path_, "its seal is missing or broken");
    if (*seal == found) return {};
    return damaged_wallet(path_, "rows are missing, or are older than the others");
}

// A new file takes its name only when it is whole.

result<void> name_for_good(const std::filesystem::path& from, const std::filesystem::path& to,
                           FileSystem& system) {
    // A log left behind by a deleted database of this name must not be replayed into the new one.
    system.remove(beside(to, "-wal"));
    system.remove(beside(to, "-shm"));
    if (const int error = system.rename(from, to)) return file_error("cannot create", to, error);
    if (const int error = system.sync_folder(to.parent_path())) {
        return file_error("cannot create", to, error);
    }
    return {};
}

result<void> write_new_file(const std::filesystem::path& path, const WalletState& state,
                            FileSystem& system, const DescriptorSource& more) {
    const auto draft = beside(path, ".creating");
    const auto clean = [&] {
        system.remove(draft);
        system.remove(beside(draft, "-journal"));
    };
    clean(); // what a crash left
    if (!open_file(draft, O_RDWR | O_CREAT | O_EXCL).is_open()) {
        return file_error("cannot create", draft, errno);
    }
    auto filled = SqliteWallet(draft).fill(state, more);
    if (filled) filled = name_for_good(draft, path, system);
    if (!filled) clean();
    return filled;
}

Error exists_error(const std::filesystem::path& path) {
    return {errc::wallet_exists, path.string() + " exists already", "a wallet is never overwritten",
            "Choose another --wallet NAME, or move the file away"};
}

} // namespace

result<WalletState> WalletDb::load() {
    std::vector<DescriptorState> descriptors;
    auto state = load([&](const WalletState&, const DescriptorState& descriptor) -> result<void> {
        descriptors.push_back(descriptor);
        return {};
    });
    if (state) state->descriptors = std::move(descriptors);
    return state;
}

result<void> WalletDb::apply(const WalletChanges& changes) { return apply(changes, {}); }

result<std::unique_ptr<WalletDb>> WalletDb::create(const std::filesystem::path& path,
                                                   const WalletState& state, FileSystem& system,
                                                   const DescriptorSource& more) {
    if (file_exists(path)) return exists_error(path);
    if (const auto made = make_folders_for(path); !made) return made.error();
    auto lock = lock_wallet(path);
    if (!lock) return lock.error();
    if (file_exists(path)) return exists_error(path); // made while we came for the lock
    auto made = write_new_file(path, state, system, more);
    auto wallet = std::make_unique<SqliteWallet>(path);
    if (made) made = wallet->open(Mode::read_write);
    if (!made) {
        // Nobody is told its mnemonic now: coins sent there would be lost.
        wallet.reset();
        for (const auto* ending : {"", "-wal", "-shm"})
            system.remove(beside(path, ending));
        return made.error();
    }
    wallet->hold(std::move(*lock));
    return std::unique_ptr<WalletDb>(std::move(wallet));
}

result<std::unique_ptr<WalletDb>> WalletDb::open(const std::filesystem::path& path, Mode mode) {
    if (!file_exists(path)) {
        return Error{errc::wallet_missing, "no wallet at " + path.string(), "the file is not there",
                     "Make it with `headlight create` or `headlight watch`, or name another one "
                     "with --wallet"};
    }
    auto wallet = std::make_unique<SqliteWallet>(path);
    if (mode == Mode::read_write) {
        auto lock = lock_wallet(path);
        if (!lock) return lock.error();
        wallet->hold(std::move(*lock));
    }
    if (const auto opened = wallet->open(mode); !opened) return opened.error();
    return std::unique_ptr<WalletDb>(std::move(wallet));
}

} // namespace headlight::wallet::store
