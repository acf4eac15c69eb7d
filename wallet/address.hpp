// Addresses, both ways, for every network.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"

namespace headlight::wallet {

/// The scriptPubKey that an address stands for. Errors: bad_address, bad_checksum, wrong_network
/// (naming the network it belongs to), private_key for a WIF key.
result<Bytes> decode_address(std::string_view text, const chain::Network& network);

/// Whether it starts as the bech32 addresses of a known network do ("bc1", "tb1", "bcrt1").
bool has_bech32_prefix(std::string_view text);

/// The address of a scriptPubKey; nothing for forms that have none (pk, bare multisig, null data).
std::optional<std::string> encode_address(ByteView script_pubkey, const chain::Network& network);

} // namespace headlight::wallet
