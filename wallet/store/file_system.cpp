// File calls of POSIX and Linux.
#include "wallet/store/file_system.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace headlight::wallet::store {

namespace {

int outcome(int returned) { return returned == 0 ? 0 : errno; }

struct flock whole_file() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace

int FileSystem::write(int file, ByteView data, std::uint64_t at) {
    while (!data.empty()) {
        const auto written = ::pwrite(file, data.data(), data.size(), static_cast<off_t>(at));
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        data = data.subspan(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
    return 0;
}

int FileSystem::sync(int file) { return outcome(::fdatasync(file)); }

int FileSystem::truncate(int file, std::uint64_t size) {
    return outcome(::ftruncate(file, static_cast<off_t>(size)));
}

int FileSystem::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
    return outcome(::rename(from.c_str(), to.c_str()));
}

int FileSystem::remove(const std::filesystem::path& path) {
    return outcome(::unlink(path.c_str()));
}

int FileSystem::sync_folder(const std::filesystem::path& folder) {
    const FileDescriptor opened = open_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
    if (!opened.is_open()) return errno;
    return outcome(::fsync(opened.get()));
}

FileSystem& real_file_system() {
    static FileSystem system;
    return system;
}

FileDescriptor::~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

FileDescriptor open_file(const std::filesystem::path& path, int flags) {
    return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

// Locks of the open description: unlike POSIX record locks, they are not lost when the process
// closes another descriptor of the same file, and unlike flock(2) they can be asked for.
int lock_file(const FileDescriptor& file) {
    auto lock = whole_file();
    const int error = outcome(::fcntl(file.get(), F_OFD_SETLK, &lock));
    return error == EACCES ? EAGAIN : error;
}

bool is_locked(const FileDescriptor& file) {
    auto lock = whole_file();
    return ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::uint64_t size_of(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool is_named(const FileDescriptor& file, const std::filesystem::path& path) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

result<std::string> read_text(const std::filesystem::path& path, std::uint64_t most) {
    const auto file = open_file(path, O_RDONLY);
    if (!file.is_open() && errno == ENOENT) return {boost::system::in_place_value, ""};
    if (!file.is_open()) return file_error("cannot open", path, errno);
    std::string text(std::min(size_of(file), most), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const auto count = ::read(file.get(), text.data() + have, text.size() - have);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_error("cannot read", path, errno);
        if (count == 0) break;
        have += static_cast<std::size_t>(count);
    }
    text.resize(have);
    return {boost::system::in_place_value, std::move(text)};
}

result<FileDescriptor> replace_text(FileSystem& system, const std::filesystem::path& path,
                                    std::string_view text) {
    auto draft = path;
    draft += ".new";
    auto file = open_file(draft, O_RDWR | O_CREAT | O_TRUNC);
    int error = file.is_open() ? system.write(file.get(), as_bytes(text), 0) : errno;
    if (!error) error = system.sync(file.get());
    if (!error) error = system.rename(draft, path);
    if (!error) error = system.sync_folder(path.parent_path());
    if (!error) return file;
    system.remove(draft);
    return file_error("cannot write", path, error);
}

result<void> make_folders_for(const std::filesystem::path& path) {
    std::vector<std::filesystem::path> missing;
    std::error_code ignored;
    for (auto folder = path.parent_path();
         !folder.empty() && !std::filesystem::exists(folder, ignored);
         folder = folder.parent_path()) {
        missing.push_back(folder);
    }
    for (; !missing.empty(); missing.pop_back()) {
        if (::mkdir(missing.back().c_str(), 0700) != 0 && errno != EEXIST) {
            return file_error("cannot create the folder", missing.back(), errno);
        }
    }
    return {};
}

bool is_full(int error_number) {
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

Error file_error(std::string_view action, const std::filesystem::path& path, int error_number) {
    const bool full = is_full(error_number);
    const bool forbidden = error_number == EACCES || error_number == EPERM ||
                           error_number == EROFS || error_number == ENOTDIR ||
                           error_number == ENOENT;
    const auto* cure =
        forbidden ? "Choose another folder with --datadir, or make it writable" : "Check the disk";
    return {
        full ? errc::disk_full : errc::io, std::string(action) + " " + path.string(),
        std::generic_category().message(error_number),
        full ? "Free some space (or raise the limit) and start again; nothing that was stored is "
               "lost"
             : cure};
}

Error in_use_error(const std::filesystem::path& path) {
    return {errc::in_use, path.string() + " is in use", "another headlight process has it",
            "Wait for that process to end, or stop it"};
}

} // namespace headlight::wallet::store
