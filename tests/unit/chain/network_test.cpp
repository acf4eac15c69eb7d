#include "chain/network.hpp"
#include "tests/support/vectors.hpp"

#include "chain/difficulty.hpp"

#include <gtest/gtest.h>

namespace headlight::tests {
namespace {

using chain::NetworkId;

TEST(Network, GenesisHashesAreTheKnownOnes) {
    const auto hash = [](NetworkId id) { return chain::network(id).genesis_hash.to_string(); };
    EXPECT_EQ(hash(NetworkId::main),
              "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    EXPECT_EQ(hash(NetworkId::testnet3),
              "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943");
    EXPECT_EQ(hash(NetworkId::testnet4),
              "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043");
    EXPECT_EQ(hash(NetworkId::signet),
              "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6");
    EXPECT_EQ(hash(NetworkId::regtest),
              "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
}

TEST(Network, EveryGenesisCarriesItsProofOfWork) {
    for (const auto& network : chain::all_networks()) {
        EXPECT_EQ(chain::hash_of(network.genesis), network.genesis_hash);
        EXPECT_TRUE(chain::check_proof_of_work(network.genesis_hash, network.genesis.bits, network))
            << network.name;
    }
}

TEST(Network, IsFoundByNameMagicAndId) {
    for (const auto& network : chain::all_networks()) {
        EXPECT_EQ(chain::find_network(network.name), &network);
        EXPECT_EQ(chain::find_network(network.magic), &network);
        EXPECT_EQ(&chain::network(network.id), &network);
    }
    EXPECT_EQ(chain::find_network("mainnet"), &chain::network(NetworkId::main));
    EXPECT_EQ(chain::find_network("testnet"), &chain::network(NetworkId::testnet3));
    EXPECT_EQ(chain::find_network("bitcoin"), nullptr);
    EXPECT_EQ(chain::find_network(""), nullptr);
    EXPECT_EQ(chain::find_network({1, 2, 3, 4}), nullptr);
}

TEST(Network, MagicsAreThePublishedOnes) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "wire.json");
    for (const auto& [name, magic] : json.at("magic").as_object()) {
        const auto* network = chain::find_network(std::string_view(name));
        ASSERT_NE(network, nullptr) << name;
        EXPECT_EQ(to_hex(network->magic), magic.as_string());
    }
}

TEST(Network, LimitsOfProofOfWorkAreThePublishedOnes) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "difficulty.json");
    for (const auto& [name, bits] : json.at("notes").at("pow_limit_bits").as_object()) {
        const auto* network = chain::find_network(std::string_view(name));
        ASSERT_NE(network, nullptr) << name;
        EXPECT_EQ(network->pow_limit_bits, std::stoul(bits.as_string().c_str(), nullptr, 16));
    }
}

TEST(Network, AddressesOfMainAndOfTheTestNetworksNeverMix) {
    const auto& main = chain::network(NetworkId::main);
    EXPECT_EQ(main.bech32_prefix, "bc");
    EXPECT_EQ(main.coin_type, 0u);
    EXPECT_EQ(main.port, 8333);
    for (const auto& network : chain::all_networks()) {
        if (network.id == NetworkId::main) continue;
        EXPECT_EQ(network.coin_type, 1u);
        EXPECT_NE(network.base58_pubkey_hash, main.base58_pubkey_hash);
        EXPECT_NE(network.base58_script_hash, main.base58_script_hash);
        EXPECT_NE(network.bip32_public, main.bip32_public);
        EXPECT_NE(network.bech32_prefix, main.bech32_prefix);
        EXPECT_EQ(network.paced, network.id != NetworkId::regtest);
    }
    EXPECT_TRUE(chain::network(NetworkId::regtest).dns_seeds.empty());
}

} // namespace
} // namespace headlight::tests
