// A chain with many small payments, a few of them the bench wallet's, in the data folder of a real
// bitcoind: made once, then kept.
#pragma once

#include "regtest/bitcoind.hpp"

namespace headlight::bench {

struct PaymentChain {
    std::int32_t blocks = 0;
    std::int64_t transactions = 0;
    std::int64_t wallet_transactions = 0;
    Amount balance = 0; ///< the wallet's, at the tip
    std::unique_ptr<regtest::Bitcoind> node;
};

/// Starts a bitcoind that has the chain; makes it first when `cache` does not hold it yet (a minute
/// or so). At least 300 blocks. Errors: bitcoind's.
result<PaymentChain> open_payment_chain(const std::filesystem::path& cache, std::int32_t blocks);

} // namespace headlight::bench
