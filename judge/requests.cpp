// Checks of clients: what they ask for, and when.
#include "chain/limits.hpp"
#include "judge/transcript.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace headlight::judge {

namespace {

bool asks_filtered(const p2p::GetData& getdata) {
    return std::any_of(getdata.entries.begin(), getdata.entries.end(),
                       [](const auto& e) { return e.type == p2p::InvType::filtered_block; });
}

/// A server answers with whatever filter it has at that moment, and with silence without one.
Outcome filter_before_blocks(const Transcript& transcript) {
    bool any = false;
    const auto found = transcript.each<p2p::GetData>(
        [&](const p2p::GetData& getdata, const Line& line) -> std::optional<Outcome> {
            if (!asks_filtered(getdata)) return std::nullopt;
            any = true;
            if (line.filter) return std::nullopt;
            return fail("filtered blocks are asked for while no filter is loaded");
        });
    if (found) return *found;
    return any ? pass("each request stands behind a filter")
               : skipped("no filtered block was asked for");
}

Outcome filter_before_mempool(const Transcript& transcript) {
    bool any = false;
    const auto found = transcript.each<p2p::Mempool>(
        [&](const p2p::Mempool&, const Line& line) -> std::optional<Outcome> {
            any = true;
            if (line.filter) return std::nullopt;
            return fail("the mempool is asked for while no filter is loaded");
        });
    if (found) return *found;
    return any ? pass("each request stands behind a filter")
               : skipped("the mempool was not asked for");
}

Outcome no_witness(const Transcript& transcript) {
    constexpr std::uint32_t witness_flag = 0x40000000;
    bool any = false;
    const auto found = transcript.each<p2p::GetData>(
        [&](const p2p::GetData& getdata, const Line&) -> std::optional<Outcome> {
            any = true;
            for (const auto& entry : getdata.entries)
                if (static_cast<std::uint32_t>(entry.type) & witness_flag)
                    return fail("a request of type " +
                                std::to_string(static_cast<std::uint32_t>(entry.type)));
            return std::nullopt;
        });
    if (found) return *found;
    return any ? pass("no request has the witness flag") : skipped("nothing was asked for");
}

Outcome getdata_limit(const Transcript& transcript) {
    bool any = false;
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation)
            if (line.over_limit("getdata") || line.over_limit("inv"))
                return fail("more than 50,000 entries");
    }
    const auto found = transcript.each<p2p::GetData>(
        [&](const p2p::GetData& getdata, const Line&) -> std::optional<Outcome> {
            any = true;
            if (getdata.entries.empty()) return fail("a getdata without entries");
            if (getdata.entries.size() <= limits::max_inv_entries) return std::nullopt;
            return fail(std::to_string(getdata.entries.size()) + " entries");
        });
    if (found) return *found;
    return any ? pass("all of them") : skipped("nothing was asked for");
}

Outcome locator_form(const Transcript& transcript) {
    bool any = false;
    for (const auto& conversation : transcript.conversations()) {
        for (const auto& line : conversation)
            if (line.over_limit("getheaders")) return fail("more than 101 hashes");
    }
    const auto found = transcript.each<p2p::GetHeaders>(
        [&](const p2p::GetHeaders& question, const Line&) -> std::optional<Outcome> {
            any = true;
            const auto& locator = question.locator;
            if (locator.empty()) return fail("a locator without hashes");
            if (locator.size() > limits::max_locator_hashes)
                return fail(std::to_string(locator.size()) + " hashes");
            const std::set<chain::Hash256> distinct(locator.begin(), locator.end());
            if (distinct.size() != locator.size()) return fail("a hash stands twice");
            return std::nullopt;
        });
    if (found) return *found;
    return any ? pass("all of them") : skipped("no headers were asked for");
}

/// A block asked for twice under one filter, without an answer missing, is traffic for nothing.
Outcome asks_once(const Transcript& transcript) {
    bool any = false;
    for (const auto& conversation : transcript.conversations()) {
        std::map<chain::Hash256, const bip37::BloomFilter*> answered;
        for (std::size_t i = 0; i < conversation.size(); ++i) {
            const auto& line = conversation[i];
            const auto* block = line.node_says<bip37::MerkleBlock>();
            if (block && withheld_by(conversation, i) == 0)
                answered[chain::hash_of(block->header)] = line.filter;
            const auto* getdata = line.client_says<p2p::GetData>();
            if (!getdata) continue;
            for (const auto& entry : getdata->entries) {
                if (entry.type != p2p::InvType::filtered_block) continue;
                any = true;
                const auto before = answered.find(entry.hash);
                if (before != answered.end() && before->second == line.filter)
                    return differs("block " + entry.hash.to_string() +
                                   " twice under the same filter");
            }
        }
    }
    return any ? pass("no block twice under one filter")
               : skipped("no filtered block was asked for");
}

/// A transaction is announced, asked for, sent: one that comes unasked tells who made it.
Outcome announces_first(const Transcript& transcript) {
    bool any = false;
    for (const auto& conversation : transcript.conversations()) {
        std::set<chain::Hash256> wanted;
        for (const auto& line : conversation) {
            if (const auto* getdata = line.node_says<p2p::GetData>())
                for (const auto& entry : getdata->entries)
                    wanted.insert(entry.hash);
            const auto* tx = line.client_says<p2p::Tx>();
            if (!tx) continue;
            any = true;
            if (!wanted.contains(chain::txid(tx->transaction)))
                return fail("a transaction that the node had not asked for");
        }
    }
    return any ? pass("each was asked for") : skipped("the client sent no transaction");
}

} // namespace

std::vector<ClientCheck> client_request_checks() {
    return {
        {{"client.filter-first", "filtered blocks are asked for behind a filter",
          "BIP-37: filterload"},
         filter_before_blocks},
        {{"client.mempool", "the mempool is asked for behind a filter", "BIP-37: mempool"},
         filter_before_mempool},
        {{"client.no-witness", "no request has the witness flag, which BIP-37 does not match",
          "BIP-37; BIP-144"},
         no_witness},
        {{"client.getdata", "1 to 50,000 entries", "P2P protocol: getdata"}, getdata_limit},
        {{"client.locator", "1 to 101 hashes, none of them twice", "P2P protocol: getheaders"},
         locator_form},
        {{"client.asks-once", "a block is asked for once under a filter", "left open by BIP-37"},
         asks_once},
        {{"client.inv-first", "a transaction is sent when the node asks for it",
          "P2P protocol: inv"},
         announces_first},
    };
}

} // namespace headlight::judge
