// The simulated node against a real one: the same chain, the same messages, the same answers. What
// the simulator teaches about the engine is worth as much as this.
#include "tests/live/node/live.hpp"
#include "tests/live/node/raw_peer.hpp"
#include "tests/unit/regtest/dialogue.hpp"

#include "chain/script.hpp"
#include "wallet/address.hpp"

using namespace headlight;
using namespace headlight::regtest;
using namespace headlight::tests;
using p2p::InvType;

namespace {

/// A real node and a simulated one with the same chain, and a client at each.
class Twins {
  public:
    explicit Twins(Bitcoind& real, SimNodeConfig config = {})
        : real_(real), sim_(chain_, std::move(config)) {
        copy_chain();
    }

    void connect() {
        peer_ = std::make_unique<RawPeer>(real_.p2p_port());
        dialogue_ = std::make_unique<Dialogue>(sim_);
        p2p::Version version;
        version.relay = false;
        version.nonce = 42;
        say(version);
        say(p2p::Verack{});
        fence();
    }

    void say(const p2p::Message& message) {
        peer_->send(message);
        dialogue_->session.on(message, 0);
    }

    /// What each has answered since the last fence, without what it says of its own accord.
    struct Answers {
        std::vector<p2p::Message> real, simulated;
    };
    Answers fence() {
        const auto nonce = ++fences_;
        Answers answers{peer_->until_pong(nonce), dialogue_->say(p2p::Ping{nonce})};
        answers.simulated.pop_back();
        std::erase_if(answers.real, unasked);
        std::erase_if(answers.simulated, unasked);
        return answers;
    }
    static bool unasked(const p2p::Message& message) {
        const auto* inv = std::get_if<p2p::Inv>(&message);
        return std::holds_alternative<p2p::Ping>(message) ||
               std::holds_alternative<p2p::FeeFilter>(message) ||
               (inv && inv->entries.front().type == InvType::block);
    }

    /// Says a message; both must answer the same, in as many messages as are returned.
    std::size_t same(const p2p::Message& message) {
        say(message);
        const auto [real, simulated] = fence();
        EXPECT_EQ(real.size(), simulated.size()) << p2p::summary(message);
        for (std::size_t i = 0; i < std::min(real.size(), simulated.size()); ++i) {
            EXPECT_EQ(p2p::encode_payload(real[i]), p2p::encode_payload(simulated[i]))
                << "to " << p2p::summary(message) << "\n  real: " << p2p::summary(real[i])
                << "\n  simulated: " << p2p::summary(simulated[i]);
        }
        return real.size();
    }

    /// Whether both close the connection at this message.
    bool both_close(const p2p::Message& message) {
        connect();
        return both_close_now(message);
    }
    bool both_close_now(const p2p::Message& message) {
        say(message);
        peer_->send(p2p::Ping{1});
        while (peer_->next()) {
            if (dialogue_->session.closed()) continue;
            break;
        }
        EXPECT_EQ(peer_->closed(), dialogue_->session.closed()) << p2p::summary(message);
        return peer_->closed();
    }

    /// Takes over the real node's blocks and tip.
    void copy_chain() {
        std::vector<chain::Hash256> unknown;
        auto hash = real_.best_hash();
        for (auto height = real_.height(); !chain_.find(hash); hash = real_.block_hash(--height))
            unknown.push_back(hash);
        for (auto wanted = unknown.rbegin(); wanted != unknown.rend(); ++wanted) {
            auto block = p2p::decode_payload("block", real_.block_bytes(*wanted)).value();
            chain_.add(std::get<p2p::Block>(block));
        }
        sim_.set_tip(real_.best_hash(), 0);
    }

    SimNode& sim() { return sim_; }

  private:
    Bitcoind& real_;
    ChainBuilder chain_;
    SimNode sim_;
    std::unique_ptr<RawPeer> peer_;
    std::unique_ptr<Dialogue> dialogue_;
    std::uint64_t fences_ = 1'000'000;
};

p2p::GetData one(InvType type, const chain::Hash256& hash) { return {{{type, hash}}}; }

std::vector<Bytes> elements_of(const std::string& address) {
    const auto& network = chain::network(chain::NetworkId::regtest);
    return chain::filter_elements(wallet::decode_address(address, network).value());
}

} // namespace

