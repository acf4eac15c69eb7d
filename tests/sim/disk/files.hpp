// Files as bytes, and a folder that goes away.
#pragma once

#include "chain/bytes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace headlight::tests {

inline Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, ByteView bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

/// In memory where the system has a place for that: thousands of syncs are waited for here.
class MemoryFolder {
  public:
    MemoryFolder() {
        const std::filesystem::path memory("/dev/shm");
        std::error_code ignored;
        const auto parent = std::filesystem::is_directory(memory, ignored)
                                ? memory
                                : std::filesystem::temp_directory_path();
        auto pattern = (parent / "headlight-disk-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~MemoryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    MemoryFolder(const MemoryFolder&) = delete;
    MemoryFolder& operator=(const MemoryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace headlight::tests
