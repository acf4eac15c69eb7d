// Faults in headers messages.
#include "chain/limits.hpp"
#include "regtest/fault_parts.hpp"
#include "regtest/sim_node.hpp"

namespace headlight::regtest {

namespace {

/// Applies `change` to every headers message that has any.
template <class Change>
void each_headers(Messages& messages, Change change) {
    for (auto& outgoing : messages)
        if (auto* message = as<p2p::Headers>(outgoing); message && !message->headers.empty())
            change(message->headers);
}

template <class Change>
void last_header(Messages& messages, Change change) {
    each_headers(messages, [&](auto& headers) { change(headers.back()); });
}

void bad_work(SimSession&, FaultState&, Messages& messages) {
    last_header(messages, [](auto& header) { grind(header, false); });
}

void wrong_bits(SimSession&, FaultState&, Messages& messages) {
    last_header(messages, [](auto& header) {
        header.bits = 0x207ffffe;
        grind(header);
    });
}

void negative_target(SimSession&, FaultState&, Messages& messages) {
    last_header(messages, [](auto& header) { header.bits = 0x20ffffff; });
}

void overflowing_target(SimSession&, FaultState&, Messages& messages) {
    last_header(messages, [](auto& header) { header.bits = 0xff7fffff; });
}

void median_time(SimSession&, FaultState&, Messages& messages) {
    last_header(messages, [](auto& header) {
        header.time = 1;
        grind(header);
    });
}

void future_header(SimSession& session, FaultState& state, Messages& messages) {
    last_header(messages, [&](auto& header) {
        header.time = static_cast<std::uint32_t>(session.node().config().unix_at_zero +
                                                 session.now_ms() / 1'000 + state.n);
        grind(header);
    });
}

/// The links inside the message break (or, for a lone header, to its parent).
void unlinked_headers(SimSession&, FaultState&, Messages& messages) {
    each_headers(messages, [](auto& headers) {
        if (headers.size() > 2) {
            headers.erase(headers.begin() + 1);
        } else {
            headers.back().previous.bytes[0] ^= 1;
            grind(headers.back());
        }
    });
}

void extend(std::vector<chain::BlockHeader>& headers, std::size_t count) {
    while (headers.size() < count) {
        auto next = headers.back();
        next.previous = hash_of(headers.back());
        next.time += 60;
        grind(next);
        headers.push_back(next);
    }
}

void too_many_headers(SimSession&, FaultState&, Messages& messages) {
    each_headers(messages,
                 [](auto& headers) { extend(headers, limits::max_headers_per_message + 1); });
}

/// Every request is answered by 2,000 valid headers more on a branch of their own.
bool endless_headers(SimSession& session, FaultState& state, const p2p::Message& message) {
    if (!is<p2p::GetHeaders>(message)) return false;
    if (state.held.empty())
        state.held.emplace_back(
            p2p::Message(p2p::Headers{{session.node().chain().genesis().header}}));
    auto& headers = as<p2p::Headers>(state.held.front())->headers;
    headers.erase(headers.begin(), headers.end() - 1);
    extend(headers, limits::max_headers_per_message + 1);
    session.emit(p2p::Message(p2p::Headers{{headers.begin() + 1, headers.end()}}));
    return true;
}

/// Every request is answered by a header whose parent nobody knows.
bool floating_headers(SimSession& session, FaultState& state, const p2p::Message& message) {
    if (!is<p2p::GetHeaders>(message)) return false;
    auto header = session.node().tip().header;
    header.previous = chain::hash256(as_bytes(std::to_string(++state.count)));
    grind(header);
    session.emit(p2p::Message(p2p::Headers{{header}}));
    return true;
}

} // namespace

std::vector<Fault> header_faults() {
    return {
        {.name = "bad-work",
         .does = "the last header of each message lacks its work",
         .outgoing = bad_work},
        {.name = "wrong-bits",
         .does = "the last header has other bits than the chain asks for",
         .outgoing = wrong_bits},
        {.name = "negative-target",
         .does = "the last header's target is below zero",
         .outgoing = negative_target},
        {.name = "overflowing-target",
         .does = "the last header's target is beyond 256 bits",
         .outgoing = overflowing_target},
        {.name = "median-time",
         .does = "the last header is older than its ancestors' median",
         .outgoing = median_time},
        {.name = "future-header",
         .does = "the last header is n seconds ahead",
         .n = 10'800,
         .outgoing = future_header},
        {.name = "unlinked-headers",
         .does = "headers do not link inside a message",
         .outgoing = unlinked_headers},
        {.name = "too-many-headers",
         .does = "2,001 headers in a message",
         .outgoing = too_many_headers},
        {.name = "endless-headers",
         .does = "2,000 valid headers more for every request",
         .swallow = endless_headers},
        {.name = "floating-headers",
         .does = "headers that never connect",
         .swallow = floating_headers},
    };
}

} // namespace headlight::regtest
