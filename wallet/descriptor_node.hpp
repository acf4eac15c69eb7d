// A descriptor as parsed. Private to the descriptor_*.cpp files.
#pragma once

#include "wallet/descriptor.hpp"
#include "wallet/descriptor_key.hpp"

namespace headlight::wallet {

/// One innermost expression, and which of sh() and wsh() stand around it: the grammar has no more.
struct Descriptor::Node {
    enum class Kind { pk, pkh, wpkh, combo, multi, sortedmulti, tr, addr, raw };

    bool sh = false;
    bool wsh = false; ///< inside sh when both
    Kind kind = Kind::pk;
    std::uint32_t required = 0; ///< multi, sortedmulti: how many must sign
    std::vector<KeyExpression> keys;
    std::string literal; ///< addr: the address; raw: hex
    Bytes script;        ///< addr, raw
};

std::string_view function_name(Descriptor::Node::Kind kind);

/// Reads the grammar of a text without its checksum, private keys included.
result<Descriptor::Node> parse_node(std::string_view text, const chain::Network& network);

/// Why a well-formed descriptor is not taken: private keys (with the public form as the cure),
/// combo, more keys than its place allows, raw scripts without a push. Nothing when it is.
std::optional<Error> refuse_node(const Descriptor::Node& node);

/// Canonical text, without checksum.
std::string node_text(const Descriptor::Node& node);

/// 1, or the number in <a;b>.
std::size_t node_branches(const Descriptor::Node& node);

/// The scriptPubKey of addr and raw, or of these keys (one for each KeyExpression).
Bytes node_script(const Descriptor::Node& node, std::vector<Bytes> keys);

} // namespace headlight::wallet
