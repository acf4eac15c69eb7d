#include "client/ban_file.hpp"

#include "wallet/store/crc32.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

namespace headlight::client {

namespace {

namespace store = wallet::store;

/// Far more than the few peers that people name come to.
constexpr std::uint64_t max_ban_file_bytes = 1'000'000;
constexpr std::size_t max_reason_bytes = 300;

std::string sum_of(std::string_view text) {
    const auto sum = store::crc32(as_bytes(text));
    std::array<std::uint8_t, 4> bytes{};
    for (std::size_t i = 0; i < 4; ++i)
        bytes[i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    return to_hex(bytes);
}

/// A reason may hold words of a peer: a line stays a line.
std::string printable(std::string_view text) {
    std::string line(text.substr(0, max_reason_bytes));
    for (auto& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    return line;
}

/// "CHECKSUM UNTIL HOST:PORT REASON"
std::string line_of(const sync::Ban& ban) {
    const auto text = std::to_string(ban.until) + " " + p2p::to_string(ban.endpoint) + " " +
                      printable(ban.reason);
    return sum_of(text) + " " + text + "\n";
}

/// What stands before the next blank, which is taken away with it.
std::string_view next_word(std::string_view& text) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::optional<sync::Ban> read_line(std::string_view line) {
    const auto sum = next_word(line);
    if (sum != sum_of(line)) return std::nullopt;
    sync::Ban ban;
    const auto until = next_word(line);
    const auto* end = until.data() + until.size();
    const auto parsed = std::from_chars(until.data(), end, ban.until);
    const auto endpoint = p2p::parse_endpoint(next_word(line), 0);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !endpoint) return std::nullopt;
    ban.endpoint = *endpoint;
    ban.reason = line;
    return ban;
}

/// Nothing: the file is not there, or larger than one of ours is.
result<std::optional<std::string>> content_of(const std::filesystem::path& path) {
    const auto file = store::open_file(path, O_RDONLY);
    if (!file.is_open() && errno == ENOENT) return std::optional(std::string{});
    if (!file.is_open()) return store::file_error("cannot open", path, errno);
    const auto size = store::size_of(file);
    if (size > max_ban_file_bytes) return std::optional<std::string>{};
    std::string text(size, '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const auto count = ::read(file.get(), text.data() + have, text.size() - have);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return store::file_error("cannot read", path, errno);
        if (count == 0) break;
        have += static_cast<std::size_t>(count);
    }
    text.resize(have);
    return std::optional(std::move(text));
}

} // namespace

BanFile::BanFile(std::filesystem::path path, store::FileSystem& system)
    : path_(std::move(path)), system_(&system) {}

result<BanFile::Read> BanFile::read(std::int64_t now) const {
    const auto content = content_of(path_);
    if (!content) return content.error();
    Read read;
    std::size_t damaged = *content ? 0 : 1;
    std::string_view rest = *content ? std::string_view(**content) : std::string_view{};
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        const auto ban = read_line(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (!ban) {
            ++damaged;
        } else if (ban->until > now) {
            read.bans.push_back(*ban);
        }
    }
    if (damaged > 0) {
        read.notice = path_.string() + " is damaged: " + std::to_string(damaged) +
                      (damaged == 1 ? " line is" : " lines are") +
                      " left out; a peer that was banned there is dialled again";
    }
    return read;
}

result<void> BanFile::keep(const sync::Ban& ban, std::int64_t now) const {
    auto read = this->read(now);
    if (!read) return read.error();
    std::erase_if(read->bans, [&](const auto& other) { return other.endpoint == ban.endpoint; });
    read->bans.push_back(ban);
    return write(read->bans);
}

result<std::vector<sync::Ban>> BanFile::lift(const std::optional<p2p::Endpoint>& peer,
                                             std::int64_t now) const {
    auto read = this->read(now);
    if (!read) return read.error();
    std::vector<sync::Ban> lifted;
    std::erase_if(read->bans, [&](const auto& ban) {
        const bool goes = !peer || ban.endpoint == *peer;
        if (goes) lifted.push_back(ban);
        return goes;
    });
    if (lifted.empty() && read->notice.empty()) return lifted;
    if (const auto written = write(read->bans); !written) return written.error();
    return lifted;
}

/// Whole under another name first: whoever reads meets the old file or the new one.
result<void> BanFile::write(const std::vector<sync::Ban>& bans) const {
    std::string text;
    for (const auto& ban : bans)
        text += line_of(ban);
    if (const auto made = store::make_folders_for(path_); !made) return made.error();
    auto draft = path_;
    draft += ".new";
    const auto file = store::open_file(draft, O_RDWR | O_CREAT | O_TRUNC);
    int error = file.is_open() ? system_->write(file.get(), as_bytes(text), 0) : errno;
    if (!error) error = system_->sync(file.get());
    if (!error) error = system_->rename(draft, path_);
    if (!error) error = system_->sync_folder(path_.parent_path());
    if (!error) return {};
    system_->remove(draft);
    return store::file_error("cannot write", path_, error);
}

} // namespace headlight::client
