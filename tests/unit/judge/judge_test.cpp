// A check of clients that cannot fail is none: for each there is a client here that fails just that
// one, and the honest one passes them all.
#include "judge/judge.hpp"

#include "bip37/relevance.hpp"
#include "chain/script.hpp"
#include "regtest/chain_builder.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headlight::tests {
namespace {

using conform::Verdict;
using judge::Spoken;
using What = Spoken::What;

const chain::Network& regtest_network() { return chain::network(chain::NetworkId::regtest); }

/// A client's conversation with a node, said by hand: two connections, one payment, one refresh.
class Talk {
  public:
    Talk() {
        paid = chain.pay(ours, 50'000);
        block = &chain.mine({.transactions = {paid}});
        recording.client_scripts = {ours};
    }

    void said(What what, std::optional<p2p::Message> message = {}, std::string note = {}) {
        recording.said.push_back({connection, ++clock, what, std::move(message), std::move(note)});
    }
    void client(p2p::Message message) { said(What::from_client, std::move(message)); }
    void node(p2p::Message message) { said(What::to_client, std::move(message)); }

    p2p::Version version() const {
        p2p::Version version;
        version.user_agent = "/client/";
        version.relay = false;
        return version;
    }
    p2p::Version node_version() const {
        p2p::Version version;
        version.services = p2p::services::network | p2p::services::bloom;
        return version;
    }
    bip37::BloomFilter filter(bool with_coin) const {
        bip37::BloomFilter filter(1'000, 10, tweak, bip37::UpdateFlags::all);
        filter.insert(chain::data_pushes(ours)[0]);
        if (with_coin) filter.insert(chain::OutPoint{chain::txid(paid), 0});
        return filter;
    }
    p2p::GetData asks_block() const { return {{{p2p::InvType::filtered_block, block->hash}}}; }

    void open() {
        ++connection;
        said(What::opened);
    }
    void shake_hands() {
        client(version());
        node(node_version());
        node(p2p::Verack{});
        client(p2p::Verack{});
        node(p2p::Ping{7});
        client(p2p::Pong{7});
    }
    void ask_headers() {
        client(p2p::GetHeaders{p2p::protocol_version, {regtest_network().genesis_hash}, {}});
        node(p2p::Headers{{block->header}});
    }
    void scan(bool with_coin) {
        auto loaded = filter(with_coin);
        client(bip37::FilterLoad{loaded});
        client(p2p::Mempool{});
        client(asks_block());
        answer(loaded);
    }
    void answer(bip37::BloomFilter& loaded) {
        node(bip37::filter_block(block->header, block->transactions, loaded).merkleblock);
        node(p2p::Tx{paid});
        node(p2p::Pong{1});
    }
    void close() { said(What::closed_by_client); }

    void honest() {
        open();
        shake_hands();
        ask_headers();
        scan(false);
        client(bip37::FilterAdd{Bytes(20, 3)});
        close();
        open();
        shake_hands();
        ask_headers();
        scan(true);
        node(p2p::GetData{{{p2p::InvType::tx, chain::txid(paid)}}});
        client(p2p::Tx{paid});
        close();
    }

    regtest::ChainBuilder chain;
    Bytes ours = chain::witness_script(0, Bytes(20, 0x21));
    chain::Transaction paid;
    const regtest::SimBlock* block = nullptr;
    std::uint32_t tweak = 5;
    judge::Recording recording;
    std::uint32_t connection = 0;
    std::int64_t clock = 0;
};

std::map<std::string, conform::Outcome> verdicts(const Talk& talk) {
    std::map<std::string, conform::Outcome> all;
    const auto reports = judge::judge(talk.recording);
    EXPECT_EQ(reports.size(), 1U);
    for (const auto& result : reports.at(0).results)
        all[std::string(result.check->id)] = result.outcome;
    return all;
}

/// Where in the honest conversation a client of the row goes astray.
struct Astray {
    const char* check;
    std::function<void(Talk&)> talk;
    Verdict verdict = Verdict::fail;
};

void with_handshake(Talk& talk, const std::function<void()>& handshake) {
    talk.honest();
    talk.open();
    handshake();
    talk.close();
}

void after_handshake(Talk& talk, const std::function<void()>& rest) {
    talk.honest();
    talk.open();
    talk.shake_hands();
    rest();
    talk.close();
}

void with_version(Talk& talk, const std::function<void(p2p::Version&)>& change) {
    with_handshake(talk, [&] {
        auto version = talk.version();
        change(version);
        talk.client(version);
        talk.node(talk.node_version());
        talk.node(p2p::Verack{});
        talk.client(p2p::Verack{});
    });
}

void with_filter(Talk& talk, bip37::BloomFilter filter) {
    after_handshake(talk, [&] { talk.client(bip37::FilterLoad{std::move(filter)}); });
}

/// Goes on after a lie of the node.
void after_lie(Talk& talk, p2p::Message lie) {
    after_handshake(talk, [&] {
        talk.client(bip37::FilterLoad{talk.filter(true)});
        talk.node(std::move(lie));
        talk.client(talk.asks_block());
        auto loaded = talk.filter(true);
        talk.answer(loaded);
    });
}

bip37::MerkleBlock false_proof(const Talk& talk) {
    auto loaded = talk.filter(true);
    auto message =
        bip37::filter_block(talk.block->header, talk.block->transactions, loaded).merkleblock;
    message.tree.hashes.front().bytes[0] ^= 1;
    return message;
}

const std::vector<Astray>& rows() {
    static const std::vector<Astray> all{
        {"client.version-first",
         [](Talk& talk) {
             with_handshake(talk, [&] {
                 talk.client(p2p::Verack{});
                 talk.client(talk.version());
                 talk.node(talk.node_version());
                 talk.node(p2p::Verack{});
                 talk.client(p2p::Verack{});
             });
         }},
        {"client.version-once",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(talk.version()); }); }},
        {"client.verack",
         [](Talk& talk) {
             with_handshake(talk, [&] {
                 talk.client(talk.version());
                 talk.node(talk.node_version());
                 talk.node(p2p::Verack{});
                 talk.ask_headers();
             });
         }},
        {"client.waits",
         [](Talk& talk) {
             with_handshake(talk, [&] {
                 talk.client(talk.version());
                 talk.client(p2p::SendHeaders{});
                 talk.node(talk.node_version());
                 talk.node(p2p::Verack{});
                 talk.client(p2p::Verack{});
             });
         }},
        {"client.protocol",
         [](Talk& talk) { with_version(talk, [](auto& version) { version.version = 70'001; }); }},
        {"client.relay-off",
         [](Talk& talk) { with_version(talk, [](auto& version) { version.relay = true; }); }},
        {"client.services",
         [](Talk& talk) {
             with_version(talk, [](auto& version) { version.services = p2p::services::network; });
         }},
        {"client.features",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(p2p::SendAddrV2{}); }); }},
        {"client.pong",
         [](Talk& talk) {
             after_handshake(talk, [&] {
                 talk.node(p2p::Ping{8});
                 talk.clock += 2'000;
                 talk.client(p2p::SendHeaders{});
             });
         }},
        {"client.pong",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(p2p::Pong{999}); }); }},
        {"client.frames",
         [](Talk& talk) {
             after_handshake(talk,
                             [&] { talk.said(What::broken_frame, {}, "ping: a wrong checksum"); });
         }},
        {"client.filter-limits",
         [](Talk& talk) {
             after_handshake(talk, [&] { talk.said(What::over_limit, {}, "filterload"); });
         }},
        {"client.filter-limits",
         [](Talk& talk) {
             bip37::BloomFilter filter(36'001, 10, talk.tweak, bip37::UpdateFlags::all);
             filter.insert(chain::data_pushes(talk.ours)[0]);
             filter.insert(chain::OutPoint{chain::txid(talk.paid), 0});
             with_filter(talk, filter);
         }},
        {"client.filter-sense",
         [](Talk& talk) {
             with_filter(talk, {Bytes(1'000, 0xff), 10, talk.tweak, bip37::UpdateFlags::all});
         }},
        {"client.filter-service",
         [](Talk& talk) {
             with_handshake(talk, [&] {
                 talk.client(talk.version());
                 auto without = talk.node_version();
                 without.services = p2p::services::network;
                 talk.node(without);
                 talk.node(p2p::Verack{});
                 talk.client(p2p::Verack{});
                 talk.client(bip37::FilterLoad{talk.filter(true)});
             });
         }},
        {"client.filter-elements",
         [](Talk& talk) {
             bip37::BloomFilter filter(1'000, 10, talk.tweak, bip37::UpdateFlags::all);
             filter.insert(chain::OutPoint{chain::txid(talk.paid), 0});
             with_filter(talk, filter);
         }},
        {"client.filter-once",
         [](Talk& talk) {
             auto filter = talk.filter(true);
             filter.insert(talk.ours);
             with_filter(talk, filter);
         }},
        {"client.filter-coins", [](Talk& talk) { with_filter(talk, talk.filter(false)); }},
        {"client.tweak",
         [](Talk& talk) {
             talk.honest();
             talk.tweak = 6;
             talk.open();
             talk.shake_hands();
             talk.client(bip37::FilterLoad{talk.filter(true)});
             talk.close();
         }},
        {"client.filter-size",
         [](Talk& talk) {
             bip37::BloomFilter filter(500, 10, talk.tweak, bip37::UpdateFlags::all);
             filter.insert(chain::data_pushes(talk.ours)[0]);
             filter.insert(chain::OutPoint{chain::txid(talk.paid), 0});
             with_filter(talk, filter);
         }},
        {"client.filteradd",
         [](Talk& talk) {
             after_handshake(talk, [&] { talk.client(bip37::FilterAdd{Bytes(20, 1)}); });
         }},
        {"client.filteradd",
         [](Talk& talk) {
             after_handshake(talk, [&] { talk.said(What::over_limit, {}, "filteradd"); });
         }},
        {"client.filter-first",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(talk.asks_block()); }); }},
        {"client.filter-first",
         [](Talk& talk) {
             after_handshake(talk, [&] {
                 talk.client(bip37::FilterLoad{talk.filter(true)});
                 talk.client(bip37::FilterClear{});
                 talk.client(talk.asks_block());
             });
         }},
        {"client.mempool",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(p2p::Mempool{}); }); }},
        {"client.no-witness",
         [](Talk& talk) {
             after_handshake(talk, [&] {
                 talk.client(p2p::GetData{{{p2p::InvType::witness_tx, chain::txid(talk.paid)}}});
             });
         }},
        {"client.getdata",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(p2p::GetData{}); }); }},
        {"client.getdata",
         [](Talk& talk) {
             after_handshake(talk, [&] { talk.said(What::over_limit, {}, "getdata"); });
         }},
        {"client.locator",
         [](Talk& talk) {
             after_handshake(talk, [&] {
                 talk.client(p2p::GetHeaders{p2p::protocol_version, {}, {}});
             });
         }},
        {"client.asks-once",
         [](Talk& talk) {
             after_handshake(talk, [&] {
                 talk.scan(true);
                 talk.client(talk.asks_block());
             });
         },
         Verdict::differs},
        {"client.inv-first",
         [](Talk& talk) { after_handshake(talk, [&] { talk.client(p2p::Tx{talk.paid}); }); }},
        {"client.bad-proof", [](Talk& talk) { after_lie(talk, false_proof(talk)); }},
        {"client.bad-header",
         [](Talk& talk) {
             auto header = talk.block->header;
             regtest::grind(header, false);
             after_lie(talk, p2p::Headers{{header}});
         }},
        {"client.withheld",
         [](Talk& talk) {
             talk.honest();
             talk.open();
             talk.shake_hands();
             auto loaded = talk.filter(true);
             talk.client(bip37::FilterLoad{loaded});
             talk.client(talk.asks_block());
             talk.node(bip37::filter_block(talk.block->header, talk.block->transactions, loaded)
                           .merkleblock);
             talk.node(p2p::Pong{1});
             talk.client(p2p::Ping{2});
         }},
    };
    return all;
}

