// A file mapped for reading that may grow: the mapping reserves addresses ahead of the file's end.
#pragma once

#include "wallet/store/file_system.hpp"

namespace headlight::wallet::store {

class MappedFile {
  public:
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    MappedFile& operator=(MappedFile&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~MappedFile();

    /// Makes the first `bytes` bytes readable through view(), as far as the file holds them. 0 or
    /// an errno, and then what was mapped stays mapped.
    int cover(const FileDescriptor& file, std::uint64_t bytes);
    /// `count` bytes at `at`; the caller knows that the file holds them.
    ByteView view(std::uint64_t at, std::size_t count) const { return {data_ + at, count}; }

  private:
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace headlight::wallet::store
