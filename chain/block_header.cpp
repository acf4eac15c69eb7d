#include "chain/block_header.hpp"

#include <algorithm>

namespace headlight::chain {

std::array<std::uint8_t, BlockHeader::size> serialize(const BlockHeader& header) {
    Writer writer(BlockHeader::size);
    writer.i32(header.version).hash(header.previous).hash(header.merkle_root);
    writer.u32(header.time).u32(header.bits).u32(header.nonce);
    std::array<std::uint8_t, BlockHeader::size> raw{};
    std::copy(writer.data().begin(), writer.data().end(), raw.begin());
    return raw;
}

BlockHeader read_block_header(Reader& reader) {
    BlockHeader header;
    header.version = reader.i32();
    header.previous = reader.hash();
    header.merkle_root = reader.hash();
    header.time = reader.u32();
    header.bits = reader.u32();
    header.nonce = reader.u32();
    return header;
}

result<BlockHeader> parse_block_header(ByteView bytes) {
    Reader reader(bytes);
    const auto header = read_block_header(reader);
    if (auto end = reader.finish("a block header"); !end) return end.error();
    return header;
}

Hash256 hash_of(const BlockHeader& header) { return hash256(serialize(header)); }

} // namespace headlight::chain
