// An extended public key made ready to derive many children, each for one point tweak.
#pragma once

#include "wallet/curve.hpp"
#include "wallet/hd_key.hpp"

namespace headlight::wallet {

class PublicParent {
  public:
    /// Nothing when the key is not on the curve.
    static std::optional<PublicParent> of(const ExtendedPublicKey& key);

    struct Child {
        curve::CompressedKey key;
        std::array<std::uint8_t, 32> chain_code;
    };
    /// Error: bad_argument for a hardened child, or one in 2^127 that has no key.
    result<Child> child(std::uint32_t number) const;

  private:
    explicit PublicParent(const curve::Point& point) : point_(point) {}

    curve::Point point_;
    curve::CompressedKey key_{};
    std::array<std::uint8_t, 32> chain_code_{};
};

} // namespace headlight::wallet
