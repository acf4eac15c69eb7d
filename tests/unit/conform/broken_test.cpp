// A check that cannot fail is none: for each check there is a node here that fails it, and the
// honest one passes it under the same deadlines.
#include "tests/unit/conform/simulated.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headlight::tests {
namespace {

using conform::Verdict;

struct Row {
    const char* fault; ///< of regtest/broken_*.cpp, or of all_faults() where one fits
    const char* check;
};

/// In the order of the checks. One node may stand for several of them; most fail just that one.
const std::vector<Row> rows{
    {"verack-first", "handshake.version-verack"},
    {"broken-speaks-early", "handshake.waits"},
    {"broken-late-feature", "handshake.features"},
    {"broken-minds-unknown", "handshake.unknown-message"},
    {"broken-minds-sendaddrv2", "handshake.sendaddrv2"},
    {"broken-late-sendaddrv2", "handshake.sendaddrv2-late"},
    {"broken-minds-wtxidrelay", "handshake.wtxidrelay"},
    {"broken-second-handshake", "handshake.second-version"},
    {"broken-minds-early", "handshake.early-request"},
    {"broken-wtxidrelay-to-all", "handshake.old-version"},
    {"broken-feefilter-to-all", "handshake.feefilter"},
    {"broken-ancient", "handshake.ancient-version"},
    {"broken-short-pong", "handshake.ping"},
    {"broken-pong-order", "handshake.ping-order"},
    {"broken-empty-ping", "handshake.ping-empty"},
    {"broken-no-blocks", "handshake.node-network"},
    {"ignores-filtered", "handshake.node-bloom"},
    {"broken-hides-bloom", "handshake.node-bloom"},
    {"huge-height", "handshake.start-height"},

    {"broken-filter-0", "filterload.size-0"},
    {"broken-filter-1", "filterload.size-1"},
    {"broken-filter-36000", "filterload.size-36000"},
    {"broken-filter-over-limit", "filterload.size-36001"},
    {"broken-functions-0", "filterload.functions-0"},
    {"broken-functions-1", "filterload.functions-1"},
    {"broken-functions-6", "filterload.functions-7"},
    {"broken-functions-49", "filterload.functions-50"},
    {"broken-filter-over-limit", "filterload.functions-51"},
    {"broken-flags", "filterload.flags-255"},
    {"broken-full-filter", "filterload.all-ones"},
    {"broken-empty-filter", "filterload.all-zeros"},
    {"broken-merged-filters", "filterload.replaced"},
    {"broken-no-tweak", "filterload.tweak"},
    {"broken-short-tweak", "filterload.tweak-wraps"},
    {"broken-early-filter", "filterload.before-verack"},
    {"broken-filter-truncated", "filterload.truncated"},

    {"broken-add-0", "filteradd.size-0"},
    {"broken-add-1", "filteradd.size-1"},
    {"broken-add-520", "filteradd.size-520"},
    {"broken-add-521", "filteradd.size-521"},
    {"broken-add-replaces", "filteradd.extends"},
    {"broken-add-makes", "filteradd.no-filter"},
    {"broken-clear-empties", "filteradd.after-clear"},
    {"broken-clear-empties", "filteradd.clear"},
    {"broken-clear-minds", "filteradd.clear-twice"},
    {"broken-clear-minds", "filteradd.clear-first"},
    {"broken-clear-for-good", "filteradd.load-after-clear"},

    {"broken-no-txid", "matching.txid"},
    {"broken-reversed-txid", "matching.txid-reversed"},
    {"broken-wtxid", "matching.wtxid"},
    {"broken-no-pk", "matching.pk"},
    {"broken-no-pk-65", "matching.pk-uncompressed"},
    {"broken-no-pkh", "matching.pkh"},
    {"broken-no-sh", "matching.sh"},
    {"broken-no-wpkh", "matching.wpkh"},
    {"broken-no-wsh", "matching.wsh"},
    {"broken-no-tr", "matching.tr"},
    {"broken-no-multisig", "matching.multisig"},
    {"broken-first-key", "matching.multisig-last"},
    {"broken-no-null-data", "matching.null-data"},
    {"broken-first-push", "matching.later-push"},
    {"broken-no-pushdata1", "matching.pushdata1"},
    {"broken-no-pushdata2", "matching.pushdata2"},
    {"broken-empty-push", "matching.empty-push"},
    {"broken-small-number", "matching.small-number"},
    {"broken-no-malformed", "matching.before-malformed"},
    {"broken-in-malformed", "matching.in-malformed"},
    {"broken-part-of-push", "matching.inside-push"},
    {"broken-whole-script", "matching.whole-script"},
    {"broken-no-outpoint", "matching.outpoint"},
    {"broken-next-outpoint", "matching.outpoint-index"},
    {"broken-spent-txid", "matching.spent-txid"},
    {"broken-no-input-push", "matching.input-push"},
    {"broken-first-input-push", "matching.input-push-later"},
    {"broken-witness", "matching.witness"},
    {"broken-no-coinbase-script", "matching.coinbase-script"},
    {"broken-no-coinbase-output", "matching.coinbase-output"},

    {"broken-none-pk", "update.none-pk"},
    {"broken-none-pkh", "update.none-pkh"},
    {"broken-none-sh", "update.none-one-block"},
    {"broken-all-pk", "update.all-pk"},
    {"broken-all-pkh", "update.all-pkh"},
    {"broken-all-sh", "update.all-sh"},
    {"broken-all-wpkh", "update.all-wpkh"},
    {"broken-all-wsh", "update.all-wsh"},
    {"broken-all-tr", "update.all-tr"},
    {"broken-all-multisig", "update.all-multisig"},
    {"broken-all-sh", "update.all-one-block"},
    {"broken-all-pkh", "update.all-one-request"},
    {"broken-adds-by-txid", "update.all-by-txid"},
    {"broken-merged-filters", "update.reloaded"},
    {"broken-keys-pk", "update.keys-pk"},
    {"broken-keys-multisig", "update.keys-multisig"},
    {"broken-keys-pkh", "update.keys-pkh"},
    {"broken-keys-sh", "update.keys-sh"},
    {"broken-keys-wpkh", "update.keys-wpkh"},
    {"broken-keys-wsh", "update.keys-wsh"},
    {"broken-keys-tr", "update.keys-tr"},
    {"broken-keys-pk", "update.keys-one-block"},
    {"broken-none-pkh", "update.relay-none"},
    {"broken-all-pkh", "update.relay-all"},
    {"broken-keys-pkh", "update.relay-keys"},
    {"broken-keys-pk", "update.relay-keys-pk"},

    {"broken-tree:1", "merkleblock.size-1"},
    {"broken-tree:2", "merkleblock.size-2"},
    {"broken-tree:3", "merkleblock.size-3"},
    {"broken-tree:7", "merkleblock.size-7"},
    {"broken-tree:8", "merkleblock.size-8"},
    {"broken-tree:9", "merkleblock.size-9"},
    {"broken-tree:300", "merkleblock.large"},
    {"broken-no-match", "merkleblock.no-match"},
    {"broken-total", "merkleblock.total"},
    {"broken-header", "merkleblock.header"},
    {"extra-hash", "merkleblock.hashes"},
    {"extra-flags", "merkleblock.flags"},
    {"broken-drops-last", "merkleblock.transactions"},
    {"broken-tx-order", "merkleblock.order"},
    {"broken-neighbours", "merkleblock.only-matching"},
    {"broken-with-witness", "merkleblock.no-witness"},
    {"broken-once", "merkleblock.again"},
    {"broken-serves-unfiltered", "merkleblock.no-filter"},
    {"broken-serves-tip", "merkleblock.unknown-block"},
    {"broken-fifty-blocks", "merkleblock.many"},
    {"broken-minds-repeats", "merkleblock.twice"},
    {"broken-minds-mixed", "merkleblock.mixed"},
    {"broken-filters-blocks", "merkleblock.whole-block"},
    {"broken-minds-stale", "merkleblock.stale"},
    {"broken-serves-invalid", "merkleblock.invalid"},

    {"broken-mute-filter", "relay.matching"},
    {"broken-matches-all", "relay.not-matching"},
    {"broken-relays-at-once", "relay.off"},
    {"broken-mute", "relay.on"},
    {"broken-mute-to-old", "relay.default"},
    {"broken-minds-clear", "relay.after-clear"},
    {"broken-always-wtx", "relay.txid"},
    {"broken-never-wtx", "relay.wtxid"},
    {"broken-late-wtxidrelay", "relay.wtxidrelay-late"},
    {"broken-tx-witness", "relay.tx"},
    {"broken-no-witness", "relay.witness-tx"},
    {"broken-minds-missing", "relay.notfound"},
    {"broken-matches-all", "relay.mempool"},
    {"broken-part-of-mempool", "relay.mempool-whole"},
    {"broken-feefilter", "relay.feefilter"},
    {"broken-header-always", "relay.block-inv"},
    {"broken-sendheaders", "relay.sendheaders"},
    {"broken-last-header", "relay.reorganisation"},
    {"broken-header-always", "relay.many-blocks"},

    {"broken-first-header", "headers.genesis"},
    {"broken-second-header", "headers.linked"},
    {"broken-1999-headers", "headers.limit"},
    {"broken-no-empty-headers", "headers.tip"},
    {"broken-no-stop", "headers.stop"},
    {"broken-unknown-stop", "headers.stop-unknown"},
    {"broken-unknown-locator", "headers.locator-unknown"},
    {"broken-last-of-locator", "headers.locator-first"},
    {"broken-sorted-locator", "headers.locator-order"},
    {"broken-stale-locator", "headers.locator-stale"},
    {"broken-no-locator", "headers.no-locator"},
    {"broken-locator-101", "headers.locator-101"},
    {"broken-locator-102", "headers.locator-102"},
    {"broken-no-getblocks", "headers.getblocks"},
    {"broken-501-blocks", "headers.getblocks-limit"},

    {"broken-long-inv", "limits.inv-50000"},
    {"broken-over-limit", "limits.inv-50001"},
    {"broken-long-getdata", "limits.getdata-50000"},
    {"broken-over-limit", "limits.getdata-50001"},
    {"broken-empty-list", "limits.empty-lists"},
    {"broken-large-message", "limits.message-4000000"},
    {"broken-too-long", "limits.message-4000001"},
    {"broken-checksum", "limits.checksum"},
    {"broken-padding", "limits.padding"},
    {"broken-magic", "limits.magic"},
    {"broken-minds-unknown", "limits.unknown-command"},
    {"broken-unknown-type", "limits.unknown-type"},
    {"broken-reserved-type", "limits.reserved-type"},
    {"broken-one-frame", "limits.joined"},
    {"broken-whole-frames", "limits.split"},
    {"broken-short-getdata", "limits.short-getdata"},
};

class BrokenNodes : public ::testing::TestWithParam<const char*> {};

TEST_P(BrokenNodes, FailTheChecksThatTheyBreak) {
    for (const auto& [fault, check] : rows) {
        if (!std::string_view(check).starts_with(GetParam())) continue;
        const auto broken = check_node(fault, {check}, hasty()).results.at(0);
        EXPECT_EQ(broken.outcome.verdict, Verdict::fail)
            << fault << ", " << check << ": sent " << broken.sent << "; got " << broken.outcome.got;
        const auto honest = check_node({}, {check}, patient()).results.at(0);
        EXPECT_EQ(honest.outcome.verdict, Verdict::pass)
            << check << ": sent " << honest.sent << "; got " << honest.outcome.got;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Groups, BrokenNodes,
    ::testing::Values("handshake.", "filterload.", "filteradd.", "matching.", "update.",
                      "merkleblock.", "relay.", "headers.", "limits."),
    [](const auto& group) {
        return std::string(group.param).substr(0, std::string_view(group.param).size() - 1);
    });

TEST(BrokenNodeTable, HasOneForEachCheck) {
    std::set<std::string_view> covered, used;
    for (const auto& row : rows) {
        covered.insert(row.check);
        const std::string_view fault = row.fault;
        used.insert(fault.substr(0, fault.find(':')));
    }
    for (const auto& check : conform::all_checks())
        EXPECT_TRUE(covered.contains(check.id)) << check.id;
    EXPECT_EQ(covered.size(), conform::all_checks().size());
    for (const auto& node : regtest::broken_nodes())
        EXPECT_TRUE(used.contains(node.name)) << node.name << " is of no use";
}

TEST(BrokenNodeTable, StandsBesideTheFaults) {
    for (const auto& node : regtest::broken_nodes()) {
        EXPECT_TRUE(node.name.starts_with("broken-")) << node.name;
        EXPECT_EQ(regtest::find_fault(node.name), &node);
        EXPECT_FALSE(node.does.empty()) << node.name;
    }
}

} // namespace
} // namespace headlight::tests
