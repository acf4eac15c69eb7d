// Reading a header file through once: which record holds which height, and whether all of it is
// true.
//
// The file is a log. A record one above the tip extends the chain; one at or below it begins a
// branch that takes the place of everything from there on, as soon as its work is greater (an
// apply() that was cut short thus never takes effect by half).
#pragma once

#include "wallet/store/header_record.hpp"
#include "wallet/store/mapped_file.hpp"

namespace headlight::wallet::store {

struct HeaderScan {
    std::vector<std::uint32_t> records; ///< record number by height: what holds
    std::optional<chain::ChainedHeader> tip;
    std::uint32_t end = 0; ///< records before it stay; what follows is a torn tail
    bool torn = false;
    std::string damage; ///< what is wrong in the middle, for people; empty when nothing is
};

ByteView record_at(const MappedFile& file, std::uint32_t number);

/// Checks CRC, link, hash, height and work of `count` whole records. A record that does not hold
/// and has none behind it that does is a torn tail; anything else that does not hold is damage.
HeaderScan scan_headers(const MappedFile& file, std::uint32_t count, const chain::Network& network);

} // namespace headlight::wallet::store
