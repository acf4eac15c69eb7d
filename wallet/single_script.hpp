// Descriptors that are no more than one script, addr() and raw(): what is kept of them is the
// script and which of the two they are, and their text follows from that.
#pragma once

#include "chain/bytes.hpp"
#include "chain/network.hpp"

#include <optional>
#include <string>

namespace headlight::wallet {

enum class SingleForm : std::uint8_t { none, addr, raw };

/// none: the descriptor is more than a script.
SingleForm single_form(std::string_view descriptor_text);
/// The canonical text with its checksum; empty where the form cannot hold the script.
std::string single_text(SingleForm form, ByteView script_pubkey, const chain::Network& network);
/// The script of an addr() in its canonical text, much sooner than Descriptor::parse() has it.
/// Nothing for any other text.
std::optional<Bytes> script_of_addr(std::string_view text, const chain::Network& network);

} // namespace headlight::wallet
