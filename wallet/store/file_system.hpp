// The few system calls that change a file, behind a seam, so that tests can make the n-th one fail;
// and what every file of ours needs: descriptors that close themselves, locks, errors that explain.
#pragma once

#include "chain/bytes.hpp"
#include "chain/result.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace headlight::wallet::store {

/// Each call gives 0 or an errno. write() writes all of `data` or fails, perhaps after a part of
/// it.
class FileSystem {
  public:
    virtual ~FileSystem() = default;
    virtual int write(int file, ByteView data, std::uint64_t at);
    virtual int sync(int file); ///< fdatasync
    virtual int truncate(int file, std::uint64_t size);
    virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to);
    virtual int remove(const std::filesystem::path& path);
    /// Makes a name that was created or renamed in a folder durable.
    virtual int sync_folder(const std::filesystem::path& folder);
};

/// The system itself.
FileSystem& real_file_system();

class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~FileDescriptor();

    int get() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }

  private:
    int descriptor_ = -1;
};

/// open(2), closed on exec; -1 leaves errno. New files are their owner's only (0600).
FileDescriptor open_file(const std::filesystem::path& path, int flags);
/// Takes the file for this open description alone, at once or not at all. 0 or an errno (EAGAIN:
/// held).
int lock_file(const FileDescriptor& file);
/// Whether another open description holds the lock.
bool is_locked(const FileDescriptor& file);
std::uint64_t size_of(const FileDescriptor& file);
/// Whether `path` still names this file.
bool is_named(const FileDescriptor& file, const std::filesystem::path& path);

/// The whole of a small file; empty when it is not there, and cut at `most` bytes. Error: io.
result<std::string> read_text(const std::filesystem::path& path, std::uint64_t most);
/// Makes this the file's content, whole under another name first: whoever reads, and whatever a
/// crash leaves, is the old file or the new one. The new file, open. Errors: io, disk_full.
result<FileDescriptor> replace_text(FileSystem& system, const std::filesystem::path& path,
                                    std::string_view text);

/// The folders above `path`, for their owner only (0700) where they are missing.
result<void> make_folders_for(const std::filesystem::path& path);
/// No room, over a quota, or over the limit on file sizes (ulimit -f).
bool is_full(int error_number);
/// `action` "cannot write"; disk_full where the errno says so, else io.
Error file_error(std::string_view action, const std::filesystem::path& path, int error_number);
Error in_use_error(const std::filesystem::path& path);

} // namespace headlight::wallet::store
