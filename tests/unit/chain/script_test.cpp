#include "chain/script.hpp"
#include "tests/support/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headlight::tests {
namespace {

using chain::classify;
using chain::ScriptForm;

const Bytes key33 = hex("02" + std::string(64, '1'));
const Bytes key65 = hex("04" + std::string(128, '2'));
const Bytes hash20(20, 0x33);
const Bytes hash32(32, 0x44);

Bytes script(std::string_view digits) { return hex(digits); }

std::vector<Bytes> pushes(ByteView bytes) {
    std::vector<Bytes> out;
    for (const auto push : chain::data_pushes(bytes))
        out.emplace_back(push.begin(), push.end());
    return out;
}

TEST(ScriptReader, ReadsEveryKindOfPush) {
    EXPECT_EQ(pushes(script("0101")), (std::vector<Bytes>{{1}}));
    EXPECT_EQ(pushes(script("4c020a0b")), (std::vector<Bytes>{{10, 11}}));
    EXPECT_EQ(pushes(script("4d02000a0b")), (std::vector<Bytes>{{10, 11}}));
    EXPECT_EQ(pushes(script("4e020000000a0b")), (std::vector<Bytes>{{10, 11}}));
}

TEST(ScriptReader, SeesNoPushInSmallNumbersAndEmptyPushes) {
    EXPECT_TRUE(pushes(script("00514f604c004d00004e00000000ac")).empty());
}

TEST(ScriptReader, StopsAtAPushThatRunsOverTheEndAndKeepsWhatCameBefore) {
    for (const auto* tail : {"05aabb", "4c", "4c05aa", "4d", "4d01", "4d0500aa", "4e010000",
                             "4effffffff", "4e05000000aa"}) {
        const auto bytes = script(std::string("0101ac") + tail);
        EXPECT_EQ(pushes(bytes), (std::vector<Bytes>{{1}})) << tail;
        chain::ScriptReader reader(bytes);
        while (reader.next()) {
        }
        EXPECT_TRUE(reader.malformed()) << tail;
        EXPECT_FALSE(reader.next());
    }
}

TEST(ScriptReader, TellsTheEndFromAMalformedScript) {
    const auto bytes = script("76a9");
    chain::ScriptReader reader(bytes);
    EXPECT_EQ(reader.next()->opcode, 0x76);
    EXPECT_EQ(reader.next()->opcode, 0xa9);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.malformed());
}

TEST(ScriptForm, OfWhatTheBuildersMake) {
    EXPECT_EQ(classify(chain::pk_script(key33)), ScriptForm::pk);
    EXPECT_EQ(classify(chain::pk_script(key65)), ScriptForm::pk);
    EXPECT_EQ(classify(chain::pkh_script(hash20)), ScriptForm::pkh);
    EXPECT_EQ(classify(chain::sh_script(hash20)), ScriptForm::sh);
    EXPECT_EQ(classify(chain::witness_script(0, hash20)), ScriptForm::wpkh);
    EXPECT_EQ(classify(chain::witness_script(0, hash32)), ScriptForm::wsh);
    EXPECT_EQ(classify(chain::witness_script(1, hash32)), ScriptForm::tr);
    EXPECT_EQ(classify(chain::multisig_script(1, {key33, key65})), ScriptForm::multisig);
    EXPECT_EQ(classify(chain::multisig_script(16, std::vector<Bytes>(16, key33))),
              ScriptForm::multisig);
    EXPECT_EQ(classify(script("6a")), ScriptForm::null_data);
    EXPECT_EQ(classify(script("6a0401020304")), ScriptForm::null_data);
    EXPECT_EQ(classify(script("6a00516050")), ScriptForm::null_data);
}

TEST(ScriptForm, OfNearMissesIsOther) {
    const auto with = [](Bytes bytes, std::size_t at, std::uint8_t value) {
        bytes.at(at) = value;
        return bytes;
    };
    auto longer = chain::pkh_script(hash20);
    longer.push_back(0x61);
    auto bad_key = key33;
    bad_key[0] = 5;
    auto hybrid_length = key33; // a header byte of the long form on a short key
    hybrid_length[0] = 4;
    const Bytes many = chain::multisig_script(3, {key33, key33});
    for (const auto& bytes :
         {Bytes{}, longer, chain::pk_script(bad_key), chain::pk_script(hybrid_length), many,
          with(chain::pkh_script(hash20), 23, 0x87), with(chain::sh_script(hash20), 22, 0x88),
          chain::witness_script(0, Bytes(21, 1)), chain::witness_script(1, hash20),
          chain::witness_script(2, hash32), chain::witness_script(16, Bytes(40, 1)),
          chain::witness_script(1, Bytes{0x4e, 0x73}), script("6a05aa"), script("6aac"),
          script("51ae"), script("5151ae"), script("ae"), script("0000ae"),
          with(chain::multisig_script(1, {key33}), 0, 0x00)}) {
        EXPECT_EQ(classify(bytes), ScriptForm::other) << to_hex(bytes);
    }
}

