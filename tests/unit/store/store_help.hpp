// What the store's tests share: a folder that goes away, files as bytes, failing system calls.
#pragma once

#include "wallet/store/file_system.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace headlight::wallet::store {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        auto pattern = (std::filesystem::temp_directory_path() / "headlight-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

inline Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, ByteView bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

/// Makes the n-th call (from 0) fail, and every one after it when `for_good`. A failing write has
/// written half of its bytes before.
class FailingFileSystem : public FileSystem {
  public:
    FailingFileSystem(int n, int error, bool for_good)
        : n_(n), error_(error), for_good_(for_good) {}

    int write(int file, ByteView data, std::uint64_t at) override {
        if (!fails()) return FileSystem::write(file, data, at);
        FileSystem::write(file, data.first(data.size() / 2), at);
        return error_;
    }
    int sync(int file) override { return fails() ? error_ : FileSystem::sync(file); }
    int truncate(int file, std::uint64_t size) override {
        return fails() ? error_ : FileSystem::truncate(file, size);
    }
    int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        return fails() ? error_ : FileSystem::rename(from, to);
    }
    int sync_folder(const std::filesystem::path& folder) override {
        return fails() ? error_ : FileSystem::sync_folder(folder);
    }
    int calls() const { return calls_; }
    void heal() { n_ = -1; }

  private:
    bool fails() {
        const int call = calls_++;
        return n_ >= 0 && (for_good_ ? call >= n_ : call == n_);
    }

    int n_;
    int error_;
    bool for_good_;
    int calls_ = 0;
};

/// Runs `body` in a child process; what it returns is the child's exit code, which is returned.
template <class Body>
int in_child(Body body) {
    const auto child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace headlight::wallet::store
