// Wallets for the store's tests, in which every field is set and no two are alike.
#pragma once

#include "chain/hash.hpp"
#include "wallet/state.hpp"

#include <algorithm>
#include <string>

namespace headlight::wallet::store {

inline chain::Hash256 numbered_hash(std::uint32_t number) {
    return chain::hash256(as_bytes(std::to_string(number)));
}

inline StoredTx make_tx(std::uint32_t number, bool confirmed) {
    StoredTx stored;
    stored.tx.lock_time = number;
    stored.tx.inputs.push_back(
        {{numbered_hash(number), number}, {1, 2}, 5, {Bytes{9, 9}, Bytes{}}});
    stored.tx.outputs.push_back({number + 1, Bytes(22, 7)});
    stored.txid = chain::txid(stored.tx);
    stored.first_seen = 1'700'000'000 + number;
    stored.last_seen = stored.first_seen + 5;
    if (confirmed) {
        stored.confirmation = Confirmation{
            static_cast<std::int32_t>(number),   numbered_hash(9), 1'600'000'000, 3, 12,
            {numbered_hash(1), numbered_hash(2)}};
    } else {
        stored.abandoned = number % 2 == 1;
        stored.lost_parents = {numbered_hash(4)};
    }
    return stored;
}

inline WalletState make_state() {
    WalletState state;
    state.network = "regtest";
    state.fingerprint = "d34db33f";
    state.created = 1'700'000'000;
    state.descriptors.push_back({0,
                                 "wpkh(first)#checksum",
                                 20,
                                 {Birthday::Kind::time, 1'650'000'000},
                                 true,
                                 {{4, 225}, {-1, 220}}});
    state.descriptors.push_back(
        {1, "addr(second)", 20, {Birthday::Kind::height, 7}, false, {{0, 1}}});
    for (std::uint32_t i = 0; i < 20; ++i)
        state.transactions.push_back(make_tx(i, i % 3 != 0));
    std::ranges::sort(state.transactions, {}, &StoredTx::txid);
    state.labels = {{"bcrt1q", "rent"}, {"ünïcode", "größe"}};
    state.scan = {77, numbered_hash(77)};
    state.scan_trail = {{76, numbered_hash(76)}, {12, numbered_hash(12)}};
    state.rescan = Birthday{Birthday::Kind::height, 5};
    state.rescan_other = Birthday{Birthday::Kind::time, 1'234'567'890};
    state.filter = {.tweak = 0xdeadbeef,
                    .size_class = 1000,
                    .shards = 16,
                    .fp_rate = 0.001,
                    .split = 8,
                    .secret = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255},
                    .groups = {{"node.example:8333", 0}, {"[::1]:18444", 7}}};
    state.checked_to = 70;
    return state;
}

/// Change number i: everything says i, so that a mixture of two would show.
inline WalletChanges numbered_change(std::uint32_t i) {
    WalletChanges changes;
    const auto height = static_cast<std::int32_t>(i);
    changes.scan = ScanPosition{height, numbered_hash(i)};
    changes.scan_trail = std::vector<ScanPosition>{{height - 1, numbered_hash(i - 1)}};
    changes.descriptors = {{0, "wpkh(first)", 20, {}, true, {{i, i + 220}}}};
    changes.filter = FilterParameters{i, i};
    changes.labels = {{"count", std::to_string(i)}};
    for (std::uint32_t k = 0; k < 5; ++k)
        changes.transactions.push_back(make_tx(5 * i + k, true));
    return changes;
}

} // namespace headlight::wallet::store
