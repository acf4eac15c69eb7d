// What a proxy may answer: the first byte chooses the peer's kind and the pieces, the rest is read
// until the talk ends. In any pieces the same is said and read.
#include "p2p/socks5.hpp"
#include "tests/fuzz/input.hpp"

namespace {

using namespace headlight;
using p2p::Socks5;
using tests::require;

constexpr std::size_t longest_answer = 2 + 2 + 4 + 1 + 255 + 2;

p2p::Endpoint target(std::uint8_t choice) {
    switch (choice % 4) {
    case 0:
        return {"192.0.2.1", 8333};
    case 1:
        return {"2001:db8::1", 8333};
    case 2:
        return {std::string(255, 'x'), 8333};
    default:
        return {"node.onion", 8333};
    }
}

struct Outcome {
    Bytes sent;
    std::optional<p2p::Socks5Failure> failure;
    bool done = false;
    std::size_t read = 0;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome talk(const p2p::Endpoint& peer, ByteView answers, std::size_t most) {
    Socks5 socks(peer, {"user", "password"});
    Outcome out;
    auto step = socks.start();
    while (true) {
        require(!(step.done && step.failure));
        require(!(step.done || step.failure) || (socks.wanted() == 0 && step.send.empty()));
        out.sent.insert(out.sent.end(), step.send.begin(), step.send.end());
        out.failure = step.failure;
        out.done = step.done;
        if (step.done || step.failure) return out;
        const auto size = std::min({most, socks.wanted(), answers.size() - out.read});
        require(socks.wanted() > 0);
        if (size == 0) return out;
        step = socks.on(answers.subspan(out.read, size));
        out.read += size;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Input input(data, size);
    const auto choice = input.byte();
    const auto answers = input.rest();
    const auto peer = target(choice);
    const auto whole = talk(peer, answers, longest_answer);
    require(whole.read <= longest_answer);
    require(talk(peer, answers, 1) == whole);
    require(talk(peer, answers, choice / 4 + std::size_t{1}) == whole);
    return 0;
}