TEST(Judge, AnHonestClientPassesAllThatItGivesOccasionFor) {
    Talk talk;
    talk.honest();
    for (const auto& [id, outcome] : verdicts(talk)) {
        EXPECT_TRUE(outcome.verdict == Verdict::pass || outcome.verdict == Verdict::skipped)
            << id << ": " << outcome.got;
        const bool lies = id == "client.filter-service" || id == "client.bad-proof" ||
                          id == "client.bad-header" || id == "client.withheld";
        EXPECT_EQ(outcome.verdict == Verdict::skipped, lies) << id << ": " << outcome.got;
    }
}

TEST(Judge, EachClientThatGoesAstrayFailsJustThatCheck) {
    for (const auto& row : rows()) {
        SCOPED_TRACE(row.check);
        Talk talk;
        row.talk(talk);
        for (const auto& [id, outcome] : verdicts(talk)) {
            if (id == row.check) {
                EXPECT_EQ(to_string(outcome.verdict), to_string(row.verdict)) << outcome.got;
            } else {
                EXPECT_NE(to_string(outcome.verdict), to_string(Verdict::fail))
                    << id << ": " << outcome.got;
            }
        }
    }
}

TEST(Judge, EveryCheckHasAClientThatFailsIt) {
    std::set<std::string_view> failed;
    for (const auto& row : rows())
        failed.insert(row.check);
    std::set<std::string_view> ids;
    for (const auto* check : judge::client_checks()) {
        EXPECT_TRUE(failed.contains(check->id)) << check->id;
        EXPECT_TRUE(ids.insert(check->id).second) << check->id << " stands twice";
        EXPECT_FALSE(check->clause.empty() || check->source.empty());
    }
}

TEST(Judge, TellsOneClientFromAnother) {
    Talk talk;
    talk.honest();
    talk.open();
    auto other = talk.version();
    other.user_agent = "/other/";
    talk.client(other);
    const auto reports = judge::judge(talk.recording);
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports[0].agent, "/client/");
    EXPECT_EQ(reports[1].agent, "/other/");
    EXPECT_TRUE(judge::judge({}).empty());
}

TEST(Judge, ARecordingIsOneLineOfJsonForEachMessage) {
    Talk talk;
    talk.honest();
    const auto lines = judge::to_json_lines(talk.recording);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'),
              static_cast<std::ptrdiff_t>(talk.recording.said.size()));
    EXPECT_NE(lines.find(R"("filter":{"bytes":1000,"functions":10,"tweak":5)"), std::string::npos);
}

} // namespace
} // namespace headlight::tests
