// The eight characters behind a descriptor's '#' (BIP-380).
#pragma once

#include "chain/result.hpp"

namespace headlight::wallet {

/// The checksum of a descriptor text without one. Error: bad_descriptor naming a character outside
/// the set, and its position (from 1).
result<std::string> descriptor_checksum(std::string_view text);

/// The text before '#', its checksum verified when there is one. Errors: as descriptor_checksum;
/// bad_checksum.
result<std::string_view> strip_checksum(std::string_view text);

} // namespace headlight::wallet
