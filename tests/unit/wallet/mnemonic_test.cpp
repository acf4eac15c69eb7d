// BIP-39: published mnemonics and seeds, and what a bad one is told.
#include "wallet/mnemonic.hpp"

#include "tests/unit/wallet/support.hpp"
#include "wallet/english_words.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/nearest_word.hpp"
#include "wallet/nfkd.hpp"

#include <algorithm>
#include <set>

namespace headlight::wallet {
namespace {

using tests::hex;
using tests::text;

const std::string valid =
    "legal winner thank year wave sausage worth useful legal winner thank yellow";

std::string root_key(const std::array<std::uint8_t, 64>& seed) {
    return to_string(master_key(seed).value(), main_net());
}

std::string replace_word(std::size_t position, const std::string& word) {
    std::string changed;
    std::size_t at = 0;
    for (std::size_t i = 1; at < valid.size(); ++i) {
        const auto end = std::min(valid.find(' ', at), valid.size());
        changed += (i > 1 ? " " : "") + (i == position ? word : valid.substr(at, end - at));
        at = end + 1;
    }
    return changed;
}

TEST(Mnemonic, HoldsTheBipsWordList) {
    const auto raw = tests::read_vector_file("bip39_english.txt");
    if (!raw) GTEST_SKIP() << "no vector file bip39_english.txt";
    std::string list;
    for (const auto word : english_words)
        list += std::string(word) + "\n";
    EXPECT_EQ(list, std::string(raw->begin(), raw->end()));
    EXPECT_TRUE(std::is_sorted(english_words.begin(), english_words.end())) << "it is searched";
}

TEST(Mnemonic, GivesThePublishedWordsSeedsAndKeys) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip39.json");
    for (const auto& item : file.at("cases").as_array()) {
        const auto words = text(item, "mnemonic");
        EXPECT_EQ(mnemonic_from_entropy(hex(item, "entropy")).value(), words);
        EXPECT_EQ(entropy_from_mnemonic(words).value(), hex(item, "entropy"));
        const auto seed = seed_from_mnemonic(words, text(item, "passphrase"));
        EXPECT_EQ(to_hex(seed), text(item, "seed"));
        EXPECT_EQ(root_key(seed), text(item, "xprv"));
    }
}

TEST(Mnemonic, NormalizesWordsAndPassphrase) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip39_nfkd.json");
    for (const auto& item : file.at("cases").as_array()) {
        const auto seed = seed_from_mnemonic(text(item, "mnemonic"), text(item, "passphrase"));
        EXPECT_EQ(to_hex(seed), text(item, "seed"));
        EXPECT_EQ(root_key(seed), text(item, "xprv"));
        EXPECT_FALSE(entropy_from_mnemonic(text(item, "mnemonic")).has_value()) << "not English";
    }
}

TEST(Mnemonic, NamesWhatIsWrongWithThePublishedInvalidOnes) {
    HEADLIGHT_VECTORS_OR_SKIP(file, "bip39.json");
    for (const auto& item : file.at("invalid").as_array()) {
        const auto reason = text(item, "reason");
        const auto refused = entropy_from_mnemonic(text(item, "mnemonic"));
        if (reason == "bad checksum")
            expect_refused(refused, errc::bad_checksum, {"checksum"});
        else if (reason == "word not in list")
            expect_refused(refused, errc::bad_mnemonic, {"word 12", "'notaword'"});
        else
            expect_refused(refused, errc::bad_mnemonic,
                           {reason == "empty" ? "0 words" : reason, "12, 15, 18, 21 or 24"});
    }
}

