#include "tests/bench/bench_wallet.hpp"

#include "chain/script.hpp"
#include "wallet/address.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/mnemonic.hpp"

namespace headlight::bench {

namespace {

constexpr std::uint32_t tweak = 1;
constexpr std::uint32_t gap = 20;
constexpr std::string_view words =
    "abandon abandon abandon abandon abandon abandon abandon abandon "
    "abandon abandon abandon about";

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

const wallet::Descriptor& account() {
    static const auto descriptor = [] {
        const auto master = wallet::master_key(wallet::seed_from_mnemonic(words, ""));
        const auto text =
            wallet::account_descriptor(master.value(), wallet::AccountKind::wpkh, 0, regtest());
        return wallet::Descriptor::parse(text.value(), regtest()).value();
    }();
    return descriptor;
}

} // namespace

Bytes open_redeem_script(std::uint32_t i) {
    constexpr std::uint8_t op_drop = 0x75;
    constexpr std::uint8_t op_true = 0x51;
    return {1, static_cast<std::uint8_t>(0x20 + i), op_drop, op_true};
}

Bytes open_script(std::uint32_t i) {
    return chain::sh_script(chain::hash160(open_redeem_script(i)));
}

Bytes account_script(std::uint32_t index) { return account().script_pubkey(0, index).value(); }

std::unique_ptr<wallet::Wallet> new_bench_wallet() {
    auto made = wallet::Wallet::create(regtest(), tweak, 0);
    const wallet::Birthday first_block{wallet::Birthday::Kind::height, 0};
    made->add(account(), gap, first_block, true).value();
    for (std::uint32_t i = 0; i < open_scripts; ++i) {
        const auto address = wallet::encode_address(open_script(i), regtest()).value();
        const auto item = wallet::Descriptor::parse("addr(" + address + ")", regtest());
        made->add(item.value(), gap, first_block, false).value();
    }
    return made;
}

} // namespace headlight::bench
