// Eight bytes a step over eight tables: a header file of a million records is summed at every
// start.
#include "wallet/store/crc32.hpp"

#include <array>

namespace headlight::wallet::store {

namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
        }
        tables[0][byte] = value;
    }
    for (std::size_t step = 1; step < 8; ++step) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const auto value = tables[step - 1][byte];
            tables[step][byte] = (value >> 8) ^ tables[0][value & 0xff];
        }
    }
    return tables;
}

constexpr Tables tables = make_tables();

} // namespace

std::uint32_t crc32(ByteView data, std::uint32_t before) {
    std::uint32_t crc = ~before;
    std::size_t at = 0;
    for (; at + 8 <= data.size(); at += 8) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto mixed = static_cast<std::uint8_t>(data[at + i] ^ (crc >> (8 * i)));
            next ^= tables[7 - i][mixed] ^ tables[3 - i][data[at + 4 + i]];
        }
        crc = next;
    }
    for (; at < data.size(); ++at)
        crc = (crc >> 8) ^ tables[0][(crc ^ data[at]) & 0xff];
    return ~crc;
}

} // namespace headlight::wallet::store
