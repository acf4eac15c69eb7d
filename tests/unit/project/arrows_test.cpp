// The arrows between the rooms (docs/architecture.md), held by reading every #include.
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace headlight::tests {
namespace {

namespace fs = std::filesystem;

using Rooms = std::set<std::string>;

/// What each room may include: itself and everything its arrows lead to.
const std::map<std::string, Rooms> arrows{
    {"chain", {"chain"}},
    {"bip37", {"bip37", "chain"}},
    {"p2p", {"p2p", "bip37", "chain"}},
    {"p2p/asio", {"p2p/asio", "p2p", "bip37", "chain"}},
    {"wallet", {"wallet", "chain"}},
    {"wallet/store", {"wallet/store", "wallet", "chain"}},
    {"sync", {"sync", "p2p", "bip37", "wallet", "chain"}},
    {"client", {"client", "sync", "p2p/asio", "wallet/store", "p2p", "bip37", "wallet", "chain"}},
    {"rpc", {"rpc", "chain"}},
    {"conform", {"conform", "rpc", "p2p", "bip37", "chain"}},
    {"cli",
     {"cli", "client", "conform", "sync", "p2p/asio", "wallet/store", "p2p", "bip37", "wallet",
      "chain"}},
    {"judge", {"judge", "conform", "p2p", "bip37", "chain"}},
    {"regtest",
     {"regtest", "judge", "conform", "rpc", "sync", "p2p/asio", "p2p", "bip37", "wallet", "chain"}},
};

/// Where a library may be used.
struct Library {
    std::string prefix;
    Rooms rooms;
};
const std::vector<Library> libraries{
    {"boost/asio", {"p2p/asio", "rpc", "client", "cli", "regtest"}},
    {"boost/beast", {"rpc"}},
    {"boost/json", {"rpc", "conform", "judge", "cli", "regtest"}},
    {"sqlite3", {"wallet/store"}},
    {"openssl/", {"chain", "p2p", "wallet", "rpc", "regtest"}},
    {"secp256k1", {"wallet", "conform"}},
    {"utf8proc", {"wallet"}},
    {"CLI/", {"cli"}},
    {"qrencode", {"cli"}},
};

/// One such file takes seconds to compile, so each stays inside the room that needs it.
const std::vector<std::string_view> heavy_headers{"boost/asio", "boost/beast", "sqlite3", "CLI/"};

/// Rooms that only compute, and what they have no use for.
const Rooms pure_rooms{"chain", "bip37", "p2p", "wallet", "sync"};
const std::set<std::string> impure{
    "atomic",  "chrono",       "condition_variable", "csignal", "cstdio",  "fcntl.h", "fstream",
    "future",  "filesystem",   "iostream",           "mutex",   "netdb.h", "poll.h",  "signal.h",
    "stdio.h", "sys/socket.h", "sys/stat.h",         "thread",  "unistd.h"};

struct Include {
    std::string file; ///< from the root of the checkout
    std::string room;
    std::string target;
    bool quoted; ///< "..." rather than <...>

    std::string line() const { return file + " includes " + target; }
};

bool is_source(const fs::path& path) {
    return path.extension() == ".hpp" || path.extension() == ".cpp";
}

std::vector<Include> includes_of(const fs::path& file, const std::string& room) {
    static const std::regex form(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::ifstream in(file);
    std::vector<Include> out;
    for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, form)) continue;
        out.push_back({room + "/" + file.filename().string(), room, match[2], match[1] == "\""});
    }
    return out;
}

/// Every #include of every room; a folder of sources that is no room yet is a room without arrows.
std::vector<Include> all_includes() {
    static const std::set<std::string> not_rooms{"build", "cmake", "docs", "tests"};
    std::vector<Include> out;
    const auto root = source_folder();
    for (const auto& top : fs::directory_iterator(root)) {
        const auto name = top.path().filename().string();
        const bool hidden = name.starts_with(".") || name.starts_with("build");
        if (!top.is_directory() || hidden || not_rooms.contains(name)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(top.path())) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            const auto room = fs::relative(entry.path().parent_path(), root).generic_string();
            const auto found = includes_of(entry.path(), room);
            out.insert(out.end(), found.begin(), found.end());
        }
    }
    return out;
}

std::string room_of(const std::string& target) {
    return fs::path(target).parent_path().generic_string();
}

TEST(Arrows, AreHeldByEveryInclude) {
    Rooms seen;
    for (const auto& include : all_includes()) {
        seen.insert(include.room);
        if (!include.quoted) continue;
        const auto allowed = arrows.find(include.room);
        ASSERT_NE(allowed, arrows.end()) << include.file << " is in a room without arrows";
        EXPECT_TRUE(allowed->second.contains(room_of(include.target))) << include.line();
    }
    for (const auto& [room, allowed] : arrows)
        EXPECT_TRUE(seen.contains(room)) << room;
}

TEST(Arrows, LeadNoRoomIntoTheTests) {
    for (const auto& include : all_includes()) {
        EXPECT_FALSE(include.target.starts_with("tests/")) << include.line();
    }
}

TEST(Arrows, AreSpeltFromTheRootOfTheCheckout) {
    for (const auto& include : all_includes()) {
        if (!include.quoted) continue;
        EXPECT_TRUE(fs::exists(source_folder() / include.target)) << include.line();
    }
}

TEST(Libraries, AreUsedOnlyInTheirRooms) {
    for (const auto& include : all_includes()) {
        for (const auto& library : libraries) {
            if (!include.target.starts_with(library.prefix)) continue;
            EXPECT_TRUE(library.rooms.contains(include.room)) << include.line();
        }
    }
}

TEST(Libraries, StayOutOfHeadersThatOtherRoomsInclude) {
    const auto includes = all_includes();
    std::map<std::string, std::string> shared; // header: a file of another room that includes it
    for (const auto& include : includes) {
        if (include.quoted && room_of(include.target) != include.room) {
            shared[include.target] = include.file;
        }
    }
    // A header that a shared header includes is shared too.
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& include : includes) {
            if (!include.quoted || !shared.contains(include.file)) continue;
            grew |= shared.emplace(include.target, include.file).second;
        }
    }
    for (const auto& include : includes) {
        const bool heavy =
            std::any_of(heavy_headers.begin(), heavy_headers.end(), [&](std::string_view prefix) {
                return include.target.starts_with(prefix);
            });
        if (!heavy) continue;
        const auto found = shared.find(include.file);
        EXPECT_EQ(found, shared.end())
            << include.line() << ", and " << found->second << " includes it in turn";
    }
}

TEST(PureRooms, IncludeNoClockFileThreadOrSocket) {
    for (const auto& include : all_includes()) {
        if (!pure_rooms.contains(include.room)) continue;
        EXPECT_FALSE(impure.contains(include.target)) << include.line();
    }
}

TEST(PureRooms, ReadNeitherTheClockNorTheSurroundings) {
    static const std::regex calls(
        R"(\btime\((nullptr|NULL|0)\)|clock_gettime|gettimeofday|_clock::now|random_device|getenv)");
    std::set<std::string> files;
    for (const auto& include : all_includes()) {
        if (pure_rooms.contains(include.room)) files.insert(include.file);
    }
    for (const auto& file : files) {
        std::ifstream in(source_folder() / file);
        for (std::string line; std::getline(in, line);) {
            EXPECT_FALSE(std::regex_search(line, calls)) << file << ": " << line;
        }
    }
}

} // namespace
} // namespace headlight::tests
