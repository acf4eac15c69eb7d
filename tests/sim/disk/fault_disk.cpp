#include "tests/sim/disk/fault_disk.hpp"

namespace headlight::tests {

namespace fs = std::filesystem;
using wallet::store::FileSystem;

namespace {

fs::path name_of(int file) { return fs::read_symlink("/proc/self/fd/" + std::to_string(file)); }

} // namespace

FaultDisk::FaultDisk(fs::path folder) : folder_(std::move(folder)) {
    begin({});
    install_vfs(*this);
}

FaultDisk::~FaultDisk() { remove_vfs(); }

void FaultDisk::begin(DiskFault fault) {
    fault_ = fault;
    calls_ = 0;
    dead_ = false;
    platter_ = std::make_unique<Platter>(folder_);
}

void FaultDisk::restart() {
    if (dead_ && fault_.kind == DiskFault::Kind::power) platter_->cut_power(fault_.seed);
    begin({});
}

FaultDisk::Verdict FaultDisk::count(Call call) {
    const auto verdict = judge(call, calls_++);
    last_error_ = verdict.error;
    return verdict;
}

FaultDisk::Verdict FaultDisk::judge(Call call, int number) {
    using enum DiskFault::Kind;
    if (dead_) return {EIO};
    const bool is_write = call == Call::write;
    switch (fault_.kind) {
    case none:
        return {};
    case once:
        return number == fault_.call ? Verdict{fault_.error, is_write} : Verdict{};
    case full:
        return number >= fault_.call && is_write ? Verdict{fault_.error, true} : Verdict{};
    case death:
    case power:
        if (number != fault_.call) return {};
        dead_ = true;
        return {EIO, is_write};
    }
    return {};
}

int FaultDisk::write(int file, ByteView data, std::uint64_t at) {
    const auto verdict = count(Call::write);
    if (verdict.error && !verdict.is_half) return verdict.error;
    const auto part = verdict.error ? data.first(data.size() / 2) : data;
    if (const int error = FileSystem::write(file, part, at)) return error;
    platter_->wrote(name_of(file), part, at);
    return verdict.error;
}

int FaultDisk::sync(int file) {
    if (const auto verdict = count(Call::other); verdict.error) return verdict.error;
    platter_->synced(name_of(file));
    return FileSystem::sync(file);
}

int FaultDisk::truncate(int file, std::uint64_t size) {
    if (const auto verdict = count(Call::other); verdict.error) return verdict.error;
    platter_->truncated(name_of(file), size);
    return FileSystem::truncate(file, size);
}

int FaultDisk::rename(const fs::path& from, const fs::path& to) {
    if (const auto verdict = count(Call::other); verdict.error) return verdict.error;
    const int error = FileSystem::rename(from, to);
    if (!error) platter_->renamed(from, to);
    return error;
}

int FaultDisk::remove(const fs::path& path) {
    if (const auto verdict = count(Call::other); verdict.error) return verdict.error;
    const int error = FileSystem::remove(path);
    if (!error) platter_->removed(path);
    return error;
}

int FaultDisk::sync_folder(const fs::path& folder) {
    if (const auto verdict = count(Call::other); verdict.error) return verdict.error;
    platter_->synced_folder(folder);
    return FileSystem::sync_folder(folder);
}

} // namespace headlight::tests
