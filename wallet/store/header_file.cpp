// Opening, healing and appending to the header file.
#include "wallet/store/header_file.hpp"

#include "wallet/store/hash_index.hpp"
#include "wallet/store/header_scan.hpp"

#include <cerrno>
#include <fcntl.h>

namespace headlight::wallet::store {

namespace {

std::filesystem::path beside(const std::filesystem::path& path, std::string_view ending) {
    auto name = path;
    name += ending;
    return name;
}

class MappedHeaderFile final : public HeaderFile {
  public:
    MappedHeaderFile(std::filesystem::path path, const chain::Network& network, Mode mode,
                     FileSystem& system)
        : path_(std::move(path)), network_(network), mode_(mode), system_(system) {}

    result<void> start();
    std::string take_notice() { return std::move(notice_); }

    std::int32_t tip_height() const override {
        return static_cast<std::int32_t>(records_.size()) - 1;
    }
    chain::ChainedHeader at(std::int32_t height) const override {
        auto header = decode_record(record(height));
        header.hash = hash_at(height);
        return header;
    }
    std::optional<std::int32_t> find(const chain::Hash256& hash) const override {
        return index_.find(hash, tip_height(), [this](std::int32_t h) { return hash_at(h); });
    }
    result<void> apply(const chain::HeaderChange& change) override;

  private:
    ByteView record(std::int32_t height) const {
        return record_at(map_, records_[static_cast<std::size_t>(height)]);
    }
    chain::Hash256 hash_at(std::int32_t height) const {
        if (height == tip_height()) return tip_->hash;
        return previous_in_record(record(height + 1));
    }
    std::uint64_t bytes_for(std::uint64_t records) const {
        return preamble_bytes + records * record_bytes;
    }
    Error failure(std::string_view action, int error) const {
        return file_error(action, path_, error);
    }

    result<void> open_and_lock();
    result<void> start_empty();
    result<void> start_anew(const std::string& damage);
    result<void> read_records(std::uint64_t size);
    void adopt(HeaderScan scan);
    void compact();
    int write_compacted(const FileDescriptor& to);
    result<void> check(const chain::HeaderChange& change) const;
    int append(const Bytes& bytes);

