// Any bytes as a filterload: inside the limits or refused, and never a filter that misses.
#include "bip37/messages.hpp"

#include <algorithm>
#include <cstdlib>

using namespace headlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView payload(data, size);
    auto message = bip37::decode_filterload(payload);
    if (!message) return 0;
    auto& filter = message->filter;
    if (filter.data().size() > limits::max_filter_bytes) std::abort();
    if (filter.hash_functions() > limits::max_hash_functions) std::abort();

    const auto encoded = bip37::encode(*message); // all but the flag byte's unused bits
    if (encoded.size() != size) std::abort();
    if (!std::equal(encoded.begin(), encoded.end() - 1, payload.begin())) std::abort();
    if (bip37::decode_filterload(encoded).value() != *message) std::abort();

    const auto before = filter.bits_set();
    filter.insert(payload);
    if (!filter.contains(payload) || filter.bits_set() < before) std::abort();
    const auto rate = filter.false_positive_rate();
    if (!(rate >= 0.0 && rate <= 1.0)) std::abort();
    return 0;
}
