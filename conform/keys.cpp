#include "conform/keys.hpp"

#include <secp256k1.h>

#include <memory>
#include <stdexcept>

namespace headlight::conform {

namespace {

constexpr std::uint8_t sighash_all = 1;
using SecretKey = std::array<std::uint8_t, 32>;

const secp256k1_context* curve() {
    static const std::unique_ptr<secp256k1_context, void (*)(secp256k1_context*)> context(
        secp256k1_context_create(SECP256K1_CONTEXT_SIGN), secp256k1_context_destroy);
    return context.get();
}

SecretKey secret(std::uint32_t n) {
    SecretKey key{};
    for (std::size_t i = 0; i < 4; ++i)
        key[31 - i] = static_cast<std::uint8_t>(n >> (8 * i));
    return key;
}

Bytes sign(const chain::Hash256& digest, std::uint32_t n) {
    secp256k1_ecdsa_signature signature;
    if (!secp256k1_ecdsa_sign(curve(), &signature, digest.bytes.data(), secret(n).data(), nullptr,
                              nullptr))
        throw std::logic_error("a known key does not sign");
    Bytes der(72);
    std::size_t size = der.size();
    secp256k1_ecdsa_signature_serialize_der(curve(), der.data(), &size, &signature);
    der.resize(size);
    der.push_back(sighash_all);
    return der;
}

} // namespace

Bytes public_key(std::uint32_t n, bool compressed) {
    secp256k1_pubkey key;
    if (!secp256k1_ec_pubkey_create(curve(), &key, secret(n).data()))
        throw std::logic_error("there is no such known key");
    Bytes bytes(65);
    std::size_t size = bytes.size();
    secp256k1_ec_pubkey_serialize(curve(), bytes.data(), &size, &key,
                                  compressed ? SECP256K1_EC_COMPRESSED : SECP256K1_EC_UNCOMPRESSED);
    bytes.resize(size);
    return bytes;
}

Bytes sign_legacy(const chain::Transaction& tx, std::size_t index, ByteView script_code,
                  std::uint32_t n) {
    auto copy = tx;
    for (auto& input : copy.inputs) {
        input.script_sig.clear();
        input.witness.clear();
    }
    copy.inputs[index].script_sig.assign(script_code.begin(), script_code.end());
    auto bytes = chain::serialize(copy);
    bytes.insert(bytes.end(), {sighash_all, 0, 0, 0});
    return sign(chain::hash256(bytes), n);
}

Bytes sign_segwit(const chain::Transaction& tx, std::size_t index, ByteView script_code,
                  Amount amount, std::uint32_t n) {
    chain::Writer prevouts, sequences, outputs, all;
    for (const auto& input : tx.inputs) {
        prevouts.bytes(input.prevout.bytes());
        sequences.u32(input.sequence);
    }
    for (const auto& output : tx.outputs)
        outputs.i64(output.amount).var_bytes(output.script_pubkey);
    const auto& input = tx.inputs[index];
    all.i32(tx.version).hash(chain::hash256(prevouts.data()));
    all.hash(chain::hash256(sequences.data())).bytes(input.prevout.bytes());
    all.var_bytes(script_code).i64(amount).u32(input.sequence);
    all.hash(chain::hash256(outputs.data())).u32(tx.lock_time).u32(sighash_all);
    return sign(chain::hash256(all.data()), n);
}

} // namespace headlight::conform