    std::filesystem::path path_;
    const chain::Network& network_;
    Mode mode_;
    FileSystem& system_;
    std::string notice_;
    FileDescriptor file_;
    MappedFile map_;
    std::vector<std::uint32_t> records_; ///< record number by height
    std::uint32_t end_ = 0;              ///< records in the file, superseded ones too
    bool tail_is_dirty_ = false;         ///< what a failed append left could not be cut off yet
    std::optional<chain::ChainedHeader> tip_;
    HashIndex index_;
};

// Opening

result<void> MappedHeaderFile::start() {
    if (mode_ == Mode::read_only) {
        file_ = open_file(path_, O_RDONLY);
        if (!file_.is_open()) {
            if (errno == ENOENT) return {};
            return failure("cannot open", errno);
        }
    } else if (const auto opened = open_and_lock(); !opened) {
        return opened.error();
    }
    const auto size = size_of(file_);
    if (size < preamble_bytes) {
        if (size != 0) notice_ = path_.string() + " was cut short; it starts anew";
        return start_empty();
    }
    if (const int error = map_.cover(file_, size)) return failure("cannot map", error);
    const auto fault = preamble_fault(map_.view(0, preamble_bytes), network_);
    if (!fault.empty()) return start_anew(fault);
    return read_records(size);
}

result<void> MappedHeaderFile::open_and_lock() {
    if (const auto made = make_folders_for(path_); !made) return made.error();
    for (;;) {
        std::error_code ignored;
        const bool is_new = !std::filesystem::exists(path_, ignored);
        file_ = open_file(path_, O_RDWR | O_CREAT);
        if (!file_.is_open()) return failure("cannot open", errno);
        if (const int error = lock_file(file_)) {
            return error == EAGAIN ? in_use_error(path_) : failure("cannot lock", error);
        }
        if (!is_named(file_, path_)) continue; // replaced between opening and locking
        if (is_new) {
            if (const int error = system_.sync_folder(path_.parent_path())) {
                return failure("cannot create", error);
            }
        }
        return {};
    }
}

result<void> MappedHeaderFile::start_empty() {
    if (mode_ == Mode::read_only) return {};
    int error = system_.truncate(file_.get(), 0);
    if (!error) error = system_.write(file_.get(), make_preamble(network_), 0);
    if (!error) error = system_.sync(file_.get());
    if (error) return failure("cannot write", error);
    return {};
}

result<void> MappedHeaderFile::start_anew(const std::string& damage) {
    const auto text = path_.string() + " is damaged: " + damage;
    if (mode_ == Mode::read_only) {
        notice_ = text + ". It is read as far as it holds; the next sync starts it anew";
        return {};
    }
    const auto aside = beside(path_, ".damaged");
    if (const int error = system_.rename(path_, aside)) return failure("cannot move aside", error);
    map_ = MappedFile();
    if (const auto opened = open_and_lock(); !opened) return opened.error();
    notice_ = text + ". It was moved to " + aside.string() +
              " and the headers are fetched again; no wallet is touched";
    return start_empty();
}

result<void> MappedHeaderFile::read_records(std::uint64_t size) {
    const auto count = (size - preamble_bytes) / record_bytes;
    auto scan = scan_headers(map_, static_cast<std::uint32_t>(count), network_);
    if (!scan.damage.empty()) {
        const auto damage = scan.damage;
        if (mode_ == Mode::read_only) adopt(std::move(scan));
        return start_anew(damage);
    }
    const auto kept = bytes_for(scan.end);
    adopt(std::move(scan));
    if (kept == size) {
        if (mode_ == Mode::read_write) compact();
        return {};
    }
    const auto text =
        path_.string() + " ends in an unfinished write (" + std::to_string(size - kept) + " bytes)";
    if (mode_ == Mode::read_only) {
        if (is_locked(file_)) return {}; // it is being written right now
        notice_ = text + ", which is left out";
        return {};
    }
    int error = system_.truncate(file_.get(), kept);
    if (!error) error = system_.sync(file_.get());
    if (error) return failure("cannot heal", error);
    notice_ = text + ", which was cut off; its headers are fetched again";
    return {};
}

void MappedHeaderFile::adopt(HeaderScan scan) {
    records_ = std::move(scan.records);
    tip_ = std::move(scan.tip);
    end_ = scan.end;
    index_.build(tip_height() + 1, [this](std::int32_t height) { return hash_at(height); });
}

// Compacting: superseded records are left behind when there are many. Whatever fails, the old file
// serves.

void MappedHeaderFile::compact() {
    if (end_ - records_.size() <= limits::max_wasted_header_records) return;
    const auto fresh_path = beside(path_, ".new");
    FileDescriptor fresh = open_file(fresh_path, O_RDWR | O_CREAT | O_TRUNC);
    MappedFile fresh_map;
    int error = fresh.is_open() ? lock_file(fresh) : errno;
    if (!error) error = write_compacted(fresh);
    if (!error) error = system_.sync(fresh.get());
    if (!error) error = fresh_map.cover(fresh, size_of(fresh));
    if (!error) error = system_.rename(fresh_path, path_);
    if (error) {
        system_.remove(fresh_path);
        return;
    }
    system_.sync_folder(path_.parent_path());
    file_ = std::move(fresh);
    map_ = std::move(fresh_map);
    for (std::uint32_t number = 0; number < records_.size(); ++number)
        records_[number] = number;
    end_ = static_cast<std::uint32_t>(records_.size());
}

int MappedHeaderFile::write_compacted(const FileDescriptor& to) {
    constexpr std::size_t chunk_records = 8'192;
    const auto preamble = make_preamble(network_);
    if (const int error = system_.write(to.get(), preamble, 0)) return error;
    Bytes chunk;
    for (std::size_t height = 0; height < records_.size();) {
        chunk.clear();
        const auto at = bytes_for(height);
        for (; height < records_.size() && chunk.size() < chunk_records * record_bytes; ++height) {
            const auto bytes = record(static_cast<std::int32_t>(height));
            chunk.insert(chunk.end(), bytes.begin(), bytes.end());
        }
        if (const int error = system_.write(to.get(), chunk, at)) return error;
    }
    return 0;
}

// Changing

result<void> MappedHeaderFile::check(const chain::HeaderChange& change) const {
    const auto wrong = [&](std::string cause) {
        return Error{errc::bad_argument,
                     "the headers for " + path_.string() + " cannot be stored",
                     std::move(cause),
                     {}};
    };
    if (mode_ == Mode::read_only) return wrong("the file is open for reading only");
    if (change.fork < -1 || change.fork > tip_height() || (change.fork == -1 && tip_)) {
        return wrong("they fork at " + std::to_string(change.fork) + " below a tip at " +
                     std::to_string(tip_height()));
    }
    auto previous = change.fork < 0 ? chain::Hash256{} : hash_at(change.fork);
    auto height = change.fork;
    for (const auto& header : change.headers) {
        if (header.header.previous != previous || header.height != ++height) {
            return wrong("they do not link at height " + std::to_string(header.height));
        }
        previous = header.hash;
    }
    if (change.fork < 0 && change.headers.front().hash != network_.genesis_hash) {
        return wrong("they do not begin with genesis");
    }
    if (tip_ && change.headers.back().work <= tip_->work) {
        return wrong("they carry no more work than what is stored");
    }
    return {};
}

int MappedHeaderFile::append(const Bytes& bytes) {
    const auto at = bytes_for(end_);
    if (tail_is_dirty_) {
        if (const int error = system_.truncate(file_.get(), at)) return error;
        tail_is_dirty_ = false;
    }
    int error = map_.cover(file_, at + bytes.size());
    if (error) return error;
    error = system_.write(file_.get(), bytes, at);
    if (!error) error = system_.sync(file_.get());
    if (error) tail_is_dirty_ = system_.truncate(file_.get(), at) != 0;
    return error;
}

result<void> MappedHeaderFile::apply(const chain::HeaderChange& change) {
    if (change.empty()) return {};
    if (auto checked = check(change); !checked) return checked;
    Bytes bytes;
    bytes.reserve(change.headers.size() * record_bytes);
    for (const auto& header : change.headers)
        append_record(bytes, header);
    if (const int error = append(bytes)) return failure("cannot write", error);

    records_.resize(static_cast<std::size_t>(change.fork + 1));
    for (std::size_t i = 0; i < change.headers.size(); ++i)
        records_.push_back(end_++);
    tip_ = change.headers.back();
    const auto hash_of_height = [this](std::int32_t height) { return hash_at(height); };
    for (const auto& header : change.headers) {
        index_.insert(header.hash, header.height, hash_of_height);
    }
    return {};
}

} // namespace

result<HeaderFile::Opened> HeaderFile::open(const std::filesystem::path& path,
                                            const chain::Network& network, Mode mode) {
    return open(path, network, mode, real_file_system());
}

result<HeaderFile::Opened> HeaderFile::open(const std::filesystem::path& path,
                                            const chain::Network& network, Mode mode,
                                            FileSystem& system) {
    auto file = std::make_unique<MappedHeaderFile>(path, network, mode, system);
    if (const auto started = file->start(); !started) return started.error();
    auto notice = file->take_notice();
    return Opened{std::move(file), std::move(notice)};
}

result<void> remove_header_file(const std::filesystem::path& path) {
    const auto file = open_file(path, O_RDWR);
    if (!file.is_open()) {
        if (errno == ENOENT) return {};
        return file_error("cannot open", path, errno);
    }
    if (const int error = lock_file(file)) {
        return error == EAGAIN ? in_use_error(path) : file_error("cannot lock", path, error);
    }
    auto& system = real_file_system();
    if (const int error = system.remove(path)) return file_error("cannot remove", path, error);
    system.sync_folder(path.parent_path());
    return {};
}

} // namespace headlight::wallet::store