TEST(Mnemonic, NamesABadWordWithItsPlaceAndTheOneMeant) {
    expect_refused(entropy_from_mnemonic(replace_word(6, "sausge")), errc::bad_mnemonic,
                   {"word 6", "'sausge'", "'sausage'"});
    expect_refused(entropy_from_mnemonic(replace_word(1, "leagl")), errc::bad_mnemonic,
                   {"word 1,", "'leagl'", "'legal'"});
    expect_refused(entropy_from_mnemonic(replace_word(12, "yell")), errc::bad_mnemonic,
                   {"word 12", "'yellow'"});
    expect_refused(entropy_from_mnemonic(replace_word(3, "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq")),
                   errc::bad_mnemonic, {"word 3", "'qqqqqqqqqqqqqqqqqqqq...'"});
    expect_refused(entropy_from_mnemonic(replace_word(2, "winn\xc3\xa9r")), errc::bad_mnemonic,
                   {"word 2"});
    expect_refused(entropy_from_mnemonic("\xff\xfe"), errc::bad_mnemonic, {"UTF-8"});
    expect_refused(entropy_from_mnemonic(std::string(5'000, 'a')), errc::bad_mnemonic, {"5000"});
}

TEST(Mnemonic, FindsTheWordMeantBehindEveryLostLetter) {
    std::size_t found = 0;
    std::size_t tried = 0;
    for (std::size_t place = 0; place < english_words.size(); place += 13) {
        const auto word = english_words[place];
        for (std::size_t i = 0; i < word.size(); ++i) {
            auto mistyped = std::string(word);
            mistyped.erase(i, 1);
            if (std::binary_search(english_words.begin(), english_words.end(), mistyped)) continue;
            ++tried;
            if (nearest_word(mistyped) == word) ++found;
        }
    }
    EXPECT_GT(found * 10, tried * 7)
        << found << " of " << tried; // short words have many neighbours
    EXPECT_EQ(nearest_word("zzzzzzzz"), "");
    EXPECT_EQ(nearest_word(""), "");
}

TEST(Mnemonic, TakesBlanksAndCapitalsAsTheSameWallet) {
    std::string typed = " \t";
    for (const char c : valid)
        typed += c == ' ' ? std::string("\xe3\x80\x80 \r\n") : std::string(1, c);
    typed[2] = 'L';
    typed += "\xc2\xa0";
    ASSERT_TRUE(entropy_from_mnemonic(typed).has_value())
        << to_string(entropy_from_mnemonic(typed).error());
    EXPECT_EQ(entropy_from_mnemonic(typed).value(), entropy_from_mnemonic(valid).value());
    EXPECT_EQ(seed_from_mnemonic(typed, "x"), seed_from_mnemonic(valid, "x"));
    EXPECT_NE(seed_from_mnemonic(valid, "X"), seed_from_mnemonic(valid, "x"));
    EXPECT_NE(seed_from_mnemonic(valid, "x "), seed_from_mnemonic(valid, "x"));
}

TEST(Mnemonic, IsNewEachTimeAndReadsBack) {
    std::set<std::string> seen;
    for (const std::size_t words : {12U, 15U, 18U, 21U, 24U})
        for (int i = 0; i < 20; ++i) {
            const auto mnemonic = new_mnemonic(words).value();
            EXPECT_EQ(static_cast<std::size_t>(std::count(mnemonic.begin(), mnemonic.end(), ' ')),
                      words - 1);
            const auto entropy = entropy_from_mnemonic(mnemonic);
            ASSERT_TRUE(entropy.has_value());
            EXPECT_EQ(entropy->size(), words / 3 * 4);
            EXPECT_EQ(mnemonic_from_entropy(*entropy).value(), mnemonic);
            EXPECT_TRUE(seen.insert(mnemonic).second);
        }
    for (const std::size_t words : {0U, 11U, 13U, 27U})
        expect_refused(new_mnemonic(words), errc::bad_argument, {std::to_string(words) + " words"});
    for (const std::size_t size : {0U, 15U, 17U, 33U})
        expect_refused(mnemonic_from_entropy(Bytes(size)), errc::bad_argument,
                       {std::to_string(size) + " bytes"});
}

TEST(Secrets, AreWipedWhenTheirMemoryGoesBack) {
    std::array<std::uint8_t, 8> secret{1, 2, 3, 4, 5, 6, 7, 8};
    { const Wiped wiped(secret); }
    EXPECT_EQ(secret, (std::array<std::uint8_t, 8>{}));
}

} // namespace
} // namespace headlight::wallet
