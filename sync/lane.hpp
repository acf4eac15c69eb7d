// Everything that concerns one part of the scripts: who scans for it, who is asked for a second
// opinion, and what relay shows under its filter.
#pragma once

#include "sync/block_order.hpp"
#include "sync/cross_check.hpp"
#include "sync/transactions.hpp"

namespace headlight::sync {

struct Lane {
    Lane(Context& context, FilterKeeper& filters, BlockOrder& order, std::uint32_t number)
        : part(number),
          scan(context, filters, order, part),
          check(context, filters, part),
          relay(context, filters, scan) {
        order.add(scan);
    }
    Lane(const Lane&) = delete; // its members know each other
    Lane& operator=(const Lane&) = delete;

    const std::uint32_t part;
    BlockScan scan;
    CrossCheck check;
    Relay relay;

    std::string scanner_address{};      ///< the current or the latest one's
    bool unmatched_told = false;        ///< of the scanning connection
    std::int64_t progress_seen = -1;    ///< of the scanning connection
    std::int64_t stall_extended_ms = 0; ///< a slow lone scanner got more time at this moment
};

} // namespace headlight::sync
