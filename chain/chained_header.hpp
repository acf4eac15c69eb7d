// A header in its place on a branch.
#pragma once

#include "chain/block_header.hpp"
#include "chain/uint256.hpp"

namespace headlight::chain {

/// `work` is cumulative, from genesis up to and with this header.
struct ChainedHeader {
    BlockHeader header;
    Hash256 hash;
    std::int32_t height = 0;
    Uint256 work;

    friend bool operator==(const ChainedHeader&, const ChainedHeader&) = default;
};

} // namespace headlight::chain