TEST(SameAnswers, ToGetHeaders) {
    HEADLIGHT_BITCOIND_OR_SKIP(real);
    real.mine(30);
    const auto stale = real.block_hash(25);
    real.invalidate(stale);
    real.mine(2'100);
    Twins twins(real);
    twins.connect();
    const auto tip = real.best_hash(), middle = real.block_hash(1'000),
               genesis = real.block_hash(0);
    for (const auto& request : std::vector<p2p::GetHeaders>{
             {70016, {genesis}, {}},
             {70016, {middle, genesis}, {}},
             {70016, {stale, middle}, {}},
             {70016, {chain::Hash256{}}, {}},
             {70016, {genesis}, middle},
             {70016, {middle}, genesis},
             {70016, {tip}, {}},
             {70016, {}, middle},
         })
        EXPECT_EQ(twins.same(request), 1U);
    EXPECT_EQ(twins.same(p2p::GetHeaders{70016, {}, {}}), 0U);
    EXPECT_EQ(twins.same(p2p::GetHeaders{70016, std::vector<chain::Hash256>(101, genesis), tip}),
              1U);
    EXPECT_TRUE(twins.both_close(p2p::GetHeaders{70016, std::vector<chain::Hash256>(102), {}}));
}

TEST(SameAnswers, ToFilteredBlocksUnderFiltersThatGrow) {
    HEADLIGHT_BITCOIND_OR_SKIP(real);
    real.mine(120);
    // Payments of every form to two addresses whose coins are spent again by the node's own wallet.
    const auto first = real.new_address("bech32"), second = real.new_address("legacy");
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 5; ++i) {
            real.pay(real.new_address("p2sh-segwit"), 70'000 + i);
            real.pay(i % 2 ? first : second, 5'000'000'000 + i);
            real.pay(real.new_address("bech32m"), 3'000'000'000);
        }
        real.mine(1);
    }
    Twins twins(real);
    twins.connect();
    const auto height = real.height();
    const auto all = [&] {
        std::size_t messages = 0;
        for (std::int32_t at = height - 6; at <= height; ++at)
            messages += twins.same(one(InvType::filtered_block, real.block_hash(at)));
        return messages;
    };
    EXPECT_EQ(all(), 0U) << "silence without a filter";

    for (const auto flags :
         {bip37::UpdateFlags::none, bip37::UpdateFlags::all, bip37::UpdateFlags::p2pubkey_only}) {
        twins.say(bip37::FilterLoad{filter_of(elements_of(first), flags)});
        EXPECT_GT(all(), 7U);
        EXPECT_GT(all(), 7U) << "the second time with what the first one added";
        for (const auto& element : elements_of(second))
            twins.say(bip37::FilterAdd{element});
        EXPECT_GT(all(), 7U);
    }
    // Small, full and empty filters: false positives must be the same ones.
    for (const auto& filter : {bip37::BloomFilter(8, 3, 5, bip37::UpdateFlags::all),
                               bip37::BloomFilter(Bytes{0x42, 0x81}, 1, 9, bip37::UpdateFlags::all),
                               bip37::BloomFilter(Bytes(4, 0xff), 2, 0, bip37::UpdateFlags::all),
                               bip37::BloomFilter(0, 3, 0, bip37::UpdateFlags::all),
                               bip37::BloomFilter(8, 0, 0, bip37::UpdateFlags::none)}) {
        twins.say(bip37::FilterLoad{filter});
        EXPECT_GE(all(), 7U);
    }
    twins.say(bip37::FilterClear{});
    EXPECT_EQ(all(), 0U);
}

TEST(SameAnswers, ToBlocksAndTransactionsOfEveryType) {
    HEADLIGHT_BITCOIND_OR_SKIP(real);
    real.mine(110);
    const auto paid = real.pay(real.new_address(), 1'000'000);
    const auto tip = real.mine(1).back();
    Twins twins(real);
    twins.connect();
    twins.say(bip37::FilterLoad{bip37::BloomFilter(Bytes(8, 0xff), 1, 0, bip37::UpdateFlags::all)});
    for (const auto type : {InvType::block, InvType::witness_block, InvType::filtered_block,
                            InvType::witness_filtered_block, InvType::tx, InvType::witness_tx}) {
        for (const auto& hash : {tip, paid, chain::Hash256{}})
            twins.same(one(type, hash));
    }
    // One request of many kinds: the order of notfound and blocks is the node's own.
    EXPECT_GT(twins.same(p2p::GetData{{{InvType::tx, tip},
                                       {InvType::filtered_block, tip},
                                       {InvType::filtered_block, tip},
                                       {InvType::tx, paid},
                                       {InvType::tx, {}},
                                       {InvType::filtered_block, {}},
                                       {InvType::filtered_block, real.block_hash(50)},
                                       {InvType::tx, {}}}}),
              10U);
}

TEST(SameAnswers, ForSideBranchesAndInvalidatedBlocks) {
    HEADLIGHT_BITCOIND_OR_SKIP(real);
    real.mine(10);
    const auto fork = real.block_hash(8), left = real.block_hash(9);
    Twins twins(real);
    real.invalidate(left);
    twins.sim().invalidate(left, 0);
    twins.connect();
    twins.say(bip37::FilterLoad{filter_of({Bytes(20, 1)})});
    EXPECT_EQ(twins.same(one(InvType::filtered_block, left)), 0U);
    EXPECT_EQ(twins.same(one(InvType::filtered_block, fork)), 1U);
    const auto right = real.mine(4);
    twins.copy_chain();
    twins.fence();
    real.reconsider(left); // now a side branch, in good standing
    twins.sim().set_tip(left, 0);
    twins.sim().set_tip(right.back(), 0);
    twins.fence();
    EXPECT_EQ(twins.same(one(InvType::filtered_block, left)), 1U);
    EXPECT_EQ(twins.same(one(InvType::filtered_block, right.front())), 1U);
}

TEST(SameAnswers, ToMempoolUnderNoban) {
    Bitcoind::Options options;
    options.whitelist = "noban,bloomfilter@127.0.0.1";
    HEADLIGHT_BITCOIND_OR_SKIP(real, options);
    real.mine(110);
    SimNodeConfig config;
    config.noban = true;
    Twins twins(real, config);
    const auto address = real.new_address();
    const auto paid = real.pay(address, 1'000'000);
    twins.sim().add_to_mempool(real.transaction(paid), 0);
    twins.connect();
    twins.say(bip37::FilterLoad{filter_of({Bytes(20, 1)})});
    EXPECT_EQ(twins.same(p2p::Mempool{}), 0U) << "nothing matches: nothing is said";
    twins.say(bip37::FilterLoad{filter_of(elements_of(address))});
    EXPECT_EQ(twins.same(p2p::Mempool{}), 1U);
    EXPECT_EQ(twins.same(one(InvType::tx, paid)), 1U);
    EXPECT_EQ(twins.same(one(InvType::witness_tx, paid)), 1U);
}

TEST(SameAnswers, ToWhatIsNotAllowed) {
    HEADLIGHT_BITCOIND_OR_SKIP(real);
    real.mine(1);
    Twins twins(real);
    const auto all = bip37::UpdateFlags::all;
    EXPECT_TRUE(twins.both_close(bip37::FilterLoad{{36'001, 1, 0, all}}));
    EXPECT_TRUE(twins.both_close(bip37::FilterLoad{{8, 51, 0, all}}));
    EXPECT_TRUE(twins.both_close(bip37::FilterAdd{Bytes(1)}));
    EXPECT_TRUE(twins.both_close(p2p::SendAddrV2{}));
    EXPECT_TRUE(twins.both_close(p2p::Unknown{"wtxidrelay", 0}));
    EXPECT_FALSE(twins.both_close(bip37::FilterLoad{{36'000, 50, 0, all}}));
    EXPECT_TRUE(twins.both_close_now(bip37::FilterAdd{Bytes(521)}));
    for (const auto& harmless : std::initializer_list<p2p::Message>{
             p2p::Version{}, p2p::Verack{}, p2p::Unknown{"nonsense", 9}, p2p::Pong{1},
             p2p::FeeFilter{-5}, p2p::SendHeaders{}, p2p::GetAddr{}, bip37::FilterClear{},
             p2p::Headers{}, p2p::NotFound{}})
        EXPECT_FALSE(twins.both_close(harmless)) << p2p::summary(harmless);
}

TEST(SameAnswers, WithoutBloomFilters) {
    Bitcoind::Options options;
    options.bloom = false;
    HEADLIGHT_BITCOIND_OR_SKIP(real, options);
    SimNodeConfig config;
    config.services &= ~p2p::services::bloom;
    Twins twins(real, config);
    EXPECT_TRUE(twins.both_close(bip37::FilterLoad{{8, 1, 0, bip37::UpdateFlags::all}}));
    EXPECT_TRUE(twins.both_close(bip37::FilterAdd{Bytes(1)}));
    EXPECT_TRUE(twins.both_close(bip37::FilterClear{}));
    EXPECT_TRUE(twins.both_close(p2p::Mempool{}));
}
