// What a power cut would leave of the files in a folder: contents as they were last synced, with
// any part of what was written since, and names as the folder was last synced, with the first of
// what was renamed, made or removed since.
#pragma once

#include "chain/bytes.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace headlight::tests {

class Platter {
  public:
    using Path = std::filesystem::path;

    /// Everything below `folder` is durable as it is now.
    explicit Platter(Path folder);

    // What the process did; the real files show it already.
    void wrote(const Path& file, ByteView data, std::uint64_t at);
    void truncated(const Path& file, std::uint64_t size);
    void synced(const Path& file);
    void renamed(const Path& from, const Path& to);
    void removed(const Path& file);
    void synced_folder(const Path& folder);

    /// Puts onto the real disk what is left, decided by `seed`. Nobody has the files open.
    void cut_power(std::uint64_t seed);

  private:
    /// Data at a place, or (no data) a new size.
    struct Change {
        std::uint64_t at = 0;
        Bytes data{};
        bool truncates = false;
    };
    struct Content {
        Bytes durable;
        std::vector<Change> pending{};
    };
    using Names = std::map<Path, std::shared_ptr<Content>>;
    struct NameChange {
        Path folder;
        std::function<void(Names&)> apply;
    };

    Content& content(const Path& file);
    void change_names(const Path& folder, std::function<void(Names&)> apply);
    static void apply(const Change& change, Bytes& to);
    static Bytes left_of(const Content& content, std::mt19937_64& random);
    void write_back(const Names& names, std::mt19937_64& random) const;

    Path folder_;
    Names names_;                          ///< as the process sees them
    Names durable_;                        ///< as the last sync of each folder left them
    std::vector<NameChange> name_changes_; ///< since then
};

} // namespace headlight::tests
