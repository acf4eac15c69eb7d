#include "tests/sim/swarm/wallet_kinds.hpp"

#include "wallet/address.hpp"
#include "wallet/hd_key.hpp"

namespace headlight::tests {
namespace {

using wallet::AccountKind;
using wallet::Descriptor;

const chain::Network& here() { return chain::network(chain::NetworkId::regtest); }

Descriptor parsed(const std::string& text) { return Descriptor::parse(text, here()).value(); }

wallet::ExtendedPrivateKey master(std::uint8_t number) {
    return wallet::master_key(Bytes(32, number)).value();
}

Descriptor account_of(AccountKind kind, std::uint32_t account = 0) {
    return parsed(wallet::account_descriptor(master(9), kind, account, here()).value());
}

std::string tpub(std::uint8_t number) {
    return wallet::to_string(wallet::neuter(master(number)), here());
}

std::string branches_of(std::uint8_t number) { return tpub(number) + "/<0;1>/*"; }

std::string plain_key(std::uint8_t number) {
    const auto key = wallet::neuter(master(number)).key;
    return to_hex(key);
}

/// The script of a descriptor, as an address.
Descriptor address_of(const Descriptor& descriptor, std::uint32_t index = 0) {
    const auto script = descriptor.script_pubkey(0, index).value();
    return parsed("addr(" + wallet::encode_address(script, here()).value() + ")");
}

std::vector<Descriptor> single_keys() {
    return {parsed("pk(" + plain_key(21) + ")"), parsed("pkh(" + plain_key(22) + ")"),
            parsed("wpkh(" + plain_key(23) + ")"), parsed("sh(wpkh(" + plain_key(24) + "))"),
            parsed("tr(" + plain_key(25).substr(2) + ")")};
}

std::vector<Descriptor> single_addresses() {
    const auto multi = "(2," + plain_key(31) + "," + plain_key(32) + ")";
    return {address_of(parsed("pkh(" + plain_key(33) + ")")),
            address_of(parsed("wpkh(" + plain_key(34) + ")")),
            address_of(parsed("tr(" + plain_key(35).substr(2) + ")")),
            address_of(parsed("sh(multi" + multi + ")")),
            address_of(parsed("wsh(sortedmulti" + multi + ")"))};
}

std::vector<Descriptor> raw_scripts() {
    const auto multi = parsed("multi(1," + plain_key(41) + "," + plain_key(42) + ")");
    const auto hash = parsed("pkh(" + plain_key(43) + ")");
    return {parsed("raw(" + to_hex(multi.script_pubkey(0, 0).value()) + ")"),
            parsed("raw(" + to_hex(hash.script_pubkey(0, 0).value()) + ")")};
}

std::vector<WalletKind> make_kinds() {
    const auto wpkh = account_of(AccountKind::wpkh);
    std::vector<WalletKind> kinds;
    const auto add = [&](std::string name, std::vector<Descriptor> descriptors) {
        kinds.push_back({std::move(name), std::move(descriptors)});
    };
    add("wpkh", {wpkh});
    add("pkh", {account_of(AccountKind::pkh)});
    add("sh-wpkh", {account_of(AccountKind::sh_wpkh)});
    add("tr", {account_of(AccountKind::tr)});
    add("accounts", {wpkh, account_of(AccountKind::wpkh, 1), account_of(AccountKind::tr, 2)});
    add("xpub", wallet::parse_watch_item(tpub(11), here()).value());
    add("pk", {parsed("pk(" + branches_of(12) + ")")});
    add("multi", {parsed("multi(1," + branches_of(13) + "," + branches_of(14) + ")")});
    add("sh-multi", {parsed("sh(multi(2," + branches_of(13) + "," + branches_of(14) + "," +
                            plain_key(15) + "))")});
    add("wsh", {parsed("wsh(sortedmulti(2," + branches_of(13) + "," + branches_of(14) + "))")});
    add("sh-wsh", {parsed("sh(wsh(multi(1," + branches_of(13) + "," + branches_of(14) + ")))")});
    add("one-chain", {parsed("wpkh(" + tpub(16) + "/7/*)")});
    add("four-chains", {parsed("wpkh(" + tpub(17) + "/<0;1;2;3>/*)")});
    add("keys", single_keys());
    add("addresses", single_addresses());
    add("raw", raw_scripts());
    add("twice", {wpkh, address_of(wpkh, 3), address_of(wpkh, 30)}); // two places of one script
    return kinds;
}

} // namespace

const std::vector<WalletKind>& wallet_kinds() {
    static const auto kinds = make_kinds();
    return kinds;
}

} // namespace headlight::tests
