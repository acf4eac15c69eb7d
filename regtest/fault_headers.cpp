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

/// `count` headers of an invented branch above a block; `branch` tells one branch from another.
std::vector<chain::BlockHeader> invented(const SimBlock& fork, std::size_t count,
                                         std::uint8_t branch) {
    auto first = fork.header;
    first.previous = hash_of(fork.header);
    first.merkle_root.bytes[0] = branch;
    first.time += 60;
    grind(first);
    std::vector<chain::BlockHeader> headers{first};
    extend(headers, count);
    return headers;
}

/// Behind each real answer a branch of its own, with less work than the chain.
void lighter_branch(SimSession& session, FaultState& state, Messages& messages) {
    const auto& active = session.node().active();
    const auto least = static_cast<std::size_t>(state.n) + 1;
    if (!as<p2p::Headers>(messages.front()) || active.size() <= least) return;
    const auto& fork = *active[active.size() - least];
    messages.emplace_back(
        p2p::Message(p2p::Headers{invented(fork, static_cast<std::size_t>(state.n) - 1, 1)}));
}

/// Before the first real answer, two invented branches that outgrow each other by turns.
void competing_branches(SimSession& session, FaultState& state, Messages& messages) {
    const auto& genesis = session.node().chain().genesis();
    const auto turns = std::min<std::size_t>(20, session.node().active().size() / 2);
    if (!as<p2p::Headers>(messages.front()) || state.count++ > 0) return;
    Messages before;
    for (std::size_t length = 1; length <= turns; ++length) {
        before.emplace_back(p2p::Message(
            p2p::Headers{invented(genesis, length, static_cast<std::uint8_t>(length % 2))}));
    }
    messages.insert(messages.begin(), std::make_move_iterator(before.begin()),
                    std::make_move_iterator(before.end()));
}

/// A node that is behind: it knows the lower half of its chain only.
void old_tip(SimSession& session, FaultState&, Messages& messages) {
    const auto& active = session.node().active();
    const auto& highest = *active[active.size() / 2];
    for (auto& outgoing : messages) {
        auto* message = as<p2p::Headers>(outgoing);
        if (!message) continue;
        std::erase_if(message->headers, [&](const auto& header) {
            // Unknown: another fault of this node has altered it.
            const auto* block = session.node().block(hash_of(header));
            return block && block->height > highest.height;
        });
    }
}

void huge_claim(SimNodeConfig& config) { config.start_height = 1'000'000; }

/// Again and again, with or without a question.
void headers_flood(SimSession& session, FaultState& state) {
    for (std::int64_t i = 0; i < state.n; ++i)
        session.emit(p2p::Message(p2p::Headers{{session.node().tip().header}}));
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
        {.name = "lighter-branch",
         .does =
             "claims a huge height, and sends a branch that forks n blocks down, with less work",
         .n = 20,
         .configure = huge_claim,
         .outgoing = lighter_branch},
        {.name = "competing-branches",
         .does = "two invented branches outgrow each other by turns before its own chain",
         .outgoing = competing_branches},
        {.name = "old-tip", .does = "knows the lower half of its chain only", .outgoing = old_tip},
        {.name = "headers-flood",
         .does = "its tip's header n times a second",
         .n = 1'000,
         .tick = headers_flood,
         .every_ms = 1'000},
        {.name = "floating-headers",
         .does = "headers that never connect",
         .swallow = floating_headers},
    };
}

} // namespace headlight::regtest
