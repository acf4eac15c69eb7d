// What stands for a message in the envelope and in a log.
#include "p2p/message.hpp"

#include "p2p/commands.hpp"

#include <algorithm>

namespace headlight::p2p {
namespace {

/// A peer's text, fit for a terminal: no control characters, no bytes beyond ASCII.
std::string printable(std::string_view text) {
    std::string clean(text);
    std::replace_if(
        clean.begin(), clean.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return clean;
}

std::string shortened(const chain::Hash256& hash) {
    const auto digits = hash.to_string();
    return digits.substr(0, 4) + "…" + digits.substr(digits.size() - 8);
}

std::string counted(std::size_t count) { return " (" + std::to_string(count) + ")"; }

std::string kind_of(InvType type) {
    switch (type) {
    case InvType::error:
        return "error";
    case InvType::tx:
        return "tx";
    case InvType::block:
        return "block";
    case InvType::filtered_block:
        return "filtered block";
    case InvType::compact_block:
        return "compact block";
    case InvType::wtx:
        return "wtx";
    case InvType::witness_tx:
        return "witness tx";
    case InvType::witness_block:
        return "witness block";
    case InvType::witness_filtered_block:
        return "witness filtered block";
    }
    return "type " + std::to_string(static_cast<std::uint32_t>(type));
}

std::string listed(const std::vector<InvEntry>& entries) {
    auto text = counted(entries.size());
    if (entries.empty()) return text;
    text += " " + kind_of(entries.front().type) + " " + shortened(entries.front().hash);
    return entries.size() > 1 ? text + " …" : text;
}

// The rest of the line, after the command. Messages without a form of their own have no content.
template <class T>
std::string content(const T&) {
    return {};
}

std::string content(const Version& m) {
    return " " + std::to_string(m.version) + ", " + printable(m.user_agent) + ", height " +
           std::to_string(m.start_height) + ", services " + std::to_string(m.services);
}
std::string content(const Ping& m) {
    return m.nonce ? " " + std::to_string(*m.nonce) : std::string(" without nonce");
}
std::string content(const Pong& m) { return " " + std::to_string(m.nonce); }
std::string content(const GetHeaders& m) {
    const auto count = counted(m.locator.size());
    return m.locator.empty() ? count : count + " after " + shortened(m.locator.front());
}
std::string content(const GetBlocks& m) {
    return content(GetHeaders{m.version, m.locator, m.stop});
}
std::string content(const Headers& m) { return counted(m.headers.size()); }
std::string content(const Inv& m) { return listed(m.entries); }
std::string content(const GetData& m) { return listed(m.entries); }
std::string content(const NotFound& m) { return listed(m.entries); }
std::string content(const Tx& m) { return " " + shortened(chain::txid(m.transaction)); }
std::string content(const Block& m) {
    return " " + shortened(chain::hash_of(m.header)) + counted(m.transactions.size());
}
std::string content(const bip37::MerkleBlock& m) {
    const auto proven = bip37::verify(m);
    return " " + shortened(chain::hash_of(m.header)) + ", " +
           (proven ? std::to_string(proven->matches.size()) : std::string("unproven")) + " of " +
           std::to_string(m.tree.total_transactions);
}
std::string content(const bip37::FilterLoad& m) {
    return " " + std::to_string(m.filter.data().size()) + " bytes, " +
           std::to_string(m.filter.hash_functions()) + " functions";
}
std::string content(const bip37::FilterAdd& m) {
    return " " + std::to_string(m.element.size()) + " bytes";
}
std::string content(const FeeFilter& m) { return " " + std::to_string(m.fee_rate); }
std::string content(const Addr& m) { return counted(m.addresses.size()); }
std::string content(const AddrV2& m) { return counted(m.addresses.size()); }
std::string content(const Reject& m) {
    return " " + printable(m.message) + ", code " + std::to_string(m.code) + ", " +
           printable(m.reason);
}
std::string content(const Alert& m) { return " " + std::to_string(m.content.size()) + " bytes"; }
std::string content(const Unknown& m) {
    return " (unknown) " + std::to_string(m.payload_bytes) + " bytes";
}

} // namespace

std::string_view command_of(const Message& message) {
    if (const auto* unknown = std::get_if<Unknown>(&message)) return unknown->command;
    return commands()[message.index()].name;
}

std::string summary(const Message& message) {
    return printable(command_of(message)) +
           std::visit([](const auto& m) { return content(m); }, message);
}

} // namespace headlight::p2p
