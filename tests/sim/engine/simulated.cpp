#include "tests/sim/engine/simulated.hpp"

#include "regtest/script_memory.hpp"

#include <algorithm>
#include <cstdlib>

namespace headlight::tests {

wallet::Descriptor account(wallet::AccountKind kind, std::uint8_t seed) {
    const auto master = wallet::master_key(Bytes(32, seed));
    const auto text = wallet::account_descriptor(*master, kind, 0, regtest_network());
    return *wallet::Descriptor::parse(*text, regtest_network());
}

Simulated::Simulated() { new_world(1); }

void Simulated::new_world(std::uint64_t seed) {
    world = std::make_unique<SimWorld>(chain, seed);
    make_wallet(descriptors_.empty() ? std::vector{account()} : descriptors_);
}

void Simulated::make_wallet(const std::vector<wallet::Descriptor>& descriptors, std::uint32_t gap) {
    descriptors_ = descriptors;
    const auto made =
        wallet::Wallet::create(regtest_network(), 0x1234, 0, {}, regtest::remembered_scripts());
    for (const auto& descriptor : descriptors) {
        ASSERT_TRUE(made->add(descriptor, gap, {}, true));
    }
    world->disk().wallet = made->state();
}

Bytes Simulated::script(std::uint32_t index, std::uint32_t branch, std::uint32_t descriptor) {
    return *descriptors_.at(descriptor).script_pubkey(branch, index);
}

chain::Transaction Simulated::pay(std::uint32_t index, Amount amount, std::uint32_t branch) {
    return chain.pay(script(index, branch), amount);
}

chain::TxOut Simulated::to_stranger(Amount amount) {
    return {amount, chain::witness_script(0, Bytes(20, 0x77))};
}

std::string Simulated::story() const {
    const char* wanted = std::getenv("HEADLIGHT_STORY_LINES");
    const std::size_t lines = wanted ? std::strtoull(wanted, nullptr, 10) : 60;
    std::string text = "the last actions:\n";
    const auto& trace = world->trace();
    for (auto i = trace.size() > lines ? trace.size() - lines : 0; i < trace.size(); ++i) {
        text += trace[i].substr(0, 200) + "\n";
    }
    return text;
}

/// Where a transaction of the chain touches the wallet, for messages.
std::string Simulated::places(const chain::Hash256& txid) const {
    std::string text;
    const auto wallet = stored();
    for (const auto* block :
         chain.branch(world->disk().headers.at(world->disk().headers.tip_height()).hash)) {
        for (std::size_t i = 0; i < block->txids.size(); ++i) {
            if (block->txids[i] != txid) continue;
            for (const auto& output : block->transactions[i].outputs) {
                for (const auto& ref : wallet->scripts().find(output.script_pubkey)) {
                    const auto branch =
                        wallet->scripts().state(ref.descriptor).branches[ref.branch];
                    text += "pays branch " + std::to_string(ref.branch) + " index " +
                            std::to_string(ref.index) + ", highest used " +
                            std::to_string(branch.highest_used) + ", derived " +
                            std::to_string(branch.derived) + "\n";
                }
            }
            for (const auto& input : block->transactions[i].inputs) {
                const auto* parent = wallet->ledger().find(input.prevout.txid);
                if (parent) text += "spends of " + input.prevout.to_string() + "\n";
            }
        }
    }
    return text;
}

SimNode& Simulated::node(const chain::Hash256& tip, std::vector<regtest::FaultChoice> faults,
                         bool noban) {
    SimNodeConfig config;
    config.faults = std::move(faults);
    config.noban = noban;
    auto& made = world->add_node(std::move(config));
    made.set_tip(tip, 0);
    return made;
}

bool Simulated::dropped(const SimNode& node, sync::DropReason reason) const {
    const auto drops = world->drops(node);
    return std::find(drops.begin(), drops.end(), reason) != drops.end();
}

void Simulated::sync(sync::Config config) {
    world->start(std::move(config));
    ASSERT_TRUE(world->run()) << "the client does not end\n" << story();
    ASSERT_TRUE(world->outcome());
    const auto& error = world->outcome()->error;
    ASSERT_FALSE(error) << to_string(*error) << "\n" << story();
}

void Simulated::sync_fails(std::string_view code, sync::Config config) {
    const auto begun = world->now_ms();
    world->start(std::move(config));
    ASSERT_TRUE(world->run()) << "the client does not end\n" << story();
    EXPECT_LE(world->now_ms() - begun, 60'000) << "it must end within a minute\n" << story();
    ASSERT_TRUE(world->outcome() && world->outcome()->error) << story();
    EXPECT_EQ(world->outcome()->error->code, code) << to_string(*world->outcome()->error) << "\n"
                                                   << story();
    EXPECT_FALSE(world->outcome()->error->cure.empty());
}

std::unique_ptr<wallet::Wallet> Simulated::stored() const {
    auto loaded = wallet::Wallet::load(world->disk().wallet, regtest_network(),
                                       regtest::remembered_scripts());
    EXPECT_TRUE(loaded);
    return std::move(*loaded);
}

void Simulated::change_filter(const std::function<void(wallet::FilterParameters&)>& change) {
    const auto wallet = stored();
    auto filter = wallet->filter();
    filter.secret = {1, 2, 3};
    change(filter);
    wallet->set_filter(std::move(filter));
    world->disk().wallet = wallet->state();
}

wallet::Balance Simulated::balance() const {
    return stored()->ledger().balance(world->disk().headers.tip_height());
}

bool Simulated::warned(std::string_view code) const {
    for (const auto& notice : world->notices()) {
        const auto* warning = std::get_if<sync::notice::Warning>(&notice);
        if (warning && warning->error.code == code) return true;
    }
    return false;
}

void Simulated::expect_right(std::optional<chain::Hash256> tip,
                             const std::vector<chain::Transaction>& pending) {
    const auto wallet = stored();
    const auto& headers = world->disk().headers;
    ASSERT_GE(headers.tip_height(), 0);
    const auto at = tip.value_or(headers.at(headers.tip_height()).hash);
    ASSERT_EQ(headers.at(headers.tip_height()).hash, at) << "another chain is followed";
    EXPECT_EQ(wallet->scan().height, headers.tip_height()) << story();

    const auto ours = [&](ByteView script) { return !wallet->scripts().find(script).empty(); };
    const auto expected = regtest::expect(chain, at, ours, pending);
    std::set<std::pair<chain::Hash256, std::int32_t>> confirmed;
    for (const auto& entry : wallet->ledger().history(0)) {
        if (entry.status == wallet::TxStatus::confirmed) {
            confirmed.emplace(entry.txid, *entry.height);
        }
    }
    for (const auto& [txid, height] : expected.confirmed) {
        EXPECT_TRUE(confirmed.contains({txid, height}))
            << "missing " << txid.to_string() << " at " << height << "\n"
            << places(txid) << story();
    }
    for (const auto& [txid, height] : confirmed) {
        EXPECT_TRUE(expected.confirmed.contains({txid, height}))
            << "too much: " << txid.to_string() << " at " << height << "\n"
            << story();
    }
    EXPECT_EQ(wallet->ledger().balance(headers.tip_height()), expected.balance) << story();
    std::set<chain::OutPoint> unspent;
    for (const auto& it : wallet->ledger().coins()) {
        if (!it.spent_by) unspent.insert(it.outpoint);
    }
    std::set<chain::OutPoint> expected_unspent;
    for (const auto& [outpoint, it] : expected.coins)
        expected_unspent.insert(outpoint);
    EXPECT_EQ(unspent, expected_unspent) << story();
}

} // namespace headlight::tests
