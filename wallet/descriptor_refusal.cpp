// Well-formed descriptors that headlight does not take, each with what to give instead.
#include "wallet/descriptor_node.hpp"

#include "chain/limits.hpp"
#include "chain/script.hpp"
#include "wallet/wif.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

using Node = Descriptor::Node;
using Kind = Node::Kind;

// combo(KEY) is four scripts of as many forms, and a filter wants one form for each script (rule:
// private), so it is given as what it stands for.
std::string combo_cure(const Node& node) {
    std::string cure = "Give the forms that you use:";
    for (const auto& text : descriptors_of_key(node.keys[0].text(), !node.keys[0].uncompressed()))
        cure += ' ' + with_checksum(text).value();
    return cure;
}

Error refuse_private(const Node& node, const KeyExpression& key) {
    Error error{errc::private_key,
                key.name() + " in " + std::string(function_name(node.kind)) + "() is a private one",
                "headlight never takes private keys"};
    const auto closed = std::find_if(node.keys.begin(), node.keys.end(), [](const auto& other) {
        return !other.no_public_form().empty();
    });
    if (closed != node.keys.end()) {
        error.cause += ", and " + closed->name() + " has a " + closed->no_public_form() +
                       ", which no public key can derive";
        error.cure =
            "Use a descriptor whose hardened steps stand before the last key, and give its "
            "public form";
    } else if (node.kind == Kind::combo) {
        error.cure = combo_cure(node);
    } else {
        error.cure = "Use the public form: " + with_checksum(node_text(node)).value();
    }
    return error;
}

// OP_k, the pushed keys, OP_n, OP_CHECKMULTISIG.
std::size_t multi_script_bytes(const Node& node) {
    std::size_t bytes = 3;
    for (const auto& key : node.keys)
        bytes += 1 + (key.uncompressed() ? 65U : 33U);
    return bytes;
}

std::optional<Error> refuse_multi(const Node& node) {
    const auto count = std::to_string(node.keys.size());
    if (!node.sh && !node.wsh && node.keys.size() > limits::max_bare_multisig_keys)
        return Error{errc::bad_descriptor, "a bare multi() of " + count + " keys is not relayed",
                     "nodes relay at most 3 keys outside sh() and wsh()",
                     "Put it into sh() or wsh(), as your wallet has it"};
    const auto bytes = multi_script_bytes(node);
    if (node.sh && !node.wsh && bytes > limits::max_redeem_script_bytes)
        return Error{errc::bad_descriptor, "sh(multi()) of " + count + " keys cannot be spent",
                     "its script would have " + std::to_string(bytes) +
                         " bytes, and sh() spends 520 at most",
                     "Use wsh() or sh(wsh()) for so many keys"};
    return std::nullopt;
}

} // namespace

std::optional<Error> refuse_node(const Node& node) {
    if (node.kind == Kind::multi || node.kind == Kind::sortedmulti)
        if (auto error = refuse_multi(node)) return error;
    const auto secret = std::find_if(node.keys.begin(), node.keys.end(),
                                     [](const auto& key) { return key.is_private(); });
    if (secret != node.keys.end()) return refuse_private(node, *secret);
    if (node.kind == Kind::combo)
        return Error{errc::bad_descriptor, "combo() is not supported",
                     "it stands for several scripts", combo_cure(node)};
    if (!node.literal.empty() || node.kind == Kind::raw)
        if (chain::filter_elements(node.script).empty())
            return Error{errc::bad_descriptor,
                         std::string(function_name(node.kind)) +
                             "() of a script without data cannot be watched",
                         "it pushes nothing that a node's filter could match, so it can never be "
                         "found over BIP-37",
                         "Leave it out"};
    return std::nullopt;
}

} // namespace headlight::wallet
