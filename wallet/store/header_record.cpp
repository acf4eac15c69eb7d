// Encoding and checking the header file's records.
#include "wallet/store/header_record.hpp"

#include "wallet/store/crc32.hpp"

#include <algorithm>

namespace headlight::wallet::store {

namespace {

constexpr std::string_view file_magic = "HLheads\n";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t summed_bytes = record_bytes - 4;

} // namespace

Preamble make_preamble(const chain::Network& network) {
    chain::Writer writer;
    writer.bytes(as_bytes(file_magic)).u32(format_version).bytes(network.magic);
    const auto sum = crc32(writer.data());
    writer.u32(sum).u32(0);
    Preamble preamble{};
    std::ranges::copy(writer.data(), preamble.begin());
    return preamble;
}

std::string preamble_fault(ByteView bytes, const chain::Network& network) {
    if (std::ranges::equal(bytes, make_preamble(network))) return {};
    chain::Reader reader(bytes);
    const auto magic = reader.bytes(file_magic.size());
    const auto version = reader.u32();
    const auto network_magic = reader.bytes(4);
    const auto sum = reader.u32();
    if (!reader.ok() || !std::ranges::equal(magic, as_bytes(file_magic)) ||
        sum != crc32(bytes.first(file_magic.size() + 8))) {
        return "it does not begin as a header file";
    }
    if (version != format_version) {
        return "it has format " + std::to_string(version) + ", this program knows format " +
               std::to_string(format_version);
    }
    if (!std::ranges::equal(network_magic, network.magic)) return "it is another network's";
    return "it does not begin as a header file";
}

void append_record(Bytes& to, const chain::ChainedHeader& header) {
    const auto start = to.size();
    to.resize(start + record_bytes);
    auto* out = to.data() + start;
    out = std::ranges::copy(chain::serialize(header.header), out).out;
    const auto put = [&](std::uint32_t value) {
        for (int shift = 0; shift < 32; shift += 8)
            *out++ = static_cast<std::uint8_t>(value >> shift);
    };
    put(static_cast<std::uint32_t>(header.height));
    out = std::ranges::copy(header.work.to_bytes(), out).out;
    put(crc32(ByteView(to).subspan(start, summed_bytes)));
}

bool record_is_whole(ByteView record) {
    return chain::Reader(record.last(4)).u32() == crc32(record.first(summed_bytes));
}

chain::ChainedHeader decode_record(ByteView record) {
    chain::Reader reader(record);
    chain::ChainedHeader header;
    header.header = chain::read_block_header(reader);
    header.height = reader.i32();
    std::array<std::uint8_t, 32> work{};
    std::ranges::copy(reader.bytes(work.size()), work.begin());
    header.work = chain::Uint256::from_bytes(work);
    return header;
}

chain::Hash256 previous_in_record(ByteView record) {
    return *chain::Hash256::from_bytes(record.subspan(4, 32));
}

} // namespace headlight::wallet::store
