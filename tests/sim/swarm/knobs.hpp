// What a swarm's world may be made of. Each knob switches one kind of thing off and leaves all else
// of the seed as it is, so that a failing seed can be reduced by hand.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace headlight::tests {

struct Knobs {
    bool faults = true;    ///< false peers
    bool lies = true;      ///< of them, those that only a second opinion finds
    bool behind = true;    ///< honest peers that know less
    bool weather = true;   ///< lines that fail
    bool crashes = true;   ///< of the client
    bool disk = true;      ///< persists that fail
    bool stops = true;     ///< runs that are stopped
    bool reorgs = true;    ///< while runs go on, and between them
    bool growth = true;    ///< new blocks, likewise
    bool mempool = true;   ///< pending payments and replacements
    bool spends = true;    ///< of the wallet's coins
    bool jumps = true;     ///< payments that use up the gap
    bool coinbase = true;  ///< blocks that pay the wallet
    bool strangers = true; ///< payments that do not concern the wallet
    bool changes = true;   ///< of what is watched, between runs
    bool birthdays = true;
    bool shards = true; ///< scripts spread over several filters
    bool whole = true;  ///< runs that ask for whole blocks

    // The most of each.
    std::uint64_t blocks = std::numeric_limits<std::uint64_t>::max(); ///< before the first run
    std::uint64_t peers = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t runs = std::numeric_limits<std::uint64_t>::max(); ///< before the last one
    std::string wallet; ///< one kind of wallet, by its name

    /// "no-faults,blocks=30,wallet=tr". Nothing for a knob that does not exist.
    static std::optional<Knobs> parse(std::string_view text);
    /// All knobs, for messages.
    static std::string names();
};

} // namespace headlight::tests
