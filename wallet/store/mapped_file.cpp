// mmap, with room ahead.
#include "wallet/store/mapped_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <sys/mman.h>

namespace headlight::wallet::store {

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

int MappedFile::cover(const FileDescriptor& file, std::uint64_t bytes) {
    if (bytes <= size_) return 0;
    // Addresses cost nothing: the next power of two keeps remapping rare.
    const auto size = std::max<std::size_t>(std::bit_ceil(bytes), 1U << 20U);
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (mapped == MAP_FAILED) return errno;
    if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
    data_ = static_cast<const std::uint8_t*>(mapped);
    size_ = size;
    return 0;
}

} // namespace headlight::wallet::store
