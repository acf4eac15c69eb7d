// What the files of faults share: looking into messages on their way.
#pragma once

#include "regtest/faults.hpp"

#include <algorithm>

namespace headlight::regtest {

using Messages = std::vector<Outgoing>;

template <class Wanted>
Wanted* as(Outgoing& outgoing) {
    auto* message = std::get_if<p2p::Message>(&outgoing);
    return message ? std::get_if<Wanted>(message) : nullptr;
}

template <class Wanted>
bool is(const p2p::Message& message) {
    return std::holds_alternative<Wanted>(message);
}

inline bool asks_for(const p2p::Message& message, p2p::InvType type) {
    const auto* getdata = std::get_if<p2p::GetData>(&message);
    return getdata && std::any_of(getdata->entries.begin(), getdata->entries.end(),
                                  [&](const auto& entry) { return entry.type == type; });
}
inline bool asks_filtered(const p2p::Message& message) {
    return asks_for(message, p2p::InvType::filtered_block);
}
inline bool asks_whole(const p2p::Message& message) {
    return asks_for(message, p2p::InvType::block);
}
inline bool asks_blocks(const p2p::Message& message) {
    return asks_filtered(message) || asks_whole(message);
}

/// CVE-2012-2459: how many of a block's last transactions its tree pairs with themselves; a block
/// that has them once more has the same root. None where the count is a power of two.
inline std::ptrdiff_t repeated_subtree(std::size_t transactions) {
    std::size_t width = 1;
    for (auto count = transactions; count > 1 && count % 2 == 0; count /= 2)
        width *= 2;
    return width == transactions ? 0 : static_cast<std::ptrdiff_t>(width);
}

// The table's parts, one file each.
std::vector<Fault> header_faults();
std::vector<Fault> merkleblock_faults();
std::vector<Fault> transaction_faults();
std::vector<Fault> whole_block_faults();
std::vector<Fault> handshake_faults();
std::vector<Fault> wire_faults();
std::vector<Fault> conduct_faults();

} // namespace headlight::regtest
