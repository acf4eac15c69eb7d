// Small helpers for reading what people typed and for naming it in messages.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"

#include <functional>

namespace headlight::wallet {

/// The text in quotes for a message: clipped, so that a secret given by mistake is not repeated,
/// and with '?' for what does not print.
std::string quote(std::string_view text, std::size_t most = 20);

/// "'x'" or "byte 0x7f": one character, for a message.
std::string name_character(char character);

/// Without blanks (space, tab, CR, LF) at both ends.
std::string_view trim(std::string_view text);

/// ASCII letters in lower case, the rest as it is.
std::string to_lower(std::string_view text);

/// Decimal digits only, below 2^32.
std::optional<std::uint32_t> parse_decimal(std::string_view text);

/// The names of the networks for which `belongs` holds, as "testnet3/testnet4/signet".
std::string network_names(const std::function<bool(const chain::Network&)>& belongs);

/// wrong_network for `thing` ("this address"), which belongs to `owners` and not to `wanted`.
Error wrong_network(std::string_view thing, std::string_view owners, const chain::Network& wanted);

} // namespace headlight::wallet
