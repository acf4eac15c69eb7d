#include "cli/input.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace headlight::cli {

namespace {

using TakePiece = std::function<result<void>(std::string_view piece)>;

result<void> read_stream(std::istream& stream, const std::string& name, std::size_t limit,
                         const TakePiece& take) {
    std::size_t size = 0;
    char piece[16'384];
    while (stream.read(piece, sizeof piece), stream.gcount() > 0) {
        const auto count = static_cast<std::size_t>(stream.gcount());
        size += count;
        if (size > limit) {
            return Error{errc::too_large, name + " is too large",
                         "more than " + std::to_string(limit) + " bytes",
                         "Check that it is the right file"};
        }
        if (const auto taken = take({piece, count}); !taken) return taken;
    }
    if (!stream.bad()) return {};
    return Error{errc::io, name + " cannot be read", "the system refused", "Try again"};
}

result<void> read_pieces(const Host& host, const std::string& name, std::size_t limit,
                         const TakePiece& take) {
    if (name == "-") return read_stream(host.in, "standard input", limit, take);
    std::error_code error;
    const bool folder = std::filesystem::is_directory(name, error);
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    if (file && !folder) return read_stream(file, "the file " + name, limit, take);
    return Error{errc::io, "the file " + name + " cannot be read",
                 folder ? "it is a folder" : std::strerror(errno),
                 "Check its name and permissions"};
}

} // namespace

result<std::string> read_input(const Host& host, const std::string& name, std::size_t limit) {
    std::string text;
    const auto read = read_pieces(host, name, limit, [&](std::string_view piece) -> result<void> {
        text += piece;
        return {};
    });
    if (!read) return read.error();
    return {boost::system::in_place_value, std::move(text)};
}

result<void> read_lines(const Host& host, const std::string& name, std::size_t limit,
                        const TakeLine& take) {
    std::string begun; // a line whose end is not read yet
    const auto read = read_pieces(host, name, limit, [&](std::string_view piece) -> result<void> {
        for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
            begun += piece.substr(0, end);
            piece.remove_prefix(end + 1);
            if (const auto taken = take(begun); !taken) return taken;
            begun.clear();
        }
        begun += piece;
        return {};
    });
    return read && !begun.empty() ? take(begun) : read;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

} // namespace headlight::cli
