#include "conform/rpc_maker.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <optional>

namespace headlight::conform {

namespace {

constexpr std::chrono::seconds rpc_limit{60};
constexpr std::size_t times_wanted = 11;

/// A member of an answer, if it is there; the answer is the node's, so nothing of it is taken for
/// granted.
template <class T>
std::optional<T> member(const boost::json::value& answer, std::string_view name) {
    const auto* object = answer.if_object();
    const auto* found = object ? object->if_contains(name) : nullptr;
    if (!found) return std::nullopt;
    auto value = boost::json::try_value_to<T>(*found);
    if (!value) return std::nullopt;
    return std::move(*value);
}

std::optional<chain::Hash256> hash_member(const boost::json::value& answer, std::string_view name) {
    const auto text = member<std::string>(answer, name);
    return text ? chain::Hash256::from_string(*text) : std::nullopt;
}

/// Bitcoin Core before 0.19 and bcoin: regtest starts without it.
bool awaits_segwit(const boost::json::value& info) {
    const auto forks = member<boost::json::object>(info, "bip9_softforks");
    const auto* segwit = forks ? forks->if_contains("segwit") : nullptr;
    const auto status = segwit ? member<std::string>(*segwit, "status") : std::nullopt;
    return status && *status != "active";
}

Error lacking(std::string_view name, const boost::json::value& answer) {
    return {errc::malformed, "an answer to an RPC has no good " + std::string(name),
            boost::json::serialize(answer).substr(0, 200)};
}

} // namespace

RpcMaker::RpcMaker(const RpcAccess& access, std::function<std::int64_t()> now)
    : rpc_(access.host, access.port, access.credentials), now_(std::move(now)) {}

result<std::unique_ptr<RpcMaker>> RpcMaker::open(const RpcAccess& access,
                                                 std::function<std::int64_t()> now) {
    std::unique_ptr<RpcMaker> maker(new RpcMaker(access, std::move(now)));
    const auto info = maker->call("getblockchaininfo");
    if (!info) {
        auto error = info.error();
        if (error.cure.empty())
            error.cure = "Check the address behind --rpc, and that it serves RPCs";
        return error;
    }
    const auto network = member<std::string>(*info, "chain");
    if (!network) return lacking("chain", *info);
    if (*network != "regtest")
        return Error{errc::wrong_network, "the node behind --rpc is on " + *network,
                     "blocks can only be made on regtest", "Leave --rpc out"};
    return maker;
}

result<boost::json::value> RpcMaker::call(std::string_view method,
                                          const boost::json::array& params) {
    return rpc_.call("/", method, params, rpc_limit);
}

result<Maker::Tip> RpcMaker::tip() {
    const auto info = call("getblockchaininfo");
    if (!info) return info.error();
    const auto hash = hash_member(*info, "bestblockhash");
    if (!hash) return lacking("bestblockhash", *info);
    Tip tip{*hash, 0, {}, awaits_segwit(*info), now_()};
    for (auto at = *hash; tip.times.size() < times_wanted;) {
        const auto header = call("getblockheader", {at.to_string(), true});
        if (!header) return header.error();
        const auto time = member<std::uint32_t>(*header, "time");
        if (!time) return lacking("time", *header);
        tip.times.insert(tip.times.begin(), *time);
        if (tip.times.size() == 1) {
            const auto height = member<std::int32_t>(*header, "height");
            if (!height) return lacking("height", *header);
            tip.height = *height;
        }
        const auto previous = hash_member(*header, "previousblockhash");
        if (!previous) break; // genesis
        at = *previous;
    }
    return tip;
}

result<void> RpcMaker::submit(const p2p::Block& block) {
    const auto answer = call("submitblock", {to_hex(p2p::encode_payload(block))});
    if (!answer) return answer.error();
    // BIP-22: null for a new tip, a word otherwise; beside the tip it is no refusal.
    if (answer->is_null()) return {};
    const auto* word = answer->if_string();
    if (word && (*word == "inconclusive" || *word == "duplicate")) return {};
    return Error{errc::not_accepted, "the node refused a block that was made for the checks",
                 boost::json::serialize(*answer)};
}

result<void> RpcMaker::submit(const chain::Transaction& tx) {
    return order("sendrawtransaction", {to_hex(chain::serialize(tx))});
}

result<void> RpcMaker::invalidate(const chain::Hash256& block) {
    return order("invalidateblock", {block.to_string()});
}

result<void> RpcMaker::reconsider(const chain::Hash256& block) {
    return order("reconsiderblock", {block.to_string()});
}

result<void> RpcMaker::lift_bans() { return order("clearbanned"); }

/// An RPC whose answer says nothing.
result<void> RpcMaker::order(std::string_view method, const boost::json::array& params) {
    const auto answer = call(method, params);
    if (!answer) return answer.error();
    return {};
}

} // namespace headlight::conform
