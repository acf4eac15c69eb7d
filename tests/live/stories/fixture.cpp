#include "tests/live/stories/fixture.hpp"

#include "chain/script.hpp"
#include "wallet/address.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <thread>

#include <unistd.h>

namespace headlight::stories {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::int64_t run_limit_ms = 60'000;
constexpr int coinbases_to_pay_with = 12;

std::string unique_name(std::string_view what) {
    static int number = 0;
    return std::string(what) + "-" + std::to_string(++number);
}

chain::Transaction from_rpc(const json::value& hex) {
    const auto bytes = from_hex(std::string_view(hex.as_string())).value();
    return chain::parse_transaction(bytes).value();
}

std::vector<std::string> lines(const std::vector<regtest::NodeCoin>& coins) {
    std::vector<std::string> texts;
    for (const auto& one : coins)
        texts.push_back(one.outpoint.to_string() + " " + std::to_string(one.amount) + " x" +
                        std::to_string(one.confirmations));
    std::sort(texts.begin(), texts.end());
    return texts;
}

std::vector<regtest::NodeCoin> as_bitcoind_lists(const Books& books) {
    std::vector<regtest::NodeCoin> coins;
    for (const auto& one : books.coins) {
        if (one.spent_by) continue;
        const auto confirmations = one.height < 0 ? 0 : books.tip - one.height + 1;
        coins.push_back({one.outpoint, one.output.amount, confirmations});
    }
    return coins;
}

// What a signer needs to know of coins that are in no block and no mempool.
json::array previous_outputs(const std::vector<chain::Transaction>& parents) {
    json::array previous;
    for (const auto& parent : parents) {
        const auto id = chain::txid(parent).to_string();
        for (std::size_t i = 0; i < parent.outputs.size(); ++i)
            previous.push_back(
                json::object{{"txid", id},
                             {"vout", i},
                             {"scriptPubKey", to_hex(parent.outputs[i].script_pubkey)},
                             {"amount", regtest::amount_text(parent.outputs[i].amount)}});
    }
    return previous;
}

template <class Condition>
void wait_until(const Condition& condition, const char* what) {
    for (int tries = 0; tries < 600; ++tries) {
        if (condition()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << what << " did not come in 30 s";
}

} // namespace

std::unique_ptr<Bitcoind> Story::node_;

Bitcoind::Options Story::usual_options() {
    // Small key pools keep bitcoind's own wallets quick.
    return {.arguments = {"-keypool=30", "-txindex=1"},
            .bloom = true,
            .whitelist = "noban,bloomfilter@127.0.0.1"};
}

std::unique_ptr<Bitcoind> Story::start_node(int blocks, Bitcoind::Options options) {
    if (options.arguments.empty()) options.arguments = {"-keypool=30"};
    auto started = Bitcoind::start(std::move(options)).value();
    if (blocks > 0) started->mine(blocks);
    return started;
}

void Story::SetUpTestSuite() {
    if (!Bitcoind::find_bitcoind()) return;
    node_ = start_node(coinbases_to_pay_with, usual_options());
    mine(100);
}

void Story::mine(int blocks) { node().mine(blocks, strangers_address()); }

chain::Hash256 Story::pay_at_any_height(const std::string& address, Amount amount) {
    return node().send_raw(fund(node(), {{amount, script_of(address)}}));
}

void Story::TearDownTestSuite() { node_.reset(); }

void Story::SetUp() {
    if (!Bitcoind::find_bitcoind()) GTEST_SKIP() << "no bitcoind: run regtest/get-bitcoind";
}

client::SyncOutcome try_sync(const StoryWallet& wallet, const std::vector<const Bitcoind*>& nodes,
                             const Change& change, const Watcher& watcher) {
    client::SyncOptions options;
    for (const auto* one : nodes)
        options.config.peers.push_back(one->endpoint());
    options.timeout_ms = run_limit_ms;
    options.handle_signals = false;
    if (change) change(options);
    return client::run_sync(wallet.paths(), options, watcher);
}

client::SyncOutcome sync(const StoryWallet& wallet, Bitcoind& node, const Change& change) {
    auto outcome = try_sync(wallet, {&node}, change);
    EXPECT_FALSE(outcome.error) << to_string(*outcome.error);
    EXPECT_EQ(outcome.statistics.height, node.height());
    return outcome;
}

bool begins_to_scan(const sync::Notice& notice) {
    const auto* log = std::get_if<sync::notice::PeerLog>(&notice);
    return log && log->text.starts_with("scans from height");
}

void expect_failed(const client::SyncOutcome& outcome, std::string_view code,
                   const std::vector<std::string>& parts) {
    ASSERT_TRUE(outcome.error) << "it ended well";
    EXPECT_EQ(outcome.error->code, code) << to_string(*outcome.error);
    const auto text = to_string(*outcome.error);
    for (const auto& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not named in: " << text;
}

Bytes script_of(const std::string& address) {
    return wallet::decode_address(address, chain::network(chain::NetworkId::regtest)).value();
}

std::string strangers_address() {
    static std::uint8_t number = 0;
    static std::uint8_t round = 0;
    if (++number == 0) ++round;
    Bytes program(20, 0x51);
    program[0] = number;
    program[1] = round;
    return wallet::encode_address(chain::witness_script(0, program),
                                  chain::network(chain::NetworkId::regtest))
        .value();
}

chain::Transaction fund(Bitcoind& node, const std::vector<chain::TxOut>& outputs) {
    chain::Transaction tx;
    tx.outputs = outputs;
    const json::object how{{"fee_rate", 10}, {"changePosition", outputs.size()}};
    const auto funded =
        node.rpc("fundrawtransaction", {to_hex(serialize(tx)), how, false}).value().at("hex");
    const auto is_signed = node.rpc("signrawtransactionwithwallet", {funded}).value();
    return from_rpc(is_signed.at("hex"));
}

Signer::Signer(Bitcoind& node, const StoryWallet& wallet, int range)
    : Signer(node, wallet.private_descriptors(), range) {}

Signer::Signer(Bitcoind& node, const std::vector<std::string>& private_descriptors, int range)
    : node_(node), name_(unique_name("keys")) {
    node_.import_descriptors(name_, private_descriptors, range, true);
}

chain::Transaction Signer::spend(const std::vector<chain::OutPoint>& coins,
                                 const std::vector<chain::TxOut>& outputs,
                                 const std::vector<chain::Transaction>& parents) const {
    chain::Transaction tx;
    for (const auto& one : coins)
        tx.inputs.push_back({one, {}, 0xfffffffd, {}});
    tx.outputs = outputs;
    json::array params{to_hex(serialize(tx))};
    params.push_back(previous_outputs(parents)); // not in braces, which would copy the list
    const auto answer = node_.wallet_rpc(name_, "signrawtransactionwithwallet", params).value();
    if (!answer.at("complete").as_bool())
        throw std::logic_error("not signed: " + json::serialize(answer));
    return from_rpc(answer.at("hex"));
}

chain::OutPoint output_to(const chain::Transaction& tx, ByteView script) {
    for (std::size_t i = 0; i < tx.outputs.size(); ++i)
        if (std::ranges::equal(tx.outputs[i].script_pubkey, script))
            return {chain::txid(tx), static_cast<std::uint32_t>(i)};
    throw std::logic_error("no output pays " + to_hex(script));
}

std::vector<chain::OutPoint> outpoints(const std::vector<wallet::Coin>& coins) {
    std::vector<chain::OutPoint> all;
    for (const auto& one : coins)
        all.push_back(one.outpoint);
    return all;
}

void expect_equal_to_bitcoind(Bitcoind& node, const StoryWallet& wallet, int range) {
    const auto books = wallet.books();
    EXPECT_EQ(books.scanned, node.height());
    expect_equal_to_bitcoind(node, books, wallet.descriptors(), range);
}

void expect_equal_to_bitcoind(Bitcoind& node, const Books& books,
                              const std::vector<std::string>& descriptors, int range) {
    EXPECT_EQ(books.tip, node.height());
    const auto name = unique_name("watch");
    node.import_descriptors(name, descriptors, range);
    EXPECT_EQ(lines(as_bitcoind_lists(books)), lines(node.list_unspent(name)));
    const auto theirs = node.balances(name);
    EXPECT_EQ(books.balance.immature, theirs.immature);
    // bitcoind trusts its own unconfirmed change; we call all of it unconfirmed.
    EXPECT_EQ(books.balance.confirmed + books.balance.unconfirmed,
              theirs.trusted + theirs.untrusted_pending);
    EXPECT_LE(books.balance.confirmed, theirs.trusted);
    node.wallet_rpc(name, "unloadwallet").value();
}

void flush(Bitcoind& node) { node.rpc("gettxoutsetinfo").value(); }

void wait_for_tip(Bitcoind& node, const chain::Hash256& tip) {
    wait_until([&] { return node.best_hash() == tip; }, "the tip");
}

void wait_for_transaction(Bitcoind& node, const chain::Hash256& txid) {
    wait_until(
        [&] {
            const auto all = node.mempool();
            return std::find(all.begin(), all.end(), txid) != all.end();
        },
        "the transaction");
}

} // namespace headlight::stories