TEST(ScriptForm, OfAMultisigOfSeventeenToTwentyKeysIsMultisig) {
    for (std::uint8_t keys = 15; keys <= 22; ++keys) {
        Bytes bytes{0x51};
        for (int i = 0; i < keys; ++i)
            chain::append_push(bytes, key33);
        chain::append_push(bytes, Bytes{keys});
        bytes.push_back(0xae);
        EXPECT_EQ(classify(bytes), keys <= 20 ? ScriptForm::multisig : ScriptForm::other) << +keys;
    }
    Bytes long_form{0x51}; // sixteen must be OP_16
    for (int i = 0; i < 16; ++i)
        chain::append_push(long_form, key33);
    long_form.insert(long_form.end(), {0x01, 0x10, 0xae});
    EXPECT_EQ(classify(long_form), ScriptForm::other);
}

TEST(ScriptForm, HasAName) {
    EXPECT_EQ(to_string(ScriptForm::wpkh), "wpkh");
    EXPECT_EQ(to_string(ScriptForm::null_data), "null_data");
    EXPECT_EQ(to_string(ScriptForm::other), "other");
}

TEST(FilterElements, AreExactlyWhatTheScriptPushes) { // pitfalls A8
    const auto one = [](const Bytes& element) { return std::vector<Bytes>{element}; };
    EXPECT_EQ(chain::filter_elements(chain::pkh_script(hash20)), one(hash20));
    EXPECT_EQ(chain::filter_elements(chain::sh_script(hash20)), one(hash20));
    EXPECT_EQ(chain::filter_elements(chain::witness_script(0, hash20)), one(hash20));
    EXPECT_EQ(chain::filter_elements(chain::witness_script(0, hash32)), one(hash32));
    EXPECT_EQ(chain::filter_elements(chain::witness_script(1, hash32)), one(hash32));
    EXPECT_EQ(chain::filter_elements(chain::pk_script(key33)), one(key33));
    EXPECT_EQ(chain::filter_elements(chain::pk_script(key65)), one(key65));
    EXPECT_EQ(chain::filter_elements(chain::multisig_script(1, {key33, key65})),
              (std::vector<Bytes>{key33, key65}));
}

TEST(FilterElements, OfOtherScriptsAreTheLongestPushOrNothing) {
    EXPECT_EQ(chain::filter_elements(script("02aabb03ccddee02ffff")),
              (std::vector<Bytes>{{0xcc, 0xdd, 0xee}}));
    EXPECT_EQ(chain::filter_elements(script("6a0401020304")), (std::vector<Bytes>{{1, 2, 3, 4}}));
    for (const auto* nothing : {"", "51", "00", "ac", "5187", "4c05aa", "6a"}) {
        EXPECT_TRUE(chain::filter_elements(script(nothing)).empty()) << nothing;
    }
}

TEST(FilterElements, AreAmongThePushesThatAServerTests) {
    HEADLIGHT_VECTORS_OR_SKIP(json, "tx_valid_invalid.json");
    std::size_t scripts = 0;
    for (const auto& row : json.at("valid").as_array()) {
        const auto raw = hex(row, "tx");
        // Any window of real bytes will do as a script: nothing may be found that is not pushed.
        for (std::size_t at = 0; at + 40 < raw.size(); at += 37) {
            const auto bytes = ByteView(raw).subspan(at, 40);
            const auto known = pushes(bytes);
            for (const auto& element : chain::filter_elements(bytes)) {
                EXPECT_NE(std::find(known.begin(), known.end(), element), known.end());
            }
            ++scripts;
        }
    }
    EXPECT_GT(scripts, 500u);
}

TEST(AppendPush, IsTheShortestFormAndReadsBack) {
    for (const std::size_t size : {0u, 2u, 75u, 76u, 255u, 256u, 65535u, 65536u}) {
        const Bytes data(size, 0x20);
        Bytes out;
        chain::append_push(out, data);
        const std::size_t overhead = size < 76 ? 1 : size < 256 ? 2 : size < 65536 ? 3 : 5;
        EXPECT_EQ(out.size(), size + overhead);
        chain::ScriptReader reader(out);
        const auto op = reader.next();
        ASSERT_TRUE(op && op->is_push());
        EXPECT_EQ(Bytes(op->push.begin(), op->push.end()), data);
        EXPECT_FALSE(reader.next());
        EXPECT_FALSE(reader.malformed());
    }
    const auto of = [](std::uint8_t value) {
        Bytes out;
        chain::append_push(out, Bytes{value});
        return to_hex(out);
    };
    EXPECT_EQ(of(0), "0100");
    EXPECT_EQ(of(1), "51");
    EXPECT_EQ(of(16), "60");
    EXPECT_EQ(of(17), "0111");
    EXPECT_EQ(of(0x81), "4f");
}

} // namespace
} // namespace headlight::tests
