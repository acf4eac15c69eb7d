// Bech32 (BIP-173) and bech32m (BIP-350), and the regrouping of bits they need.
#pragma once

#include "chain/bytes.hpp"
#include "chain/result.hpp"

namespace headlight::wallet {

struct Bech32 {
    enum class Kind { bech32, bech32m };
    Kind kind = Kind::bech32;
    std::string prefix; ///< human-readable part, lower case
    Bytes values;       ///< 5 bits each, without the checksum

    friend bool operator==(const Bech32&, const Bech32&) = default;
};

/// Lower case. The parts must be short enough for 90 characters, the values below 32.
std::string encode_bech32(const Bech32& parts);
/// Errors: malformed naming the character and its position (from 1); bad_checksum, naming the
/// position when one changed character explains it (never the correction: BIP-173 warns of that).
result<Bech32> decode_bech32(std::string_view text);

/// Bytes as 5-bit values, the last padded with zeros.
Bytes to_five_bits(ByteView bytes);
/// The reverse; nothing for non-zero padding or padding of 5 bits or more.
std::optional<Bytes> from_five_bits(ByteView values);

} // namespace headlight::wallet
