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

inline bool asks_filtered(const p2p::Message& message) {
    const auto* getdata = std::get_if<p2p::GetData>(&message);
    return getdata &&
           std::any_of(getdata->entries.begin(), getdata->entries.end(),
                       [](const auto& e) { return e.type == p2p::InvType::filtered_block; });
}

// The table's parts, one file each.
std::vector<Fault> header_faults();
std::vector<Fault> merkleblock_faults();
std::vector<Fault> transaction_faults();
std::vector<Fault> handshake_faults();
std::vector<Fault> wire_faults();
std::vector<Fault> conduct_faults();

} // namespace headlight::regtest
