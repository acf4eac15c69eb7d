// One filter carried over a real chain: what a server sends, and what a client makes of it.
#include "bip37/messages.hpp"
#include "bip37/relevance.hpp"
#include "bip37/sizing.hpp"
#include "chain/script.hpp"
#include "tests/unit/bip37/blocks.hpp"

#include <map>
#include <set>

namespace headlight::bip37 {
namespace {

using tests::hex;
using tests::number;
using tests::strings;
using tests::text;

/// The balance of whoever owns outputs that push one of `elements`.
class Purse {
  public:
    explicit Purse(std::set<Bytes> elements) : elements_(std::move(elements)) {}

    Amount apply(const chain::Transaction& tx) {
        Amount delta = 0;
        for (const auto& input : tx.inputs) {
            const auto coin = coins_.find(input.prevout);
            if (coin == coins_.end()) continue;
            delta -= coin->second;
            coins_.erase(coin);
        }
        const auto txid = chain::txid(tx);
        for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
            if (!is_ours(tx.outputs[i].script_pubkey)) continue;
            coins_[{txid, i}] = tx.outputs[i].amount;
            delta += tx.outputs[i].amount;
        }
        return delta;
    }

    Amount balance() const {
        Amount sum = 0;
        for (const auto& [outpoint, amount] : coins_)
            sum += amount;
        return sum;
    }

  private:
    bool is_ours(ByteView script) const {
        for (const auto push : chain::data_pushes(script)) {
            if (elements_.contains(Bytes(push.begin(), push.end()))) return true;
        }
        return false;
    }

    std::set<Bytes> elements_;
    std::map<chain::OutPoint, Amount> coins_;
};

struct Payment {
    std::size_t height = 0;
    std::string txid;
    Amount delta = 0;

    friend bool operator==(const Payment&, const Payment&) = default;
};

void expect_scan(const boost::json::value& item, const std::vector<tests::Block>& blocks) {
    const auto size =
        core_size(number<std::size_t>(item, "n_elements"), number<double>(item, "fp_rate")).value();
    BloomFilter filter(size.bytes, size.hash_functions, number<std::uint32_t>(item, "tweak"),
                       static_cast<UpdateFlags>(number<int>(item, "flags")));
    std::set<Bytes> elements;
    for (const auto& inserted : strings(item.at("insert")))
        elements.insert(hex(inserted));
    for (const auto& element : elements)
        filter.insert(element);
    EXPECT_EQ(to_hex(encode(FilterLoad{filter})), text(item, "filter_start"));

    Purse purse(elements);
    std::vector<Payment> history;
    auto wanted = item.at("matched_blocks").as_array().begin();
    for (std::size_t height = 0; height < blocks.size(); ++height) {
        const auto& block = blocks[height];
        const auto sent = filter_block(block.header, block.transactions, filter);
        const auto found = verify(sent.merkleblock).value();
        ASSERT_EQ(found.matches.size(), sent.matched.size());
        if (found.matches.empty()) continue;

        ASSERT_NE(wanted, item.at("matched_blocks").as_array().end()) << height;
        EXPECT_EQ(height, number<std::size_t>(*wanted, "height"));
        EXPECT_EQ(to_hex(encode(sent.merkleblock)), text(*wanted, "merkleblock_hex"));
        std::vector<std::string> txids;
        for (const auto& match : found.matches) {
            txids.push_back(match.txid.to_string());
            const auto delta = purse.apply(block.transactions[match.position]);
            if (delta != 0) history.push_back({height, txids.back(), delta});
        }
        EXPECT_EQ(txids, strings(wanted->at("matched")));
        ++wanted;
    }
    EXPECT_EQ(wanted, item.at("matched_blocks").as_array().end());
    EXPECT_EQ(to_hex(encode(FilterLoad{filter})), text(item, "filter_end"));

    std::vector<Payment> published;
    for (const auto& entry : item.at("wallet_history").as_array()) {
        published.push_back({number<std::size_t>(entry, "height"), text(entry, "txid"),
                             number<Amount>(entry, "delta")});
    }
    EXPECT_EQ(history, published);
    EXPECT_EQ(purse.balance(), number<Amount>(item, "final_balance"));
}

TEST(SpvScan, OfMainnetFindsThePublishedHistory) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "spv_scan.json");
    const auto blocks = tests::mainnet_blocks();
    if (blocks.empty()) GTEST_SKIP() << "no vector file blocks/mainnet_0_438.dat";
    ASSERT_EQ(blocks.size(), 439u);
    for (const auto& item : file.at("cases").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        expect_scan(item, blocks);
    }
}

/// Segwit spends show nothing but the outpoint: a filter with UPDATE_ALL finds what looking at
/// every transaction finds.
TEST(SpvScan, OfRegtestMissesNoSegwitSpend) {
    const auto blocks = tests::regtest_blocks();
    if (blocks.empty()) GTEST_SKIP() << "no vector file blocks/regtest_1_206.hex";
    ASSERT_EQ(blocks.size(), 206u);
    std::set<Bytes> elements;
    for (const auto& block : blocks) {
        for (const auto push : chain::data_pushes(block.transactions[0].outputs[0].script_pubkey)) {
            elements.insert(Bytes(push.begin(), push.end()));
        }
    }
    for (const auto& element : elements) {
        BloomFilter filter(2'000, 20, 9, UpdateFlags::all);
        filter.insert(element);
        Purse all({element}), filtered({element});
        for (const auto& block : blocks) {
            const auto sent = filter_block(block.header, block.transactions, filter);
            ASSERT_EQ(verify(sent.merkleblock)->matches.size(), sent.matched.size());
            for (const auto& tx : block.transactions)
                all.apply(tx);
            for (const auto position : sent.matched)
                filtered.apply(block.transactions[position]);
            ASSERT_EQ(all.balance(), filtered.balance());
        }
    }
}

} // namespace
} // namespace headlight::bip37
