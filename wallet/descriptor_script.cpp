// The scripts that descriptors stand for.
#include "wallet/descriptor_node.hpp"

#include "chain/hash.hpp"
#include "chain/script.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

using Node = Descriptor::Node;
using Kind = Node::Kind;

constexpr std::uint8_t op_1 = 0x51;
constexpr std::uint8_t op_checkmultisig = 0xae;

// Above 16 there is no opcode, and a number is pushed as one byte.
void append_count(Bytes& script, std::size_t count) {
    if (count <= 16) {
        script.push_back(static_cast<std::uint8_t>(op_1 - 1 + count));
    } else {
        script.push_back(1);
        script.push_back(static_cast<std::uint8_t>(count));
    }
}

Bytes multi_script(std::uint32_t required, const std::vector<Bytes>& keys) {
    Bytes script;
    append_count(script, required);
    for (const auto& key : keys)
        chain::append_push(script, key);
    append_count(script, keys.size());
    script.push_back(op_checkmultisig);
    return script;
}

// The output key, not the internal one, is what a taproot output shows (BIP-341). Internal keys
// were checked when they were read, and the tweak fails only for one that nobody can find.
Bytes taproot_script(const Bytes& key) {
    curve::Scalar x{};
    std::copy(key.end() - 32, key.end(), x.begin());
    return chain::witness_script(1, curve::taproot_output_key(x).value_or(curve::Scalar{}));
}

Bytes inner_script(const Node& node, std::vector<Bytes>& keys) {
    switch (node.kind) {
    case Kind::pk:
    case Kind::combo:
        return chain::pk_script(keys[0]);
    case Kind::pkh:
        return chain::pkh_script(chain::hash160(keys[0]));
    case Kind::wpkh:
        return chain::witness_script(0, chain::hash160(keys[0]));
    case Kind::sortedmulti:
        std::sort(keys.begin(), keys.end());
        [[fallthrough]]; // BIP-67
    case Kind::multi:
        return multi_script(node.required, keys);
    case Kind::tr:
        return taproot_script(keys[0]);
    case Kind::addr:
    case Kind::raw:
        break;
    }
    return node.script;
}

} // namespace

Bytes node_script(const Node& node, std::vector<Bytes> keys) {
    auto script = inner_script(node, keys);
    if (node.wsh) script = chain::witness_script(0, chain::sha256(script));
    if (node.sh) script = chain::sh_script(chain::hash160(script));
    return script;
}

} // namespace headlight::wallet
