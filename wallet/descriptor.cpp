// Output descriptors: the public face of the descriptor_*.cpp files.
#include "wallet/descriptor.hpp"

#include "wallet/descriptor_checksum.hpp"
#include "wallet/descriptor_node.hpp"

#include <algorithm>

namespace headlight::wallet {

std::string node_text(const Descriptor::Node& node) {
    std::string text = std::string(node.sh ? "sh(" : "") + (node.wsh ? "wsh(" : "") +
                       std::string(function_name(node.kind)) + '(' + node.literal;
    if (node.required > 0) text += std::to_string(node.required);
    for (const auto& key : node.keys) {
        if (text.back() != '(') text += ',';
        text += key.text();
    }
    return text + ')' + (node.wsh ? ")" : "") + (node.sh ? ")" : "");
}

std::size_t node_branches(const Descriptor::Node& node) {
    std::size_t most = 1;
    for (const auto& key : node.keys)
        most = std::max(most, key.alternatives());
    return most;
}

namespace {

result<Descriptor::Node> parse_payload(std::string_view payload, const chain::Network& network) {
    auto node = parse_node(payload, network);
    auto error = node ? refuse_node(*node) : std::optional(node.error());
    if (!error) return node;
    if (error->cure.empty()) error->cure = "Correct it, or copy it again from where it comes from";
    return *std::move(error);
}

} // namespace

result<Descriptor> Descriptor::parse(std::string_view text, const chain::Network& network) {
    const auto payload = strip_checksum(text);
    if (!payload) return payload.error();
    auto node = parse_payload(*payload, network);
    if (!node) return node.error();
    auto canonical = with_checksum(node_text(*node));
    if (!canonical) return canonical.error();
    Descriptor descriptor;
    descriptor.text_ = std::move(*canonical);
    descriptor.root_ = std::make_shared<const Node>(std::move(*node));
    return descriptor;
}

std::uint32_t Descriptor::branches() const {
    return static_cast<std::uint32_t>(node_branches(*root_));
}

bool Descriptor::ranged() const {
    return std::any_of(root_->keys.begin(), root_->keys.end(),
                       [](const auto& key) { return key.ranged(); });
}

result<Bytes> Descriptor::script_pubkey(std::uint32_t branch, std::uint32_t index) const {
    if (branch >= branches() || index >= hardened || (index > 0 && !ranged()))
        return Error{errc::bad_argument, "branch " + std::to_string(branch) + ", index " +
                                             std::to_string(index) + " is outside the descriptor " +
                                             text_};
    std::vector<Bytes> keys;
    keys.reserve(root_->keys.size());
    for (const auto& key : root_->keys) {
        auto derived = key.derive(branch, index);
        if (!derived) return derived.error();
        keys.push_back(std::move(*derived));
    }
    return node_script(*root_, std::move(keys));
}

} // namespace headlight::wallet
