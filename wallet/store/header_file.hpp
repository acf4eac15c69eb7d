// The header file: one fixed record a header, appended, mapped for reading. A torn tail is cut off
// at open; anything worse than a torn tail is said once and the file is started anew, the old one
// being kept beside it as <name>.damaged (headers can be had again; wallets are not touched).
#pragma once

#include "chain/header_tree.hpp"

#include <filesystem>
#include <memory>

namespace headlight::wallet::store {

class FileSystem;

class HeaderFile : public chain::HeaderArchive {
  public:
    enum class Mode { read_only, read_write };

    struct Opened {
        std::unique_ptr<HeaderFile> file;
        std::string
            notice; ///< one line for people when something was healed or rebuilt; else empty
    };
    /// Read-write takes a lock on the file (error in_use when another process has it). A missing
    /// file is an empty one; in read_only mode nothing is created, healed or rebuilt on disk (the
    /// notice says so). Errors: in_use, io, disk_full.
    static result<Opened> open(const std::filesystem::path& path, const chain::Network& network,
                               Mode mode);
    /// The same through another set of system calls, which outlives the file: tests make them fail.
    static result<Opened> open(const std::filesystem::path& path, const chain::Network& network,
                               Mode mode, FileSystem& system);

    std::int32_t tip_height() const override = 0;
    chain::ChainedHeader at(std::int32_t height) const override = 0;
    std::optional<std::int32_t> find(const chain::Hash256& hash) const override = 0;

    /// Forgets everything above change.fork, appends, and returns once it is on disk (fdatasync).
    /// On error the file's content, as seen through this object and after a restart, is what it
    /// was. Errors: disk_full, io; bad_argument for what no header tree says (headers that do not
    /// link to `fork`, no more work than before, a file opened read_only).
    virtual result<void> apply(const chain::HeaderChange& change) = 0;
};

/// Deletes the header file (`reset-chain`). Errors: in_use, io.
result<void> remove_header_file(const std::filesystem::path& path);

} // namespace headlight::wallet::store
