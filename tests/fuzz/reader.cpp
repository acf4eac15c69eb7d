// Integers, CompactSizes and strings: a reader takes exactly what a writer would write, in its
// shortest form, and gives zeros for ever once it has failed.
#include "chain/serialize.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>

using namespace headlight;
using tests::require;

namespace {

/// Reads one thing and writes it again.
void copy_one(std::uint32_t kind, std::size_t limit, chain::Reader& reader, chain::Writer& writer) {
    switch (kind) {
    case 0:
        writer.u8(reader.u8());
        break;
    case 1:
        writer.u16(reader.u16());
        break;
    case 2:
        writer.u16_be(reader.u16_be());
        break;
    case 3:
        writer.i32(reader.i32());
        break;
    case 4:
        writer.i64(reader.i64());
        break;
    case 5:
        writer.hash(reader.hash());
        break;
    case 6:
        writer.compact_size(reader.compact_size());
        break;
    case 7: {
        const auto text = reader.var_string(limit);
        require(text.size() <= limit);
        writer.var_string(text);
        break;
    }
    default: {
        const auto least = limit % 9;
        const auto count = reader.count(limit, least);
        require(count <= limit && count * std::max<std::size_t>(least, 1) <= reader.remaining());
        writer.compact_size(count);
    }
    }
}

void expect_zeros(chain::Reader& reader) {
    const auto position = reader.position();
    require(reader.remaining() == 0 && !reader.why().empty());
    require(reader.u8() == 0 && reader.u64() == 0 && reader.compact_size() == 0);
    require(reader.hash() == chain::Hash256{} && reader.bytes(1).empty());
    require(reader.count(1'000, 1) == 0 && reader.var_string(1'000).empty());
    require(reader.position() == position && !reader.status("it") && !reader.finish("it"));
}

void check_compact_size(std::uint64_t value) {
    chain::Writer writer;
    writer.compact_size(value);
    require(writer.data().size() == (value < 0xfd          ? 1U
                                     : value <= 0xffff     ? 3U
                                     : value <= 0xffffffff ? 5U
                                                           : 9U));
    chain::Reader reader(writer.data());
    require(reader.compact_size() == value && reader.finish("it").has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Input input(data, size);
    check_compact_size(input.number(8));
    const auto kinds = input.bytes(input.choose(16));
    const auto limit = input.choose(300);
    const auto payload = input.rest();
    chain::Reader reader(payload);
    chain::Writer writer;
    for (const auto kind : kinds) {
        const auto position = reader.position();
        const auto written = writer.data().size();
        copy_one(kind % 9, limit, reader, writer);
        if (!reader.ok()) {
            expect_zeros(reader);
            return 0;
        }
        require(writer.data().size() == reader.position() && reader.position() > position);
        require(std::equal(writer.data().begin() + static_cast<std::ptrdiff_t>(written),
                           writer.data().end(),
                           payload.begin() + static_cast<std::ptrdiff_t>(position)));
    }
    require(reader.finish("it").has_value() == (reader.remaining() == 0));
    return 0;
}
