// The constants of each network, as Bitcoin Core's chain parameters have them.
#include "chain/network.hpp"

#include <algorithm>

namespace headlight::chain {
namespace {

constexpr std::array<std::string_view, 8> main_seeds{
    "seed.bitcoin.sipa.be",   "dnsseed.bluematt.me",        "seed.bitcoin.jonasschnelli.ch",
    "seed.btc.petertodd.net", "seed.bitcoin.sprovoost.nl",  "dnsseed.emzy.de",
    "seed.bitcoin.wiz.biz",   "seed.mainnet.achownodes.xyz"};
constexpr std::array<std::string_view, 5> testnet3_seeds{
    "testnet-seed.bitcoin.jonasschnelli.ch", "seed.tbtc.petertodd.net",
    "seed.testnet.bitcoin.sprovoost.nl", "testnet-seed.bluematt.me", "seed.testnet.achownodes.xyz"};
constexpr std::array<std::string_view, 2> testnet4_seeds{"seed.testnet4.bitcoin.sprovoost.nl",
                                                         "seed.testnet4.wiz.biz"};
constexpr std::array<std::string_view, 2> signet_seeds{"seed.signet.bitcoin.sprovoost.nl",
                                                       "seed.signet.achownodes.xyz"};

// All genesis blocks but testnet4's hold the same coinbase.
constexpr std::string_view first_coinbase =
    "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
constexpr std::string_view testnet4_coinbase =
    "7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e";

constexpr std::uint32_t xpub = 0x0488b21e;
constexpr std::uint32_t xprv = 0x0488ade4;
constexpr std::uint32_t tpub = 0x043587cf;
constexpr std::uint32_t tprv = 0x04358394;

BlockHeader genesis(std::string_view merkle_root, std::uint32_t time, std::uint32_t bits,
                    std::uint32_t nonce) {
    return {1, {}, Hash256::from_string(merkle_root).value_or(Hash256{}), time, bits, nonce};
}

/// What the test networks share.
Network test_network(NetworkId id, std::string_view name) {
    Network out{};
    out.id = id;
    out.name = name;
    out.base58_pubkey_hash = 111;
    out.base58_script_hash = 196;
    out.base58_private_key = 239;
    out.bip32_public = tpub;
    out.bip32_private = tprv;
    out.bech32_prefix = "tb";
    out.coin_type = 1;
    out.paced = true;
    out.difficulty = DifficultyRule::retarget;
    return out;
}

Network make_main() {
    Network out{};
    out.id = NetworkId::main;
    out.name = "main";
    out.magic = {0xf9, 0xbe, 0xb4, 0xd9};
    out.port = 8333;
    out.genesis = genesis(first_coinbase, 1231006505, 0x1d00ffff, 2083236893);
    out.difficulty = DifficultyRule::retarget;
    out.pow_limit_bits = 0x1d00ffff;
    out.base58_pubkey_hash = 0;
    out.base58_script_hash = 5;
    out.base58_private_key = 128;
    out.bip32_public = xpub;
    out.bip32_private = xprv;
    out.bech32_prefix = "bc";
    out.coin_type = 0;
    out.paced = true;
    out.dns_seeds = main_seeds;
    return out;
}

Network make_testnet3() {
    auto out = test_network(NetworkId::testnet3, "testnet3");
    out.magic = {0x0b, 0x11, 0x09, 0x07};
    out.port = 18333;
    out.genesis = genesis(first_coinbase, 1296688602, 0x1d00ffff, 414098458);
    out.difficulty = DifficultyRule::twenty_minutes;
    out.pow_limit_bits = 0x1d00ffff;
    out.dns_seeds = testnet3_seeds;
    return out;
}

Network make_testnet4() {
    auto out = test_network(NetworkId::testnet4, "testnet4");
    out.magic = {0x1c, 0x16, 0x3f, 0x28};
    out.port = 48333;
    out.genesis = genesis(testnet4_coinbase, 1714777860, 0x1d00ffff, 393743547);
    out.difficulty = DifficultyRule::twenty_minutes_bip94;
    out.pow_limit_bits = 0x1d00ffff;
    out.dns_seeds = testnet4_seeds;
    return out;
}

Network make_signet() {
    auto out = test_network(NetworkId::signet, "signet");
    out.magic = {0x0a, 0x03, 0xcf, 0x40}; // BIP-325: from the default challenge
    out.port = 38333;
    out.genesis = genesis(first_coinbase, 1598918400, 0x1e0377ae, 52613770);
    out.pow_limit_bits = 0x1e0377ae;
    out.dns_seeds = signet_seeds;
    return out;
}

Network make_regtest() {
    auto out = test_network(NetworkId::regtest, "regtest");
    out.magic = {0xfa, 0xbf, 0xb5, 0xda};
    out.port = 18444;
    out.genesis = genesis(first_coinbase, 1296688602, 0x207fffff, 2);
    out.difficulty = DifficultyRule::none;
    out.pow_limit_bits = 0x207fffff;
    out.bech32_prefix = "bcrt";
    out.paced = false;
    return out;
}

const std::array<Network, 5>& networks() {
    static const auto all = [] {
        std::array<Network, 5> made{make_main(), make_testnet3(), make_testnet4(), make_signet(),
                                    make_regtest()};
        for (auto& each : made)
            each.genesis_hash = hash_of(each.genesis);
        return made;
    }();
    return all;
}

template <class Wanted>
const Network* find_if(const Wanted& wanted) {
    const auto& all = networks();
    const auto found = std::find_if(all.begin(), all.end(), wanted);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

const Network& network(NetworkId id) { return networks()[static_cast<std::size_t>(id)]; }

std::span<const Network> all_networks() { return networks(); }

const Network* find_network(std::string_view name) {
    if (name == "mainnet") name = "main";
    if (name == "testnet") name = "testnet3";
    return find_if([name](const Network& each) { return each.name == name; });
}

const Network* find_network(const std::array<std::uint8_t, 4>& magic) {
    return find_if([&magic](const Network& each) { return each.magic == magic; });
}

Uint256 minimum_work(NetworkId id) {
    // Cumulative work of public checkpoints: main 878976, testnet3 3612672, signet 229824.
    std::string_view work;
    switch (id) {
    case NetworkId::main:
        work = "0000000000000000000000000000000000000000a6e78db05939f5b7a956f47b";
        break;
    case NetworkId::testnet3:
        work = "0000000000000000000000000000000000000000000014ce853925a9e33901fa";
        break;
    case NetworkId::signet:
        work = "0000000000000000000000000000000000000000000000000000029c18351044";
        break;
    case NetworkId::testnet4:
    case NetworkId::regtest:
        return {};
    }
    return Uint256::from_string(work).value_or(Uint256{});
}

} // namespace headlight::chain
