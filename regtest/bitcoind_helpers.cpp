// What tests ask a node for, in terms of the RPCs behind it.
#include "regtest/bitcoind.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace headlight::regtest {

namespace {

chain::Hash256 to_hash(const boost::json::value& text) {
    return chain::Hash256::from_string(std::string_view(text.as_string())).value();
}

std::vector<chain::Hash256> to_hashes(const boost::json::value& list) {
    std::vector<chain::Hash256> hashes;
    for (const auto& text : list.as_array())
        hashes.push_back(to_hash(text));
    return hashes;
}

} // namespace

std::string amount_text(Amount satoshis) {
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%08lld", static_cast<long long>(satoshis / 100'000'000),
                  static_cast<long long>(satoshis % 100'000'000));
    return text;
}

Amount satoshis(const boost::json::value& amount) {
    return std::llround(amount.to_number<double>() * 1e8);
}

std::vector<chain::Hash256> Bitcoind::mine(int count, const std::string& address) {
    if (address.empty() && own_address_.empty()) own_address_ = new_address();
    return to_hashes(must("generatetoaddress", {count, address.empty() ? own_address_ : address}));
}

chain::Hash256 Bitcoind::mine_block(const std::vector<chain::Transaction>& transactions,
                                    const std::string& address) {
    if (address.empty() && own_address_.empty()) own_address_ = new_address();
    boost::json::array raw;
    for (const auto& tx : transactions)
        raw.emplace_back(to_hex(serialize(tx)));
    const auto mined = must("generateblock", {address.empty() ? own_address_ : address, raw});
    return to_hash(mined.at("hash"));
}

void Bitcoind::invalidate(const chain::Hash256& block) {
    own_address_
        .clear(); // mined to the same address in the same second, the block would be the same
    must("invalidateblock", {block.to_string()});
}

void Bitcoind::reconsider(const chain::Hash256& block) {
    must("reconsiderblock", {block.to_string()});
}

std::int32_t Bitcoind::height() { return must("getblockcount").to_number<std::int32_t>(); }

chain::Hash256 Bitcoind::best_hash() { return to_hash(must("getbestblockhash")); }

chain::Hash256 Bitcoind::block_hash(std::int32_t at_height) {
    return to_hash(must("getblockhash", {at_height}));
}

Bytes Bitcoind::block_bytes(const chain::Hash256& block) {
    const auto raw = must("getblock", {block.to_string(), 0});
    return from_hex(std::string_view(raw.as_string())).value();
}

void Bitcoind::set_mock_time(std::int64_t time) { must("setmocktime", {time}); }

std::string Bitcoind::new_address(std::string_view type) {
    return std::string(must("getnewaddress", {"", type}).as_string());
}

/// The wallet answers with a txid even when its node does not take the transaction: it sets a lock
/// time near the height, and Bitcoin Knots relays none with a lock time of 21 (CAT-21). Such a
/// payment is made anew.
template <class Pay>
chain::Hash256 Bitcoind::in_mempool(Pay pay) {
    constexpr int most_tries = 5;
    for (int tries = 1;; ++tries) {
        const auto txid = to_hash(pay());
        if (rpc("getmempoolentry", {txid.to_string()})) return txid;
        if (tries == most_tries)
            throw std::logic_error("the node's wallet pays what the node does not take");
        must("abandontransaction", {txid.to_string()});
    }
}

chain::Hash256 Bitcoind::pay(const std::string& address, Amount amount) {
    return in_mempool([&] { return must("sendtoaddress", {address, amount_text(amount)}); });
}

chain::Hash256 Bitcoind::pay(const std::vector<PaidTo>& outputs) {
    boost::json::object amounts;
    for (const auto& output : outputs)
        amounts[output.address] = amount_text(output.amount);
    return in_mempool([&] { return must("sendmany", {"", amounts}); });
}

chain::Hash256 Bitcoind::send_raw(const chain::Transaction& tx) {
    return to_hash(must("sendrawtransaction", {to_hex(serialize(tx)), 0}));
}

chain::Transaction Bitcoind::transaction(const chain::Hash256& txid) {
    auto raw = rpc("getrawtransaction", {txid.to_string()});
    if (!raw) raw = must("gettransaction", {txid.to_string()}).at("hex");
    const auto bytes = from_hex(std::string_view(raw.value().as_string())).value();
    return chain::parse_transaction(bytes).value();
}

std::vector<chain::Hash256> Bitcoind::mempool() { return to_hashes(must("getrawmempool")); }

void Bitcoind::connect(const Bitcoind& other) {
    must("addnode", {p2p::to_string(other.endpoint()), "onetry"});
}

void Bitcoind::disconnect(const Bitcoind& other) {
    must("disconnectnode", {p2p::to_string(other.endpoint())});
}

void Bitcoind::import_descriptors(std::string_view name,
                                  const std::vector<std::string>& descriptors, int range,
                                  bool with_keys) {
    must("createwallet", {name, !with_keys, true, "", false, true, true});
    boost::json::array requests;
    for (auto text : descriptors) {
        if (text.find('#') == std::string::npos) {
            const auto checksum = must("getdescriptorinfo", {text}).at("checksum");
            text += "#" + std::string(checksum.as_string());
        }
        boost::json::object request{{"desc", text}, {"timestamp", 0}};
        if (text.find('*') != std::string::npos) request["range"] = range;
        requests.push_back(request);
    }
    boost::json::array params; // not {requests}, which would copy the list instead of holding it
    params.push_back(std::move(requests));
    const auto answers = wallet_rpc(name, "importdescriptors", params).value();
    for (const auto& answer : answers.as_array())
        if (!answer.at("success").as_bool())
            throw std::logic_error("importdescriptors: " +
                                   std::string(answer.at("error").at("message").as_string()));
}

std::vector<NodeCoin> Bitcoind::list_unspent(std::string_view wallet) {
    const boost::json::object options{{"include_immature_coinbase", true}};
    const auto listed =
        wallet_rpc(wallet, "listunspent", {0, 9'999'999, boost::json::array{}, true, options});
    std::vector<NodeCoin> coins;
    for (const auto& coin : listed.value().as_array())
        coins.push_back({{to_hash(coin.at("txid")), coin.at("vout").to_number<std::uint32_t>()},
                         satoshis(coin.at("amount")),
                         coin.at("confirmations").to_number<std::int32_t>()});
    std::sort(coins.begin(), coins.end());
    return coins;
}

NodeBalances Bitcoind::balances(std::string_view wallet) {
    const auto mine = wallet_rpc(wallet, "getbalances").value().at("mine");
    return {satoshis(mine.at("trusted")), satoshis(mine.at("untrusted_pending")),
            satoshis(mine.at("immature"))};
}

} // namespace headlight::regtest
