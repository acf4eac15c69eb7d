#include "client/ban_file.hpp"

#include "wallet/store/crc32.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace headlight::client {

namespace {

namespace store = wallet::store;

std::string sum_of(std::string_view text) {
    const auto sum = store::crc32(as_bytes(text));
    std::array<std::uint8_t, 4> bytes{};
    for (std::size_t i = 0; i < 4; ++i)
        bytes[i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    return to_hex(bytes);
}

/// A reason may hold words of a peer: a line stays a line.
std::string printable(std::string_view text) {
    std::string line(text.substr(0, limits::max_ban_reason_bytes));
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

} // namespace

BanFile::BanFile(std::filesystem::path path, store::FileSystem& system)
    : path_(std::move(path)), system_(&system) {}

result<BanFile::Read> BanFile::read(std::int64_t now) const {
    const auto content = store::read_text(path_, limits::max_ban_file_bytes);
    if (!content) return content.error();
    Read read;
    std::size_t damaged = 0;
    std::string_view rest = *content;
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

result<void> BanFile::write(const std::vector<sync::Ban>& bans) const {
    std::string text;
    for (const auto& ban : bans)
        text += line_of(ban);
    if (const auto made = store::make_folders_for(path_); !made) return made.error();
    if (const auto file = store::replace_text(*system_, path_, text); !file) return file.error();
    return {};
}

} // namespace headlight::client
