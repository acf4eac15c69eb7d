// The five networks and everything by which they differ.
#pragma once

#include "chain/block_header.hpp"
#include "chain/uint256.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace headlight::chain {

enum class NetworkId { main, testnet3, testnet4, signet, regtest };

/// How the next block's bits follow from the chain.
enum class DifficultyRule {
    retarget,             ///< main, signet: every 2016 blocks
    twenty_minutes,       ///< testnet3: as above, but minimum bits after a gap of 20 minutes
    twenty_minutes_bip94, ///< testnet4: as testnet3, based on the period's first block
    none,                 ///< regtest: bits never change
};

struct Network {
    NetworkId id;
    std::string_view name; ///< as on the command line: main, testnet3, testnet4, signet, regtest
    std::array<std::uint8_t, 4> magic;
    std::uint16_t port;
    BlockHeader genesis;
    Hash256 genesis_hash;
    DifficultyRule difficulty;
    std::uint32_t pow_limit_bits;
    std::uint8_t base58_pubkey_hash; ///< version byte of pkh addresses
    std::uint8_t base58_script_hash; ///< version byte of sh addresses
    std::uint8_t base58_private_key; ///< version byte of WIF keys, which we refuse by name
    std::uint32_t bip32_public;      ///< xpub or tpub
    std::uint32_t bip32_private;     ///< xprv or tprv
    std::string_view bech32_prefix;
    std::uint32_t coin_type; ///< BIP-44: 0 on main, 1 elsewhere
    bool paced; ///< whether blocks come at a pace, so that an old tip means something (not regtest)
    std::span<const std::string_view> dns_seeds;
};

const Network& network(NetworkId id);
/// The least work of a best chain that can be the real one: what it was when this was written. Zero
/// where nothing is known (testnet4, regtest). Below it, whoever is asked is cut off, still
/// syncing, or makes up a chain.
Uint256 minimum_work(NetworkId id);
std::span<const Network> all_networks();
/// By name; also "mainnet" and "testnet" (testnet3).
const Network* find_network(std::string_view name);
const Network* find_network(const std::array<std::uint8_t, 4>& magic);

} // namespace headlight::chain
