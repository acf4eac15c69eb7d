// What fuzz targets share: reading an input as a row of choices, and ending a run that breaks a
// rule.
#pragma once

#include "chain/bytes.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <source_location>

namespace headlight::tests {

/// Says where the rule stands that was broken.
inline void require(bool holds, std::source_location at = std::source_location::current()) {
    if (holds) return;
    std::cerr << at.file_name() << ':' << at.line() << ": broken\n";
    std::abort();
}

/// Reads choices from the input; zeros once it is used up.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

    bool empty() const { return data_.empty(); }

    /// A number in 0..n-1.
    std::uint32_t choose(std::uint32_t n) {
        std::uint32_t value = byte();
        if (n > 256) value = value * 256 + byte();
        return value % n;
    }
    std::uint8_t byte() {
        if (data_.empty()) return 0;
        const auto first = data_.front();
        data_ = data_.subspan(1);
        return first;
    }
    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            value = value << 8 | byte();
        return value;
    }
    /// At most `count` bytes: fewer when fewer are left.
    ByteView bytes(std::size_t count) {
        const auto first = data_.first(std::min(count, data_.size()));
        data_ = data_.subspan(first.size());
        return first;
    }
    ByteView rest() { return bytes(data_.size()); }

  private:
    ByteView data_;
};

inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace headlight::tests
