// Bitcoin's wire encoding: little-endian integers, CompactSize lengths. The reader never throws;
// once it has failed, every further read gives zeros, so a decoder checks once, at its end.
#pragma once

#include "chain/hash.hpp"
#include "chain/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight::chain {

class Reader {
  public:
    explicit Reader(ByteView data) : data_(data) {}

    bool ok() const { return why_.empty(); }
    std::size_t remaining() const { return ok() ? data_.size() - position_ : 0; }
    std::size_t position() const { return position_; }
    /// Fails the reader by hand; the first reason stays. `why` must be a literal.
    void fail(std::string_view why);
    std::string_view why() const { return why_; }

    std::uint8_t u8();
    std::uint16_t u16();
    std::uint16_t u16_be(); ///< network byte order, as ports are sent
    std::uint32_t u32();
    std::uint64_t u64();
    std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
    std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
    Hash256 hash();
    /// The next `count` bytes, borrowed from the input.
    ByteView bytes(std::size_t count);
    /// A canonical CompactSize; a longer form than needed fails.
    std::uint64_t compact_size();
    /// A CompactSize that counts things of at least `least_bytes` each: fails when it is over
    /// `limit` or when what remains cannot hold them, so that nothing is allocated for a lie.
    std::size_t count(std::size_t limit, std::size_t least_bytes);
    /// CompactSize length, then that many bytes; fails over `limit`.
    ByteView var_bytes(std::size_t limit);
    std::string var_string(std::size_t limit);

    /// What a decoder returns at its end: an Error that names `what` if a read failed or bytes are
    /// left.
    result<> finish(std::string_view what) const;
    /// The same, allowing bytes to be left.
    result<> status(std::string_view what) const;

  private:
    std::uint64_t little_endian(std::size_t bytes);

    ByteView data_;
    std::size_t position_ = 0;
    std::string_view why_{};
};

class Writer {
  public:
    Writer() = default;
    explicit Writer(std::size_t reserve) { out_.reserve(reserve); }

    Writer& u8(std::uint8_t value);
    Writer& u16(std::uint16_t value);
    Writer& u16_be(std::uint16_t value);
    Writer& u32(std::uint32_t value);
    Writer& u64(std::uint64_t value);
    Writer& i32(std::int32_t value) { return u32(static_cast<std::uint32_t>(value)); }
    Writer& i64(std::int64_t value) { return u64(static_cast<std::uint64_t>(value)); }
    Writer& hash(const Hash256& value) { return bytes(value.bytes); }
    Writer& bytes(ByteView value);
    Writer& compact_size(std::uint64_t value);
    Writer& var_bytes(ByteView value);
    Writer& var_string(std::string_view value) { return var_bytes(as_bytes(value)); }

    const Bytes& data() const { return out_; }
    Bytes take() { return std::move(out_); }

  private:
    Writer& little_endian(std::uint64_t value, std::size_t bytes);

    Bytes out_;
};

} // namespace headlight::chain
