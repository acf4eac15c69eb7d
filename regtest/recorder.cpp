#include "regtest/recorder.hpp"

namespace headlight::regtest {

namespace {

using What = judge::Spoken::What;

std::string_view word_of(FrameTrouble trouble) {
    switch (trouble) {
    case FrameTrouble::none:
        return "nothing";
    case FrameTrouble::wrong_magic:
        return "another network's magic";
    case FrameTrouble::too_long:
        return "over 4,000,000 bytes";
    case FrameTrouble::bad_checksum:
        return "a wrong checksum";
    case FrameTrouble::bad_command:
        return "a command that is not padded";
    case FrameTrouble::over_limit:
        return "over its limit";
    case FrameTrouble::malformed:
        return "a payload that does not decode";
    }
    return "?";
}

} // namespace

judge::Spoken& Recorder::add(std::uint32_t connection, std::int64_t now_ms, What what) {
    return recording.said.emplace_back(judge::Spoken{connection, now_ms, what, {}, {}});
}

void Recorder::opened(std::uint32_t connection, std::int64_t now_ms) {
    add(connection, now_ms, What::opened);
}

void Recorder::came(std::uint32_t connection, std::int64_t now_ms, const NodeFrame& frame) {
    if (frame.trouble == FrameTrouble::none) {
        add(connection, now_ms, What::from_client).message = frame.message;
    } else if (frame.trouble == FrameTrouble::over_limit) {
        add(connection, now_ms, What::over_limit).note = frame.command;
    } else {
        add(connection, now_ms, What::broken_frame).note =
            frame.command + ": " + std::string(word_of(frame.trouble));
    }
}

void Recorder::went(std::uint32_t connection, std::int64_t now_ms, const Outgoing& outgoing) {
    if (const auto* message = std::get_if<p2p::Message>(&outgoing))
        add(connection, now_ms, What::to_client).message = *message;
}

void Recorder::closed(std::uint32_t connection, std::int64_t now_ms, bool by_client) {
    add(connection, now_ms, by_client ? What::closed_by_client : What::closed_by_node);
}

} // namespace headlight::regtest
