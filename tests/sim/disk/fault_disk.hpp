// A disk that fails on command. Every call of the store that changes something is counted, those of
// the header file (wallet::store::FileSystem) and those of SQLite (a VFS, the default one while
// this lives) together; the n-th one fails, or the process dies there, or the power goes.
#pragma once

#include "tests/sim/disk/platter.hpp"
#include "wallet/store/file_system.hpp"

#include <cerrno>
#include <string>

namespace headlight::tests {

struct DiskFault {
    enum class Kind {
        none,
        once,  ///< this call fails; a write has written a half before
        full,  ///< from this call on every write fails so
        death, ///< of the process: half of this call is done, and none after it
        power, ///< the same, and of what was not synced anything may be lost or torn
    };
    Kind kind = Kind::none;
    int call = 0; ///< from 0
    int error = EIO;
    std::uint64_t seed = 1; ///< what the power cut leaves
};

class FaultDisk : public wallet::store::FileSystem {
  public:
    explicit FaultDisk(std::filesystem::path folder);
    ~FaultDisk() override;
    FaultDisk(const FaultDisk&) = delete;
    FaultDisk& operator=(const FaultDisk&) = delete;

    /// Counts anew; everything in the folder is durable as it is.
    void begin(DiskFault fault);
    int calls() const { return calls_; }
    bool struck() const { return calls_ > fault_.call && fault_.kind != DiskFault::Kind::none; }
    bool is_dead() const { return dead_; }
    /// The machine is up again and the disk is whole. Nobody has the files open.
    void restart();

    int write(int file, ByteView data, std::uint64_t at) override;
    int sync(int file) override;
    int truncate(int file, std::uint64_t size) override;
    int rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
    int remove(const std::filesystem::path& path) override;
    int sync_folder(const std::filesystem::path& folder) override;

    // For the VFS.
    enum class Call { write, other };
    struct Verdict {
        int error = 0;        ///< an errno; 0: go on
        bool is_half = false; ///< a write that fails does so after its half
    };
    Verdict count(Call call);
    Platter& platter() { return *platter_; }
    int last_error() const { return last_error_; }

  private:
    Verdict judge(Call call, int number);

    std::filesystem::path folder_;
    DiskFault fault_;
    int calls_ = 0;
    bool dead_ = false;
    int last_error_ = 0;
    std::unique_ptr<Platter> platter_;
};

/// Registers a VFS for `disk` as SQLite's default one.
void install_vfs(FaultDisk& disk);
/// The system's own is the default one again. No database is open.
void remove_vfs();

} // namespace headlight::tests
