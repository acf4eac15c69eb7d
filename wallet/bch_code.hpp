// What the checksums of text have in common (BIP-173, BIP-380): codes over symbols of five bits.
// By tables, since a file may hold a million addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace headlight::wallet {

/// How a symbol is written, by its value.
inline constexpr std::string_view symbol_charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// A BCH code whose remainder has `bits`.
template <class State, int bits>
class BchCode {
  public:
    explicit constexpr BchCode(const std::array<State, 5>& generator) {
        for (std::size_t top = 0; top < reductions_.size(); ++top)
            for (std::size_t i = 0; i < generator.size(); ++i)
                if ((top >> i & 1) != 0) reductions_[top] ^= generator[i];
    }
    /// The remainder with one more symbol.
    constexpr State step(State state, State symbol) const {
        return ((state & ((State{1} << low_bits) - 1)) << 5) ^ symbol ^
               reductions_[state >> low_bits];
    }

  private:
    static constexpr int low_bits = bits - 5;
    std::array<State, 32> reductions_{}; ///< what the five bits that leave put back
};

inline constexpr std::uint8_t no_place = 255;

/// The place of each character in a set, by its code; no_place: it is not in there.
constexpr std::array<std::uint8_t, 256> places_in(std::string_view charset) {
    std::array<std::uint8_t, 256> places{};
    places.fill(no_place);
    for (std::size_t i = 0; i < charset.size(); ++i)
        places[static_cast<unsigned char>(charset[i])] = static_cast<std::uint8_t>(i);
    return places;
}

} // namespace headlight::wallet
