// Where headlight keeps things: <datadir>/<network>/headers and bans, and
// <datadir>/<network>/wallets/<name>.sqlite.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"

#include <filesystem>

namespace headlight::client {

struct Paths {
    std::filesystem::path datadir;
    const chain::Network* network = nullptr;
    std::string wallet = "default";

    std::filesystem::path headers() const;
    std::filesystem::path bans() const;
    std::filesystem::path wallets() const; ///< the folder
    std::filesystem::path wallet_file() const;
};

/// $XDG_DATA_HOME/headlight, or ~/.local/share/headlight. Error: bad_argument when neither is
/// known.
result<std::filesystem::path> default_datadir();

/// A wallet's name becomes a file's name: 1..64 letters, digits, '-', '_' and '.', not starting
/// with '.'.
result<void> check_wallet_name(std::string_view name);

} // namespace headlight::client
