// The VFS of FaultDisk: the system's own behind it, with every changing call counted and judged.
// What it leaves out: files without a name (SQLite's scratch space), shared memory, locks, reads.
#include "tests/sim/disk/fault_disk.hpp"

#include <cstring>
#include <sqlite3.h>

namespace headlight::tests {

namespace {

FaultDisk* the_disk = nullptr;
sqlite3_vfs* system_vfs = nullptr;
sqlite3_vfs fault_vfs;
sqlite3_io_methods methods;

/// In front of the system's own file, in the memory that SQLite gives for both.
struct File {
    sqlite3_file base;
    const char* name; ///< SQLite keeps it as long as the file is open
    bool syncs_name;  ///< SQLite syncs the folder with a journal that it has made
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    const sqlite3_io_methods& calls() { return *real()->pMethods; }
};

File& file_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }

int code_of(int error, int otherwise) { return error == ENOSPC ? SQLITE_FULL : otherwise; }

int on_write(sqlite3_file* handle, const void* data, int size, sqlite3_int64 at) {
    auto& file = file_of(handle);
    const auto verdict = the_disk->count(FaultDisk::Call::write);
    const int part = verdict.error ? (verdict.is_half ? size / 2 : 0) : size;
    if (part > 0) {
        if (const int code = file.calls().xWrite(file.real(), data, part, at)) return code;
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        the_disk->platter().wrote(file.name, {bytes, static_cast<std::size_t>(part)},
                                  static_cast<std::uint64_t>(at));
    }
    return verdict.error ? code_of(verdict.error, SQLITE_IOERR_WRITE) : SQLITE_OK;
}

int on_truncate(sqlite3_file* handle, sqlite3_int64 size) {
    auto& file = file_of(handle);
    const auto verdict = the_disk->count(FaultDisk::Call::other);
    if (verdict.error) return code_of(verdict.error, SQLITE_IOERR_TRUNCATE);
    the_disk->platter().truncated(file.name, static_cast<std::uint64_t>(size));
    return file.calls().xTruncate(file.real(), size);
}

int on_sync(sqlite3_file* handle, int flags) {
    auto& file = file_of(handle);
    const auto verdict = the_disk->count(FaultDisk::Call::other);
    if (verdict.error) return code_of(verdict.error, SQLITE_IOERR_FSYNC);
    the_disk->platter().synced(file.name);
    if (file.syncs_name) {
        the_disk->platter().synced_folder(std::filesystem::path(file.name).parent_path());
        file.syncs_name = false;
    }
    return file.calls().xSync(file.real(), flags);
}

int on_open(sqlite3_vfs*, const char* name, sqlite3_file* handle, int flags, int* out_flags) {
    if (name == nullptr) return system_vfs->xOpen(system_vfs, name, handle, flags, out_flags);
    auto& file = file_of(handle);
    file.base.pMethods = nullptr;
    const auto verdict = the_disk->count(FaultDisk::Call::other);
    if (verdict.error) return SQLITE_CANTOPEN;
    const int code = system_vfs->xOpen(system_vfs, name, file.real(), flags, out_flags);
    if (file.real()->pMethods == nullptr) return code;
    file.name = name;
    file.syncs_name = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
    file.base.pMethods = &methods;
    return code;
}

int on_delete(sqlite3_vfs*, const char* name, int sync_folder) {
    const auto verdict = the_disk->count(FaultDisk::Call::other);
    if (verdict.error) return SQLITE_IOERR_DELETE;
    const int code = system_vfs->xDelete(system_vfs, name, sync_folder);
    if (code != SQLITE_OK) return code;
    the_disk->platter().removed(name);
    if (sync_folder) the_disk->platter().synced_folder(std::filesystem::path(name).parent_path());
    return code;
}

int on_last_error(sqlite3_vfs*, int size, char* text) {
    const int error = the_disk->last_error();
    if (error == 0) return system_vfs->xGetLastError(system_vfs, size, text);
    return error;
}

// What is handed on as it is.

int on_close(sqlite3_file* f) { return file_of(f).calls().xClose(file_of(f).real()); }
int on_read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
    return file_of(f).calls().xRead(file_of(f).real(), to, size, at);
}
int on_size(sqlite3_file* f, sqlite3_int64* size) {
    return file_of(f).calls().xFileSize(file_of(f).real(), size);
}
int on_lock(sqlite3_file* f, int level) {
    return file_of(f).calls().xLock(file_of(f).real(), level);
}
int on_unlock(sqlite3_file* f, int level) {
    return file_of(f).calls().xUnlock(file_of(f).real(), level);
}
int on_check_lock(sqlite3_file* f, int* out) {
    return file_of(f).calls().xCheckReservedLock(file_of(f).real(), out);
}
int on_control(sqlite3_file* f, int what, void* with) {
    return file_of(f).calls().xFileControl(file_of(f).real(), what, with);
}
int on_sector(sqlite3_file* f) { return file_of(f).calls().xSectorSize(file_of(f).real()); }
int on_device(sqlite3_file* f) {
    return file_of(f).calls().xDeviceCharacteristics(file_of(f).real());
}
int on_shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    return file_of(f).calls().xShmMap(file_of(f).real(), page, size, extend, out);
}
int on_shm_lock(sqlite3_file* f, int at, int count, int flags) {
    return file_of(f).calls().xShmLock(file_of(f).real(), at, count, flags);
}
void on_shm_barrier(sqlite3_file* f) { file_of(f).calls().xShmBarrier(file_of(f).real()); }
int on_shm_unmap(sqlite3_file* f, int remove) {
    return file_of(f).calls().xShmUnmap(file_of(f).real(), remove);
}

sqlite3_io_methods make_methods() {
    sqlite3_io_methods made{};
    made.iVersion = 2; // without mapped pages: every write is a call
    made.xClose = on_close;
    made.xRead = on_read;
    made.xWrite = on_write;
    made.xTruncate = on_truncate;
    made.xSync = on_sync;
    made.xFileSize = on_size;
    made.xLock = on_lock;
    made.xUnlock = on_unlock;
    made.xCheckReservedLock = on_check_lock;
    made.xFileControl = on_control;
    made.xSectorSize = on_sector;
    made.xDeviceCharacteristics = on_device;
    made.xShmMap = on_shm_map;
    made.xShmLock = on_shm_lock;
    made.xShmBarrier = on_shm_barrier;
    made.xShmUnmap = on_shm_unmap;
    return made;
}

} // namespace

void install_vfs(FaultDisk& disk) {
    the_disk = &disk;
    system_vfs = sqlite3_vfs_find(nullptr);
    methods = make_methods();
    fault_vfs = *system_vfs; // the calls that only look are the system's
    fault_vfs.pNext = nullptr;
    fault_vfs.zName = "headlight-fault";
    fault_vfs.szOsFile = system_vfs->szOsFile + static_cast<int>(sizeof(File));
    fault_vfs.xOpen = on_open;
    fault_vfs.xDelete = on_delete;
    fault_vfs.xGetLastError = on_last_error;
    sqlite3_vfs_register(&fault_vfs, 1);
}

void remove_vfs() {
    sqlite3_vfs_unregister(&fault_vfs);
    sqlite3_vfs_register(system_vfs, 1);
    the_disk = nullptr;
}

} // namespace headlight::tests
