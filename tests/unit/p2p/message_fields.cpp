// A message as the JSON object that wire.json has for it.
#include "message_fields.hpp"

#include <boost/json/array.hpp>

#include <cstdio>

namespace headlight::tests {
namespace {

using namespace p2p;
using boost::json::array;
using boost::json::object;

std::string bits_text(std::uint32_t bits) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", bits);
    return text;
}

template <class List, class Make>
array array_of(const List& list, Make make) {
    array out;
    for (const auto& item : list)
        out.push_back(make(item));
    return out;
}

object address(const NetAddress& a) {
    return {{"time", a.time}, {"services", a.services}, {"ip", to_string(a)}, {"port", a.port}};
}

object peer(const NetAddress& a) {
    auto fields = address(a);
    fields.erase("time");
    return fields;
}

object address_v2(const NetAddressV2& a) {
    return {{"time", a.time},
            {"services", a.services},
            {"network_id", a.network},
            {"address", to_hex(a.address)},
            {"port", a.port}};
}

object entry(const InvEntry& e) {
    return {{"type", static_cast<std::uint32_t>(e.type)}, {"hash", e.hash.to_string()}};
}

object header(const chain::BlockHeader& h) {
    return {{"version", h.version},
            {"prev", h.previous.to_string()},
            {"merkle_root", h.merkle_root.to_string()},
            {"time", h.time},
            {"bits", bits_text(h.bits)},
            {"nonce", h.nonce},
            {"hash", chain::hash_of(h).to_string()}};
}

boost::json::string name(const chain::Hash256& hash) { return {hash.to_string()}; }

struct Fields {
    template <class T>
    object operator()(const T&) const {
        return {};
    }
    object operator()(const Version& m) const {
        return {
            {"version", m.version},          {"services", m.services},         {"time", m.time},
            {"addr_recv", peer(m.receiver)}, {"addr_from", peer(m.sender)},    {"nonce", m.nonce},
            {"user_agent", m.user_agent},    {"start_height", m.start_height}, {"relay", m.relay}};
    }
    object operator()(const Ping& m) const { return {{"nonce", m.nonce.value_or(0)}}; }
    object operator()(const Pong& m) const { return {{"nonce", m.nonce}}; }
    object operator()(const GetHeaders& m) const {
        return {{"version", m.version},
                {"locator", array_of(m.locator, name)},
                {"stop", m.stop.to_string()}};
    }
    object operator()(const GetBlocks& m) const {
        return (*this)(GetHeaders{m.version, m.locator, m.stop});
    }
    object operator()(const Headers& m) const { return {{"headers", array_of(m.headers, header)}}; }
    object operator()(const Inv& m) const { return {{"inventory", array_of(m.entries, entry)}}; }
    object operator()(const GetData& m) const { return (*this)(Inv{m.entries}); }
    object operator()(const NotFound& m) const { return (*this)(Inv{m.entries}); }
    object operator()(const Block& m) const {
        return {{"header", header(m.header)},
                {"tx_count", m.transactions.size()},
                {"txids",
                 array_of(m.transactions, [](const auto& tx) { return name(chain::txid(tx)); })}};
    }
    object operator()(const bip37::MerkleBlock& m) const {
        return {{"header", header(m.header)},
                {"tx_count", m.tree.total_transactions},
                {"hashes", array_of(m.tree.hashes, name)},
                {"flags", to_hex(m.tree.flags)}};
    }
    object operator()(const bip37::FilterLoad& m) const {
        return {{"filter", to_hex(m.filter.data())},
                {"n_hash_funcs", m.filter.hash_functions()},
                {"tweak", m.filter.tweak()},
                {"flags", static_cast<int>(m.filter.flags())}};
    }
    object operator()(const bip37::FilterAdd& m) const { return {{"data", to_hex(m.element)}}; }
    object operator()(const FeeFilter& m) const { return {{"feerate", m.fee_rate}}; }
    object operator()(const Addr& m) const {
        return {{"addresses", array_of(m.addresses, address)}};
    }
    object operator()(const AddrV2& m) const {
        return {{"addresses", array_of(m.addresses, address_v2)}};
    }
    object operator()(const Reject& m) const {
        object fields{{"message", m.message}, {"code", m.code}, {"reason", m.reason}};
        if (const auto hash = chain::Hash256::from_bytes(m.data)) fields["data"] = name(*hash);
        return fields;
    }
};

} // namespace

object fields_of(const Message& message) { return std::visit(Fields{}, message); }

} // namespace headlight::tests
