// Nodes that obey what they should not, or cannot bear what they should.
#include "regtest/broken_parts.hpp"

namespace headlight::regtest {

namespace {

constexpr auto nameless = static_cast<p2p::InvType>(0x20000003);

template <class List>
bool is_long(SimSession&, const List& list) {
    return list.entries.size() > 10'000;
}
template <class List>
bool is_empty(SimSession&, const List& list) {
    return list.entries.empty();
}
bool is_large(SimSession&, const p2p::Unknown& message) {
    return message.payload_bytes > 1'000'000;
}

/// Hangs at a frame with this trouble, of any command or of one.
template <FrameTrouble trouble>
bool hangs_at_frame(SimSession&, FaultState& state, const NodeFrame& frame) {
    if (frame.trouble == trouble) state.count = 1;
    return state.count != 0;
}

/// Obeys a frame in spite of this trouble.
template <FrameTrouble trouble>
bool obeys(SimSession& session, FaultState&, const NodeFrame& frame) {
    if (frame.trouble != trouble) return false;
    const auto message = p2p::decode_payload(frame.command, frame.payload);
    if (message) session.on(*message, session.now_ms());
    return message.has_value();
}

void any_magic(SimNodeConfig& config) { config.any_magic = true; }
void first_frame_only(SimNodeConfig& config) {
    config.reading = SimNodeConfig::Reading::first_frame_of_segment;
}
void whole_frames_only(SimNodeConfig& config) {
    config.reading = SimNodeConfig::Reading::whole_frames_only;
}

bool nameless_is_filtered(SimSession&, p2p::GetData& message) {
    bool changed = false;
    for (auto& entry : message.entries) {
        if (entry.type != nameless) continue;
        entry.type = p2p::InvType::filtered_block;
        changed = true;
    }
    return changed;
}

bool notes_reserved(SimSession&, FaultState& state, const p2p::Message& message) {
    const auto* getdata = std::get_if<p2p::GetData>(&message);
    if (getdata && !getdata->entries.empty() &&
        getdata->entries.front().type == p2p::InvType::witness_filtered_block)
        state.count = 1;
    return false;
}
void false_for_reserved(SimSession&, FaultState& state, const SimBlock&, Answer& answer) {
    if (state.count) as<bip37::MerkleBlock>(answer.front())->tree.hashes.front().bytes[0] ^= 1;
}

bool answers_part(SimSession& session, FaultState&, const NodeFrame& frame) {
    if (frame.command != "getdata" || frame.trouble != FrameTrouble::malformed) return false;
    chain::Reader reader(frame.payload);
    reader.compact_size();
    const auto type = static_cast<p2p::InvType>(reader.u32());
    session.on(p2p::Message(p2p::GetData{{{type, reader.hash()}}}), session.now_ms());
    return true;
}

} // namespace

std::vector<Fault> broken_limits() {
    return {
        {.name = "broken-long-inv",
         .does = "closes at an inv over 10,000 entries",
         .swallow = closes_at<p2p::Inv, is_long<p2p::Inv>>},
        {.name = "broken-long-getdata",
         .does = "closes at a getdata over 10,000 entries",
         .swallow = closes_at<p2p::GetData, is_long<p2p::GetData>>},
        {.name = "broken-over-limit",
         .does = "hangs at a message over a limit",
         .frame = hangs_at_frame<FrameTrouble::over_limit>},
        {.name = "broken-too-long",
         .does = "hangs at a message over 4,000,000 bytes",
         .frame = hangs_at_frame<FrameTrouble::too_long>},
        {.name = "broken-empty-list",
         .does = "closes at a getdata of nothing",
         .swallow = closes_at<p2p::GetData, is_empty<p2p::GetData>>},
        {.name = "broken-large-message",
         .does = "closes at messages over 1,000,000 bytes",
         .swallow = closes_at<p2p::Unknown, is_large>},
        {.name = "broken-checksum",
         .does = "does not look at checksums",
         .frame = obeys<FrameTrouble::bad_checksum>},
        {.name = "broken-padding",
         .does = "does not look at the padding of commands",
         .frame = obeys<FrameTrouble::bad_command>},
        {.name = "broken-magic", .does = "takes messages of any network", .configure = any_magic},
        {.name = "broken-unknown-type",
         .does = "serves types that nobody knows",
         .swallow = takes_for<p2p::GetData, nameless_is_filtered>},
        {.name = "broken-reserved-type",
         .does = "serves the reserved type with false trees",
         .swallow = notes_reserved,
         .answer = false_for_reserved},
        {.name = "broken-one-frame",
         .does = "reads the first message of a segment alone",
         .configure = first_frame_only},
        {.name = "broken-whole-frames",
         .does = "closes at a message in pieces",
         .configure = whole_frames_only},
        {.name = "broken-short-getdata",
         .does = "answers the first entry of a getdata that ends early",
         .frame = answers_part},
    };
}

} // namespace headlight::regtest
