// The 80 bytes that carry a block's proof of work.
#pragma once

#include "chain/hash.hpp"
#include "chain/result.hpp"
#include "chain/serialize.hpp"

namespace headlight::chain {

struct BlockHeader {
    static constexpr std::size_t size = 80; ///< bytes on the wire

    std::int32_t version = 0;
    Hash256 previous;
    Hash256 merkle_root;
    std::uint32_t time = 0; ///< seconds since 1970 UTC
    std::uint32_t bits = 0; ///< the target, compact
    std::uint32_t nonce = 0;

    friend bool operator==(const BlockHeader&, const BlockHeader&) = default;
};

/// The 80 bytes of a header.
std::array<std::uint8_t, BlockHeader::size> serialize(const BlockHeader& header);
BlockHeader read_block_header(Reader& reader);
result<BlockHeader> parse_block_header(ByteView bytes);
/// Double SHA-256 of the 80 bytes.
Hash256 hash_of(const BlockHeader& header);

} // namespace headlight::chain
