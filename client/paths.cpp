#include "client/paths.hpp"

#include <algorithm>
#include <cstdlib>

namespace headlight::client {

namespace {

constexpr std::size_t max_name_bytes = 64;

bool allowed_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

} // namespace

std::filesystem::path Paths::headers() const { return datadir / network->name / "headers"; }

std::filesystem::path Paths::bans() const { return datadir / network->name / "bans"; }

std::filesystem::path Paths::wallets() const { return datadir / network->name / "wallets"; }

std::filesystem::path Paths::wallet_file() const { return wallets() / (wallet + ".sqlite"); }

result<std::filesystem::path> default_datadir() {
    // The XDG base directory specification: a relative path in the variable is to be ignored.
    if (const char* data = std::getenv("XDG_DATA_HOME")) {
        const std::filesystem::path folder(data);
        if (folder.is_absolute()) return folder / "headlight";
    }
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::filesystem::path(home) / ".local" / "share" / "headlight";
    return Error{errc::bad_argument, "no data folder is known",
                 "neither XDG_DATA_HOME nor HOME is set", "Name one with --datadir"};
}

result<void> check_wallet_name(std::string_view name) {
    const bool good = !name.empty() && name.size() <= max_name_bytes && name.front() != '.' &&
                      std::ranges::all_of(name, allowed_in_name);
    if (good) return {};
    return Error{errc::bad_argument, "'" + std::string(name) + "' cannot name a wallet",
                 "a name is 1 to 64 letters, digits, '-', '_' and '.', and does not start with '.'",
                 "Choose another name"};
}

} // namespace headlight::client
