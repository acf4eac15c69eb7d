// Point arithmetic on secp256k1, over libsecp256k1: the one file that talks to it.
#include "wallet/curve.hpp"

#include "chain/hash.hpp"
#include "wallet/secret.hpp"

#include <openssl/rand.h>
#include <secp256k1_extrakeys.h>

namespace headlight::wallet::curve {

namespace {

// One context for the process: making it costs more than using it, and nothing writes it
// afterwards. It is blinded against side channels; when the random source fails it works unblinded.
const secp256k1_context* context() {
    static const secp256k1_context* const made = [] {
        secp256k1_context* fresh = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
        Scalar seed{};
        const Wiped wiped(seed);
        if (RAND_bytes(seed.data(), static_cast<int>(seed.size())) == 1) {
            [[maybe_unused]] const int blinded = secp256k1_context_randomize(fresh, seed.data());
        }
        return fresh;
    }();
    return made;
}

} // namespace

std::optional<Point> Point::parse(ByteView key) {
    // libsecp256k1 would take the hybrid forms 06 and 07 too, which no descriptor allows.
    if (key.empty() || (key.size() == 65) != (key[0] == 4)) return std::nullopt;
    Point point;
    if (secp256k1_ec_pubkey_parse(context(), &point.point_, key.data(), key.size()) != 1)
        return std::nullopt;
    return point;
}

std::optional<Point> Point::of_secret(const Scalar& secret) {
    Point point;
    if (secp256k1_ec_pubkey_create(context(), &point.point_, secret.data()) != 1)
        return std::nullopt;
    return point;
}

std::optional<Point> Point::add(const Scalar& tweak) const {
    Point sum = *this;
    if (secp256k1_ec_pubkey_tweak_add(context(), &sum.point_, tweak.data()) != 1)
        return std::nullopt;
    return sum;
}

CompressedKey Point::compressed() const {
    CompressedKey key{};
    std::size_t size = key.size();
    secp256k1_ec_pubkey_serialize(context(), key.data(), &size, &point_, SECP256K1_EC_COMPRESSED);
    return key;
}

std::array<std::uint8_t, 65> Point::uncompressed() const {
    std::array<std::uint8_t, 65> key{};
    std::size_t size = key.size();
    secp256k1_ec_pubkey_serialize(context(), key.data(), &size, &point_, SECP256K1_EC_UNCOMPRESSED);
    return key;
}

std::optional<Scalar> add(const Scalar& secret, const Scalar& tweak) {
    Scalar sum = secret;
    if (secp256k1_ec_seckey_tweak_add(context(), sum.data(), tweak.data()) != 1)
        return std::nullopt;
    return sum;
}

bool valid_x_only(const Scalar& key) {
    secp256k1_xonly_pubkey point;
    return secp256k1_xonly_pubkey_parse(context(), &point, key.data()) == 1;
}

std::optional<Scalar> taproot_output_key(const Scalar& internal_key) {
    secp256k1_xonly_pubkey internal;
    if (secp256k1_xonly_pubkey_parse(context(), &internal, internal_key.data()) != 1)
        return std::nullopt;
    const auto tweak = chain::tagged_hash("TapTweak", internal_key);
    secp256k1_pubkey tweaked;
    if (secp256k1_xonly_pubkey_tweak_add(context(), &tweaked, &internal, tweak.data()) != 1)
        return std::nullopt;
    secp256k1_xonly_pubkey output;
    if (secp256k1_xonly_pubkey_from_pubkey(context(), &output, nullptr, &tweaked) != 1)
        return std::nullopt;
    Scalar key{};
    secp256k1_xonly_pubkey_serialize(context(), key.data(), &output);
    return key;
}

} // namespace headlight::wallet::curve
