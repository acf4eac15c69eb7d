// What the store's tests share: files, failing system calls, child processes.
#pragma once

#include "tests/support/files.hpp"
#include "wallet/store/file_system.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

namespace headlight::wallet::store {

using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

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
