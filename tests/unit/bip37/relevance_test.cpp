// The server's matching rule, against vectors and rule by rule.
#include "bip37/relevance.hpp"

#include "bip37/messages.hpp"
#include "chain/script.hpp"
#include "tests/unit/bip37/blocks.hpp"

namespace headlight::bip37 {
namespace {

using tests::hex;
using tests::number;
using tests::strings;
using tests::text;

BloomFilter decoded(std::string_view payload_hex) {
    return decode_filterload(hex(payload_hex)).value().filter;
}

std::string encoded(const BloomFilter& filter) { return to_hex(encode(FilterLoad{filter})); }

/// matches() and both forms of match_and_update() have to agree.
bool relevant(BloomFilter& filter, const chain::Transaction& tx) {
    auto copy = filter;
    const bool wanted = matches(filter, tx);
    EXPECT_EQ(match_and_update(copy, tx, chain::txid(tx)), wanted);
    EXPECT_EQ(match_and_update(filter, tx), wanted);
    EXPECT_EQ(copy, filter);
    return wanted;
}

TEST(Relevance, IsDecidedAndRememberedAsInTheVectors) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bloom_match.json");
    for (const auto& item : file.at("cases").as_array()) {
        SCOPED_TRACE(text(item, "name"));
        const auto before = decoded(text(item, "filter_before"));
        BloomFilter filter(before.data().size(), before.hash_functions(),
                           number<std::uint32_t>(item, "tweak"),
                           static_cast<UpdateFlags>(number<int>(item, "flags")));
        for (const auto& inserted : strings(item.at("insert")))
            filter.insert(hex(inserted));
        EXPECT_EQ(filter, before);

        const auto tx = chain::parse_transaction(hex(item, "tx")).value();
        EXPECT_EQ(chain::txid(tx).to_string(), text(item, "txid"));
        EXPECT_EQ(relevant(filter, tx), item.at("relevant").as_bool());
        EXPECT_EQ(encoded(filter), text(item, "filter_after"));
        EXPECT_EQ(filter != before, item.at("filter_changed").as_bool());

        const auto& object = item.as_object();
        if (const auto* then = object.if_contains("then")) {
            const auto next = chain::parse_transaction(hex(*then, "tx")).value();
            EXPECT_EQ(chain::txid(next).to_string(), text(*then, "txid"));
            EXPECT_EQ(relevant(filter, next), then->at("relevant").as_bool());
        }
        if (const auto* list = object.if_contains("after_contains")) {
            for (const auto& wanted : strings(*list))
                EXPECT_TRUE(filter.contains(hex(wanted)));
        }
        if (const auto* list = object.if_contains("after_not_contains")) {
            for (const auto& other : strings(*list))
                EXPECT_FALSE(filter.contains(hex(other)));
        }
    }
}

BloomFilter filter_for(ByteView element, UpdateFlags flags = UpdateFlags::all) {
    BloomFilter filter(500, 20, 3, flags);
    if (!element.empty()) filter.insert(element);
    return filter;
}

Bytes repeated(std::size_t count, std::uint8_t byte) { return Bytes(count, byte); }

Bytes key(std::uint8_t byte) {
    auto bytes = repeated(33, byte);
    bytes[0] = 2;
    return bytes;
}

chain::Transaction payment(std::vector<Bytes> scripts) {
    chain::Transaction tx;
    tx.inputs.push_back({{chain::hash256(repeated(5, 5)), 7}, {}, 0xffffffff, {}});
    for (auto& script : scripts)
        tx.outputs.push_back({5'000, std::move(script)});
    return tx;
}

TEST(Relevance, IsByWhatAScriptPushesAndNothingElse) { // pitfalls A8
    const struct {
        Bytes element;
        Bytes script;
    } forms[] = {
        {repeated(20, 1), chain::pkh_script(repeated(20, 1))},
        {repeated(20, 2), chain::sh_script(repeated(20, 2))},
        {repeated(20, 3), chain::witness_script(0, repeated(20, 3))},
        {repeated(32, 4), chain::witness_script(0, repeated(32, 4))},
        {repeated(32, 5), chain::witness_script(1, repeated(32, 5))},
        {key(6), chain::pk_script(key(6))},
        {key(7), chain::multisig_script(1, {key(6), key(7)})},
    };
    for (const auto& form : forms) {
        const auto tx = payment({form.script});
        EXPECT_TRUE(matches(filter_for(form.element), tx)) << to_hex(form.script);
        EXPECT_FALSE(matches(filter_for(form.script), tx)) << to_hex(form.script);
    }
    const auto address = as_bytes("1BoatSLRHtKNngkdXEeobR76b53LETtpyT");
    EXPECT_FALSE(matches(filter_for(address), payment({chain::pkh_script(repeated(20, 1))})));
    // the key inside a taproot output is not what the output pushes
    EXPECT_FALSE(
        matches(filter_for(repeated(32, 8)), payment({chain::witness_script(1, repeated(32, 9))})));
}

TEST(Relevance, RemembersEveryMatchedOutput) {
    const auto ours = chain::pkh_script(repeated(20, 1));
    const auto other = chain::pkh_script(repeated(20, 2));
    const auto tx = payment({ours, other, ours});
    auto filter = filter_for(repeated(20, 1));
    EXPECT_TRUE(relevant(filter, tx));
    EXPECT_TRUE(filter.contains(chain::OutPoint{chain::txid(tx), 0}));
    EXPECT_FALSE(filter.contains(chain::OutPoint{chain::txid(tx), 1}));
    EXPECT_TRUE(filter.contains(chain::OutPoint{chain::txid(tx), 2}));
}

TEST(Relevance, ByTxidAloneRemembersNothing) {
    const auto tx = payment({chain::pkh_script(repeated(20, 1))});
    auto filter = filter_for(chain::txid(tx).view());
    const auto before = filter;
    EXPECT_TRUE(relevant(filter, tx));
    EXPECT_EQ(filter, before);
}

TEST(Relevance, UpdatesAsTheFlagsSay) {
    const struct {
        Bytes element;
        Bytes script;
        bool is_key;
    } forms[] = {
        {key(1), chain::pk_script(key(1)), true},
        {key(2), chain::multisig_script(2, {key(2), key(3), key(4)}), true},
        {repeated(20, 5), chain::pkh_script(repeated(20, 5)), false},
        {repeated(20, 6), chain::sh_script(repeated(20, 6)), false},
        {repeated(32, 7), chain::witness_script(0, repeated(32, 7)), false},
    };
    for (const auto& form : forms) {
        const auto tx = payment({form.script});
        const chain::OutPoint outpoint{chain::txid(tx), 0};
        for (const auto flags : {UpdateFlags::none, UpdateFlags::all, UpdateFlags::p2pubkey_only}) {
            auto filter = filter_for(form.element, flags);
            EXPECT_TRUE(relevant(filter, tx));
            const bool wanted =
                flags == UpdateFlags::all || (flags == UpdateFlags::p2pubkey_only && form.is_key);
            EXPECT_EQ(filter.contains(outpoint), wanted) << to_hex(form.script);
        }
    }
}

TEST(Relevance, LooksAtOutpointsAndScriptSigsButNeverAtWitnesses) {
    chain::Transaction tx = payment({chain::pkh_script(repeated(20, 9))});
    chain::append_push(tx.inputs[0].script_sig, repeated(71, 1));
    chain::append_push(tx.inputs[0].script_sig, key(2));
    tx.inputs[0].witness = {repeated(72, 3), key(4)};
    EXPECT_TRUE(matches(filter_for(tx.inputs[0].prevout.bytes()), tx));
    EXPECT_TRUE(matches(filter_for(key(2)), tx));
    EXPECT_TRUE(matches(filter_for(repeated(71, 1)), tx));
    EXPECT_FALSE(matches(filter_for(key(4)), tx));
    EXPECT_FALSE(matches(filter_for(repeated(72, 3)), tx));
    EXPECT_TRUE(matches(filter_for(chain::txid(tx).view()), tx));
    EXPECT_FALSE(matches(filter_for(chain::wtxid(tx).view()), tx));
}

TEST(Relevance, EndsAtTheFirstMalformedPush) {
    auto script = chain::pkh_script(repeated(20, 1));
    script.insert(script.begin(), {0x4c, 0xff}); // a push that runs over the end hides the rest
    EXPECT_FALSE(matches(filter_for(repeated(20, 1)), payment({script})));

    auto late = chain::pkh_script(repeated(20, 1));
    late.push_back(0x4b); // what stands before it counts
    EXPECT_TRUE(matches(filter_for(repeated(20, 1)), payment({late})));
}

TEST(Relevance, IgnoresEmptyPushesAndSmallNumbers) {
    auto filter = filter_for({});
    filter.insert(ByteView{});
    filter.insert(repeated(1, 1));
    EXPECT_FALSE(matches(filter, payment({Bytes{0x00, 0x4c, 0x00, 0x51, 0x4f}})));
    EXPECT_TRUE(matches(filter, payment({Bytes{0x01, 0x01}})));
}

TEST(Relevance, OfAFilterWithoutBytesOrFunctionsIsEverything) {
    const auto tx = payment({chain::pkh_script(repeated(20, 1))});
    for (auto filter :
         {BloomFilter(0, 0, 0, UpdateFlags::all), BloomFilter(0, 9, 0, UpdateFlags::all),
          BloomFilter(9, 0, 0, UpdateFlags::all)}) {
        const auto before = filter;
        EXPECT_TRUE(relevant(filter, tx));
        EXPECT_EQ(filter, before);
    }
}

} // namespace
} // namespace headlight::bip37
