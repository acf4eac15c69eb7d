#include "conform/peer.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

namespace headlight::conform {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t ping_base = 0x636f6e666f726d00; // not small, so that no check uses it

/// What tells a check nothing wherever it comes.
bool is_noise(const p2p::Message& message) {
    return std::visit(
        []<class M>(const M& m) {
            if constexpr (std::is_same_v<M, p2p::Unknown>)
                return m.command == "sendcmpct" || m.command == "sendtxrcncl";
            else
                return std::is_same_v<M, p2p::Ping> || std::is_same_v<M, p2p::Addr> ||
                       std::is_same_v<M, p2p::AddrV2> || std::is_same_v<M, p2p::GetHeaders> ||
                       std::is_same_v<M, p2p::SendHeaders> || std::is_same_v<M, p2p::Alert> ||
                       std::is_same_v<M, p2p::GetAddr> || std::is_same_v<M, p2p::FeeFilter>;
        },
        message);
}

} // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::pass:
        return "pass";
    case Verdict::fail:
        return "fail";
    case Verdict::differs:
        return "differs";
    case Verdict::skipped:
        return "skipped";
    }
    return "fail";
}

std::string Heard::text() const {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < messages.size() && i < most; ++i)
        text += (text.empty() ? "" : "; ") + summary(messages[i]);
    if (messages.size() > most) text += "; and " + std::to_string(messages.size() - most) + " more";
    if (closed()) return text.empty() ? "closed" : text + "; closed";
    return text.empty() ? "nothing" : text;
}

Bytes envelope(const chain::Network& network, std::string_view command, ByteView payload) {
    auto bytes = p2p::encode_frame(network, p2p::Unknown{std::string(command), payload.size()});
    std::copy(payload.begin(), payload.end(), bytes.begin() + p2p::frame_header_bytes);
    const auto checksum = chain::hash256(payload);
    std::copy_n(checksum.bytes.begin(), 4, bytes.begin() + 20);
    return bytes;
}

Peer::Peer(const NodeAddress& node, const Deadlines& deadlines)
    : node_(node), deadlines_(deadlines), socket_(dial(node, deadlines)), reader_(*node.network) {}

void Peer::note(std::string what) {
    if (logs_) sent_.push_back(std::move(what));
}

void Peer::send(const p2p::Message& message) {
    note(summary(message));
    write(p2p::encode_frame(network(), message));
}

void Peer::send_raw(std::string_view command, ByteView payload) {
    send_bytes(envelope(network(), command, payload),
               std::string(command) + " of " + std::to_string(payload.size()) + " bytes");
}

void Peer::send_bytes(ByteView bytes, std::string what) {
    note(std::move(what));
    write(bytes);
}

bool Peer::write(ByteView bytes) {
    const auto end = Clock::now() + deadlines_.answer;
    while (!bytes.empty() && !closed_) {
        const auto count = ::send(socket_.handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!ready(socket_.handle(), POLLOUT, end))
                throw Ended{fail("the node takes no more bytes")};
        } else {
            return false; // closed by the node; what it said before is still to be read
        }
    }
    return bytes.empty();
}

/// Whether bytes came; otherwise the peer closed, or the time is over.
bool Peer::read_some(Clock::time_point end) {
    if (closed_ || !ready(socket_.handle(), POLLIN, end)) return false;
    std::array<std::uint8_t, 65'536> bytes;
    const auto count = recv(socket_.handle(), bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) {
        closed_ = true;
        return false;
    }
    reader_.feed(ByteView(bytes).first(static_cast<std::size_t>(count)));
    return true;
}

std::optional<p2p::Message> Peer::next(Clock::time_point end) {
    for (;;) {
        auto message = reader_.next();
        if (!message)
            throw Ended{
                fail("bytes that are no message: " + std::string(to_string(message.error().fault)) +
                     ", " + message.error().detail)};
        if (*message) {
            if (const auto* ping = std::get_if<p2p::Ping>(&**message); ping && ping->nonce)
                write(p2p::encode_frame(network(), p2p::Pong{*ping->nonce}));
            return std::move(**message);
        }
        if (!read_some(end)) return std::nullopt;
    }
}

Heard Peer::until(const std::function<bool(const p2p::Message&)>& reached, milliseconds limit) {
    const auto end = Clock::now() + limit;
    Heard heard;
    while (auto message = next(end)) {
        const bool last = reached(*message);
        if (last || !is_noise(*message)) heard.messages.push_back(std::move(*message));
        if (last) return heard;
    }
    heard.end = closed_ ? WaitEnd::closed : WaitEnd::silent;
    return heard;
}

Heard Peer::fence() {
    const p2p::Message pong = p2p::Pong{ping_base + ++pings_};
    write(p2p::encode_frame(network(), p2p::Ping{ping_base + pings_}));
    auto heard = until([&](const auto& message) { return message == pong; }, deadlines_.answer);
    if (heard.end == WaitEnd::silent)
        throw Ended{fail("no pong within " + std::to_string(deadlines_.answer.count()) +
                         " ms; before: " + heard.text())};
    if (heard.end == WaitEnd::reached) heard.messages.pop_back();
    return heard;
}

Heard Peer::listen(milliseconds wait) {
    return until([](const auto&) { return false; }, wait);
}

} // namespace headlight::conform
