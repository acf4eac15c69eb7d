// The wallet that the sync benches pay and sync: one account of a mnemonic that everybody knows,
// and scripts that anybody can spend, so that coins also leave it without a signature.
#pragma once

#include "client/client.hpp"

namespace headlight::bench {

inline constexpr std::uint32_t open_scripts = 20;

/// The redeem script number `i` below open_scripts: <i> OP_DROP OP_TRUE.
Bytes open_redeem_script(std::uint32_t i);
/// sh() of it.
Bytes open_script(std::uint32_t i);
/// The account's receive script at `index`.
Bytes account_script(std::uint32_t index);

/// The wallet as it is before its first sync, always with the same filter tweak.
std::unique_ptr<wallet::Wallet> new_bench_wallet();

} // namespace headlight::bench
