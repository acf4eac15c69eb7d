// Files as bytes, and a folder that goes away.
#pragma once

#include "chain/bytes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace headlight::tests {

inline Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string read_text_file(const std::filesystem::path& path) {
    const auto bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
}

inline void write_file(const std::filesystem::path& path, ByteView bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

/// In memory where the system has a place for that and nobody asks for the disk: what is stored
/// thousands of times is not worth the wait.
class TemporaryFolder {
  public:
    enum class Place { memory, disk };
    explicit TemporaryFolder(Place place = Place::memory) {
        const std::filesystem::path memory("/dev/shm");
        std::error_code ignored;
        const bool quick = place == Place::memory && std::filesystem::is_directory(memory, ignored);
        const auto parent = quick ? memory : std::filesystem::temp_directory_path();
        auto pattern = (parent / "headlight-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no temporary folder in " + parent.string());
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

} // namespace headlight::tests
