#include "tests/sim/disk/platter.hpp"

#include "tests/support/files.hpp"

#include <algorithm>

namespace headlight::tests {

namespace fs = std::filesystem;

namespace {

/// A disk writes whole sectors, in any order.
constexpr std::size_t sector_bytes = 512;

/// Locks hold nothing, and SQLite begins its shared memory anew where nobody else has it open.
bool is_kept(const fs::path& file) {
    const auto name = file.filename().string();
    return !name.ends_with(".lock") && !name.ends_with("-shm");
}

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && is_kept(entry.path())) files.push_back(entry.path());
    }
    return files;
}

} // namespace

Platter::Platter(Path folder) : folder_(std::move(folder)) {
    for (const auto& file : files_below(folder_))
        names_[file] = std::make_shared<Content>(Content{read_file(file)});
    durable_ = names_;
}

/// A file that nobody has named before was made just now.
Platter::Content& Platter::content(const Path& file) {
    auto& found = names_[file];
    if (!found) {
        found = std::make_shared<Content>();
        change_names(file.parent_path(),
                     [file, made = found](Names& names) { names[file] = made; });
    }
    return *found;
}

void Platter::change_names(const Path& folder, std::function<void(Names&)> apply) {
    name_changes_.push_back({folder, std::move(apply)});
}

void Platter::wrote(const Path& file, ByteView data, std::uint64_t at) {
    content(file).pending.push_back({at, Bytes(data.begin(), data.end())});
}

void Platter::truncated(const Path& file, std::uint64_t size) {
    content(file).pending.push_back({.at = size, .truncates = true});
}

void Platter::synced(const Path& file) {
    auto& synced = content(file);
    for (const auto& change : synced.pending)
        apply(change, synced.durable);
    synced.pending.clear();
}

void Platter::renamed(const Path& from, const Path& to) {
    const auto move = [from, to](Names& names) {
        const auto found = names.find(from);
        if (found == names.end()) return;
        names[to] = found->second;
        names.erase(from);
    };
    content(from);
    move(names_);
    change_names(to.parent_path(), move);
}

void Platter::removed(const Path& file) {
    names_.erase(file);
    change_names(file.parent_path(), [file](Names& names) { names.erase(file); });
}

void Platter::synced_folder(const Path& folder) {
    // What was made without a word so far (open(2) is not told) is there from now on.
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file() && is_kept(entry.path())) content(entry.path());
    }
    std::erase_if(name_changes_, [&](const NameChange& change) {
        if (change.folder != folder) return false;
        change.apply(durable_);
        return true;
    });
}

void Platter::apply(const Change& change, Bytes& to) {
    if (change.truncates) return to.resize(change.at);
    to.resize(std::max<std::size_t>(to.size(), change.at + change.data.size()));
    std::ranges::copy(change.data, to.begin() + static_cast<std::ptrdiff_t>(change.at));
}

/// Each change since the last sync is there, or not, or some of its sectors are.
Bytes Platter::left_of(const Content& content, std::mt19937_64& random) {
    auto bytes = content.durable;
    for (const auto& change : content.pending) {
        const auto fate = random() % 3;
        if (fate == 0) continue;
        if (fate == 1 || change.truncates) {
            apply(change, bytes);
            continue;
        }
        for (std::size_t at = 0; at < change.data.size();) {
            const auto to_end_of_sector = sector_bytes - (change.at + at) % sector_bytes;
            const auto size = std::min<std::size_t>(to_end_of_sector, change.data.size() - at);
            const auto part = ByteView(change.data).subspan(at, size);
            if (random() % 2 == 0) apply({change.at + at, Bytes(part.begin(), part.end())}, bytes);
            at += size;
        }
    }
    return bytes;
}

void Platter::cut_power(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto names = durable_;
    auto reached = random() % (name_changes_.size() + 1);
    for (const auto& change : name_changes_) {
        if (reached-- == 0) break;
        change.apply(names);
    }
    write_back(names, random);
}

void Platter::write_back(const Names& names, std::mt19937_64& random) const {
    for (const auto& file : files_below(folder_))
        fs::remove(file);
    for (const auto& [file, content] : names) {
        if (is_kept(file)) write_file(file, left_of(*content, random));
    }
}

} // namespace headlight::tests
