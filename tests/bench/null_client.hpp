// The fastest client there can be: it asks a node once for all that headlight asks for, with the
// same filter, in the same batches, and throws the answers away unread.
#pragma once

#include "bip37/bloom_filter.hpp"
#include "chain/result.hpp"

namespace headlight::bench {

struct NullSync {
    double seconds = 0; ///< from connecting to the last pong
    std::int32_t blocks = 0;
    std::uint64_t bytes = 0;
};

/// The filter that headlight loads for a fresh bench wallet.
bip37::BloomFilter bench_filter();

/// Errors: io, stalled (the node closed).
result<NullSync> run_null_client(std::uint16_t port, const bip37::BloomFilter& filter);

} // namespace headlight::bench
