// Keys that everybody knows, and signatures by them: outputs to a public key have to be spent for
// a check to see whether the spending is matched. Worth nothing, for regtest only.
#pragma once

#include "chain/transaction.hpp"

namespace headlight::conform {

/// The public key of the secret number `n` (1 or more).
Bytes public_key(std::uint32_t n, bool compressed = true);

/// The signature of SIGHASH_ALL over input `index` of `tx` by key `n`, with its type byte; for the
/// script code of the coin it spends.
Bytes sign_legacy(const chain::Transaction& tx, std::size_t index, ByteView script_code,
                  std::uint32_t n);
/// The same by the digest of BIP-143.
Bytes sign_segwit(const chain::Transaction& tx, std::size_t index, ByteView script_code,
                  Amount amount, std::uint32_t n);

} // namespace headlight::conform
