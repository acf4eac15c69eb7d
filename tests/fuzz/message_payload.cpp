// Any bytes as the payload of any command, which the first byte picks: what decodes comes back from
// what we encode, and prints on one line.
#include "p2p/message.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 26> commands{
        "version",     "verack",   "ping",        "pong",        "getheaders", "getblocks",
        "headers",     "inv",      "getdata",     "notfound",    "tx",         "block",
        "addr",        "addrv2",   "sendheaders", "merkleblock", "filterload", "filteradd",
        "filterclear", "mempool",  "feefilter",   "getaddr",     "sendaddrv2", "reject",
        "alert",       "unheardof"};
    if (size == 0) return 0;
    const auto command = commands[data[0] % commands.size()];
    const ByteView payload(data + 1, size - 1);
    const auto message = p2p::decode_payload(command, payload);
    if (!message) {
        if (message.error().code.empty() || message.error().message.empty()) std::abort();
        return 0;
    }
    if (p2p::command_of(*message) != command) std::abort();
    if (payload.size() > p2p::payload_limit(command)) std::abort();
    const auto line = p2p::summary(*message);
    if (std::any_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; })) {
        std::abort();
    }
    const auto encoded = p2p::encode_payload(*message);
    const auto again = p2p::decode_payload(command, encoded);
    if (!again || *again != *message) std::abort();
    if (p2p::encode_payload(*again) != encoded) std::abort();
    return 0;
}
