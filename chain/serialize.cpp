#include "chain/serialize.hpp"

#include <algorithm>

namespace headlight::chain {

void Reader::fail(std::string_view why) {
    if (ok()) why_ = why;
}

std::uint64_t Reader::little_endian(std::size_t count) {
    const auto raw = bytes(count);
    std::uint64_t value = 0;
    for (std::size_t i = raw.size(); i-- > 0;)
        value = (value << 8) | raw[i];
    return value;
}

std::uint8_t Reader::u8() { return static_cast<std::uint8_t>(little_endian(1)); }
std::uint16_t Reader::u16() { return static_cast<std::uint16_t>(little_endian(2)); }
std::uint32_t Reader::u32() { return static_cast<std::uint32_t>(little_endian(4)); }
std::uint64_t Reader::u64() { return little_endian(8); }

std::uint16_t Reader::u16_be() {
    const auto raw = bytes(2);
    return raw.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(raw[0] * 256 + raw[1]);
}

Hash256 Reader::hash() {
    Hash256 value;
    const auto raw = bytes(32);
    std::copy(raw.begin(), raw.end(), value.bytes.begin());
    return value;
}

ByteView Reader::bytes(std::size_t count) {
    if (!ok()) return {};
    if (count > data_.size() - position_) {
        fail("it ends too early");
        return {};
    }
    const auto view = data_.subspan(position_, count);
    position_ += count;
    return view;
}

std::uint64_t Reader::compact_size() {
    const std::uint8_t first = u8();
    if (first < 0xfd) return first;
    const std::size_t width = first == 0xfd ? 2 : first == 0xfe ? 4 : 8;
    const std::uint64_t least = width == 2 ? 0xfd : width == 4 ? 0x10000 : 0x100000000;
    const auto value = little_endian(width);
    if (ok() && value < least) fail("a CompactSize is not in its shortest form");
    return ok() ? value : 0;
}

std::size_t Reader::count(std::size_t limit, std::size_t least_bytes) {
    const auto value = compact_size();
    if (!ok()) return 0;
    if (value > limit) {
        fail("a count is over its limit");
    } else if (value > remaining() / std::max<std::size_t>(least_bytes, 1)) {
        fail("it ends too early");
    }
    return ok() ? static_cast<std::size_t>(value) : 0;
}

ByteView Reader::var_bytes(std::size_t limit) { return bytes(count(limit, 1)); }

std::string Reader::var_string(std::size_t limit) {
    const auto raw = var_bytes(limit);
    return {raw.begin(), raw.end()};
}

result<> Reader::status(std::string_view what) const {
    if (ok()) return {};
    return Error{errc::malformed, std::string(what) + " does not decode", std::string(why_)};
}

result<> Reader::finish(std::string_view what) const {
    if (ok() && position_ != data_.size()) {
        return Error{errc::malformed, std::string(what) + " does not decode",
                     std::to_string(data_.size() - position_) + " bytes are left over"};
    }
    return status(what);
}

Writer& Writer::little_endian(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    return *this;
}

Writer& Writer::u8(std::uint8_t value) { return little_endian(value, 1); }
Writer& Writer::u16(std::uint16_t value) { return little_endian(value, 2); }
Writer& Writer::u32(std::uint32_t value) { return little_endian(value, 4); }
Writer& Writer::u64(std::uint64_t value) { return little_endian(value, 8); }

Writer& Writer::u16_be(std::uint16_t value) {
    out_.push_back(static_cast<std::uint8_t>(value >> 8));
    out_.push_back(static_cast<std::uint8_t>(value));
    return *this;
}

Writer& Writer::bytes(ByteView value) {
    out_.insert(out_.end(), value.begin(), value.end());
    return *this;
}

Writer& Writer::compact_size(std::uint64_t value) {
    if (value < 0xfd) return u8(static_cast<std::uint8_t>(value));
    if (value <= 0xffff) return u8(0xfd).u16(static_cast<std::uint16_t>(value));
    if (value <= 0xffffffff) return u8(0xfe).u32(static_cast<std::uint32_t>(value));
    return u8(0xff).u64(value);
}

Writer& Writer::var_bytes(ByteView value) { return compact_size(value.size()).bytes(value); }

} // namespace headlight::chain
