// The server's matching rule (BIP-37, "filter matching algorithm"), as a function of its own:
// tests, the simulated node, the mirror of a peer's filter and the privacy figures all need it.
#pragma once

#include "bip37/bloom_filter.hpp"
#include "chain/transaction.hpp"

namespace headlight::bip37 {

/// Whether a server holding `filter` sends `tx`; inserts the outpoints of matched outputs as the
/// filter's flags say. Tests the txid, each push of each output script, each input's outpoint and
/// each push of its scriptSig; never witness data.
bool match_and_update(BloomFilter& filter, const chain::Transaction& tx);
/// The same when the caller has the txid already.
bool match_and_update(BloomFilter& filter, const chain::Transaction& tx,
                      const chain::Hash256& txid);
/// Whether it would match, leaving the filter as it is.
bool matches(const BloomFilter& filter, const chain::Transaction& tx);

} // namespace headlight::bip37
