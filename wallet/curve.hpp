// Point arithmetic on secp256k1, over libsecp256k1: the one file that talks to it.
#pragma once

#include "chain/bytes.hpp"

#include <secp256k1.h>

#include <array>

namespace headlight::wallet::curve {

using CompressedKey = std::array<std::uint8_t, 33>;
using Scalar = std::array<std::uint8_t, 32>;

/// A public key, decoded once so that tweaking it again and again is cheap.
class Point {
  public:
    /// 33 bytes (02, 03) or 65 (04); nothing for other forms and for what is not on the curve.
    static std::optional<Point> parse(ByteView key);
    /// Of a private key; nothing for 0 and for what is not below the order.
    static std::optional<Point> of_secret(const Scalar& secret);
    /// This + tweak * G; nothing when the tweak is not below the order, or at infinity.
    std::optional<Point> add(const Scalar& tweak) const;
    CompressedKey compressed() const;
    std::array<std::uint8_t, 65> uncompressed() const;

  private:
    secp256k1_pubkey point_{};
};

/// secret + tweak; nothing when that is no private key.
std::optional<Scalar> add(const Scalar& secret, const Scalar& tweak);

/// Whether 32 bytes are the x coordinate of a point (BIP-340).
bool valid_x_only(const Scalar& key);
/// The output key for an internal key without a script tree (BIP-341, BIP-86); nothing when the
/// internal one is not valid.
std::optional<Scalar> taproot_output_key(const Scalar& internal_key);

} // namespace headlight::wallet::curve
