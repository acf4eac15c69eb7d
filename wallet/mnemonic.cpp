// BIP-39: mnemonics of 12 to 24 English words, and the seed they stand for.
#include "wallet/mnemonic.hpp"

#include "chain/hash.hpp"
#include "chain/limits.hpp"
#include "wallet/english_words.hpp"
#include "wallet/nearest_word.hpp"
#include "wallet/nfkd.hpp"
#include "wallet/text.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::size_t bits_per_word = 11;
constexpr int seed_rounds = 2048;
constexpr std::string_view word_counts = "12, 15, 18, 21 or 24";

bool is_word_count(std::size_t words) { return words >= 12 && words <= 24 && words % 3 == 0; }

std::string_view as_text(const SecretBytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// 11 bits for each word: the entropy, then the first bits of its hash (one for each 32).
void append_bits(SecretBytes& bits, std::uint32_t value, std::size_t count) {
    while (count-- > 0)
        bits.push_back(static_cast<std::uint8_t>(value >> count & 1));
}

SecretBytes bits_of(ByteView entropy) {
    SecretBytes bits;
    bits.reserve(24 * bits_per_word);
    for (const auto byte : entropy)
        append_bits(bits, byte, 8);
    const auto checksum_bits = entropy.size() / 4;
    append_bits(bits, chain::sha256(entropy)[0] >> (8U - checksum_bits), checksum_bits);
    return bits;
}

std::uint32_t take_bits(const SecretBytes& bits, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value = value << 1 | bits[at + i];
    return value;
}

Error unknown_word(const SecretBytes& word, std::size_t position) {
    const auto text = as_text(word);
    const auto nearest = nearest_word(text);
    return Error{errc::bad_mnemonic,
                 "word " + std::to_string(position) + ", " + quote(text) +
                     ", is not in the English BIP-39 list",
                 "it is mistyped, or the list is another language's",
                 nearest.empty() ? "Compare it with what you wrote down"
                                 : "Did you mean '" + std::string(nearest) + "'?"};
}

result<SecretBytes> bits_of_words(const std::vector<SecretBytes>& words) {
    SecretBytes bits;
    bits.reserve(24 * bits_per_word);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto text = as_text(words[i]);
        const auto* found = std::lower_bound(english_words.begin(), english_words.end(), text);
        if (found == english_words.end() || *found != text) return unknown_word(words[i], i + 1);
        append_bits(bits, static_cast<std::uint32_t>(found - english_words.begin()), bits_per_word);
    }
    return bits;
}

// One blank between words and lower case, so that a mnemonic typed with two blanks or capitals
// gives the seed of the same words and not another wallet.
SecretBytes seed_text(std::string_view mnemonic) {
    const auto normalized = nfkd(mnemonic);
    if (!normalized) {
        const auto raw = as_bytes(mnemonic);
        return {raw.begin(), raw.end()};
    }
    SecretBytes text;
    text.reserve(normalized->size());
    for (const auto& word : split_words(*normalized)) {
        if (!text.empty()) text.push_back(' ');
        text.insert(text.end(), word.begin(), word.end());
    }
    return text;
}

SecretBytes salt_of(std::string_view passphrase) {
    constexpr std::string_view prefix = "mnemonic";
    SecretBytes salt(prefix.begin(), prefix.end());
    const auto normalized = nfkd(passphrase);
    const auto part = normalized ? ByteView(*normalized) : as_bytes(passphrase);
    salt.insert(salt.end(), part.begin(), part.end());
    return salt;
}

} // namespace

result<std::string> mnemonic_from_entropy(ByteView entropy) {
    if (entropy.size() < 16 || entropy.size() > 32 || entropy.size() % 4 != 0)
        return Error{errc::bad_argument,
                     std::to_string(entropy.size()) + " bytes of entropy make no mnemonic",
                     "BIP-39 takes 16, 20, 24, 28 or 32", "Give so many"};
    const auto bits = bits_of(entropy);
    std::string mnemonic;
    mnemonic.reserve(24 *
                     9); // the longest words have 8 letters; a grown string leaves copies behind
    for (std::size_t at = 0; at < bits.size(); at += bits_per_word) {
        if (at > 0) mnemonic += ' ';
        mnemonic += english_words[take_bits(bits, at, bits_per_word)];
    }
    return {boost::system::in_place_value, std::move(mnemonic)};
}

result<std::string> new_mnemonic(std::size_t words) {
    if (!is_word_count(words))
        return Error{errc::bad_argument,
                     "there is no mnemonic of " + std::to_string(words) + " words",
                     "BIP-39 knows " + std::string(word_counts) + " words", "Choose one of these"};
    SecretBytes entropy(words / 3 * 4);
    if (RAND_bytes(entropy.data(), static_cast<int>(entropy.size())) != 1)
        return Error{errc::io, "no new mnemonic could be made", "the system's random source failed",
                     "Try again, and never use a mnemonic made elsewhere by hand"};
    return mnemonic_from_entropy(entropy);
}

result<Bytes> entropy_from_mnemonic(std::string_view mnemonic) {
    if (mnemonic.size() > limits::max_mnemonic_bytes)
        return Error{errc::bad_mnemonic, "the mnemonic is too long",
                     std::to_string(mnemonic.size()) + " bytes",
                     "Give " + std::string(word_counts) + " words"};
    const auto normalized = nfkd(mnemonic);
    if (!normalized)
        return Error{errc::bad_mnemonic, "the mnemonic is not text", "it is not UTF-8",
                     "Save it as UTF-8 or plain ASCII"};
    const auto words = split_words(*normalized);
    const auto bits = bits_of_words(words);
    if (!bits) return bits.error();
    if (!is_word_count(words.size()))
        return Error{errc::bad_mnemonic,
                     "the mnemonic has " + std::to_string(words.size()) + " words",
                     "BIP-39 knows " + std::string(word_counts),
                     "Look for a word that is missing or too many"};
    Bytes entropy(words.size() / 3 * 4);
    for (std::size_t i = 0; i < entropy.size(); ++i)
        entropy[i] = static_cast<std::uint8_t>(take_bits(*bits, 8 * i, 8));
    if (bits_of(entropy) != *bits) {
        OPENSSL_cleanse(entropy.data(), entropy.size());
        return Error{errc::bad_checksum, "the mnemonic's checksum does not hold",
                     "every word is in the list, but one is another than it was, or they stand in "
                     "another order",
                     "Compare all of them with what you wrote down"};
    }
    return entropy;
}

std::array<std::uint8_t, 64> seed_from_mnemonic(std::string_view mnemonic,
                                                std::string_view passphrase) {
    const auto text = seed_text(mnemonic);
    const auto salt = salt_of(passphrase);
    std::array<std::uint8_t, 64> seed{};
    PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(text.data()), static_cast<int>(text.size()),
                      salt.data(), static_cast<int>(salt.size()), seed_rounds, EVP_sha512(),
                      static_cast<int>(seed.size()), seed.data());
    return seed;
}

} // namespace headlight::wallet
