// Any bytes as a filteradd.
#include "bip37/messages.hpp"

#include <algorithm>
#include <cstdlib>

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView payload(data, size);
    const auto message = bip37::decode_filteradd(payload);
    if (!message) return 0;
    if (message->element.size() > limits::max_filter_add_bytes) std::abort();
    const auto encoded = bip37::encode(*message);
    if (!std::equal(encoded.begin(), encoded.end(), payload.begin(), payload.end())) std::abort();
    return 0;
}
