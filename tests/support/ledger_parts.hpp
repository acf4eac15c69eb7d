// What tests of the ledger are made of: a book of plain scripts, made-up transactions and blocks.
#pragma once

#include "wallet/ledger.hpp"

namespace headlight::wallet {

inline const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

/// 0014, then `kind` and `number` in twenty bytes.
inline Bytes numbered_script(std::uint8_t kind, std::uint32_t number) {
    Bytes script{0x00, 0x14, kind};
    script.resize(22);
    for (std::size_t i = 0; i < 4; ++i) {
        script[3 + i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return script;
}
inline Bytes our_script(std::uint32_t number) { return numbered_script(1, number); }
inline Bytes foreign_script(std::uint32_t number) { return numbered_script(2, number); }

inline Descriptor raw_descriptor(const Bytes& script) {
    return Descriptor::parse("raw(" + to_hex(script) + ")", regtest()).value();
}

inline chain::Hash256 block_hash(std::int32_t height, char branch = 'a') {
    return chain::hash256(as_bytes(branch + std::to_string(height)));
}

inline Confirmation in_block(std::int32_t height, char branch = 'a', std::uint32_t position = 1) {
    return {height, block_hash(height, branch), 1'700'000'000 + height, position, 9, {}};
}

struct Payment {
    chain::Transaction tx;
    chain::Hash256 txid;
    chain::OutPoint out(std::uint32_t index) const { return {txid, index}; }
};

inline Payment make_payment(const std::vector<chain::OutPoint>& inputs,
                            const std::vector<std::pair<Bytes, Amount>>& outputs,
                            std::uint32_t salt = 0) {
    chain::Transaction tx;
    tx.lock_time = salt;
    for (const auto& prevout : inputs)
        tx.inputs.push_back({prevout, {}, 0xfffffffd, {}});
    for (const auto& [script, amount] : outputs)
        tx.outputs.push_back({amount, script});
    return {tx, chain::txid(tx)};
}

/// An outpoint of somebody else.
inline chain::OutPoint foreign_coin(std::uint32_t number) {
    return {chain::hash256(as_bytes("coin" + std::to_string(number))), 0};
}

inline Payment make_coinbase(std::int32_t height, const Bytes& script, Amount amount) {
    auto payment = make_payment({{{}, 0xffffffff}}, {{script, amount}});
    payment.tx.inputs[0].script_sig = {0x03, static_cast<std::uint8_t>(height),
                                       static_cast<std::uint8_t>(height >> 8), 0};
    payment.txid = chain::txid(payment.tx);
    return payment;
}

} // namespace headlight::wallet
