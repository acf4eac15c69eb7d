#include "cli/input.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace headlight::cli {

namespace {

result<std::string> read_stream(std::istream& stream, const std::string& name, std::size_t limit) {
    std::string text;
    char piece[16'384];
    while (stream.read(piece, sizeof piece), stream.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(stream.gcount()));
        if (text.size() <= limit) continue;
        return Error{errc::too_large, name + " is too large",
                     "more than " + std::to_string(limit) + " bytes",
                     "Check that it is the right file"};
    }
    if (!stream.bad()) return {boost::system::in_place_value, std::move(text)};
    return Error{errc::io, name + " cannot be read", "the system refused", "Try again"};
}

} // namespace

result<std::string> read_input(const Host& host, const std::string& name, std::size_t limit) {
    if (name == "-") return read_stream(host.in, "standard input", limit);
    std::error_code error;
    const bool folder = std::filesystem::is_directory(name, error);
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    if (file && !folder) return read_stream(file, "the file " + name, limit);
    return Error{errc::io, "the file " + name + " cannot be read",
                 folder ? "it is a folder" : std::strerror(errno),
                 "Check its name and permissions"};
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

} // namespace headlight::cli
