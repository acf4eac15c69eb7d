// The header file's bytes: a preamble, then one record of 120 bytes a header.
#pragma once

#include "chain/header_tree.hpp"

namespace headlight::wallet::store {

/// Magic, format version, network magic, CRC-32 of these, four zeros.
inline constexpr std::size_t preamble_bytes = 24;
/// The header's 80 bytes, its height (u32), the cumulative work (32 bytes, least significant
/// first), CRC-32 of these. All little-endian.
inline constexpr std::size_t record_bytes = 120;

using Preamble = std::array<std::uint8_t, preamble_bytes>;

Preamble make_preamble(const chain::Network& network);
/// What is wrong with a preamble, for people; empty when nothing is.
std::string preamble_fault(ByteView bytes, const chain::Network& network);

void append_record(Bytes& to, const chain::ChainedHeader& header);
bool record_is_whole(ByteView record); ///< its CRC holds
/// All but the hash, which is not stored: the next record's `previous` holds it.
chain::ChainedHeader decode_record(ByteView record);
chain::Hash256 previous_in_record(ByteView record);

} // namespace headlight::wallet::store
