// A client in a test that talks to a simulated node, message by message.
#pragma once

#include "regtest/sim_node.hpp"

namespace headlight::tests {

class Dialogue {
  public:
    explicit Dialogue(regtest::SimNode& node, std::int64_t start_ms = 0)
        : now_ms(start_ms), session(node.open(start_ms)) {}

    /// Says a message; the whole answer, messages or not.
    std::vector<regtest::Outgoing> say_raw(const p2p::Message& message) {
        session.on(message, now_ms);
        return session.take();
    }
    /// Says a message; the messages in the answer.
    std::vector<p2p::Message> say(const p2p::Message& message) { return only(say_raw(message)); }
    /// Lets time pass; what the node says by itself.
    std::vector<p2p::Message> wait(std::int64_t ms) {
        now_ms += ms;
        session.tick(now_ms);
        return heard();
    }
    std::vector<p2p::Message> heard() { return only(session.take()); }

    std::vector<p2p::Message> shake_hands(bool relay = false) {
        p2p::Version version;
        version.nonce = 77;
        version.relay = relay;
        auto answer = say(version);
        for (auto& message : say(p2p::Verack{}))
            answer.push_back(std::move(message));
        return answer;
    }

    std::int64_t now_ms;
    regtest::SimSession& session;

  private:
    static std::vector<p2p::Message> only(std::vector<regtest::Outgoing> all) {
        std::vector<p2p::Message> messages;
        for (auto& outgoing : all)
            if (auto* message = std::get_if<p2p::Message>(&outgoing))
                messages.push_back(std::move(*message));
        return messages;
    }
};

/// Matches these elements, updating as `flags` say; with no false positive in small tests.
inline bip37::BloomFilter filter_of(const std::vector<Bytes>& elements,
                                    bip37::UpdateFlags flags = bip37::UpdateFlags::all) {
    bip37::BloomFilter filter(2'000, 20, 99, flags);
    for (const auto& element : elements)
        filter.insert(element);
    return filter;
}

template <class Wanted>
std::vector<Wanted> all_of(const std::vector<p2p::Message>& messages) {
    std::vector<Wanted> found;
    for (const auto& message : messages)
        if (const auto* wanted = std::get_if<Wanted>(&message)) found.push_back(*wanted);
    return found;
}

} // namespace headlight::tests
