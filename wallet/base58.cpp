// Base58 and base58check: the text form of old addresses, WIF keys and extended keys.
#include "wallet/base58.hpp"

#include "chain/hash.hpp"
#include "wallet/text.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

constexpr std::string_view alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::size_t checksum_bytes = 4;

// number = number * multiplier + carry, in `digits` of base `base`, least first.
template <class Digits>
void multiply_add(Digits& digits, std::uint32_t base, std::uint32_t multiplier,
                  std::uint32_t carry) {
    for (auto& digit : digits) {
        carry += digit * multiplier;
        digit = static_cast<std::uint8_t>(carry % base);
        carry /= base;
    }
    for (; carry != 0; carry /= base)
        digits.push_back(static_cast<std::uint8_t>(carry % base));
}

} // namespace

std::string encode_base58(ByteView bytes) {
    const auto first = std::find_if(bytes.begin(), bytes.end(), [](auto b) { return b != 0; });
    const auto zeros = static_cast<std::size_t>(first - bytes.begin());
    SecretBytes digits;
    digits.reserve(bytes.size() * 138 / 100 + 1); // log 256 / log 58
    for (const auto byte : bytes.subspan(zeros))
        multiply_add(digits, 58, 256, byte);
    std::string text(zeros, alphabet[0]);
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
        text += alphabet[*digit];
    return text;
}

result<SecretBytes> decode_base58(std::string_view text, std::size_t most) {
    const Error too_long{errc::malformed, "the base58 text is too long",
                         std::to_string(text.size()) + " characters"};
    if (text.size() > most * 138 / 100 + 1) return too_long;
    const auto zeros = std::min(text.find_first_not_of(alphabet[0]), text.size());
    SecretBytes bytes;
    bytes.reserve(most + 1);
    for (std::size_t i = zeros; i < text.size(); ++i) {
        const auto digit = alphabet.find(text[i]);
        if (digit == std::string_view::npos)
            return Error{errc::malformed,
                         "character " + std::to_string(i + 1) + ", " + name_character(text[i]) +
                             ", is none of base58",
                         "base58 has no 0, O, I and l, and only letters and digits",
                         "Compare that place with the original"};
        multiply_add(bytes, 256, 58, static_cast<std::uint32_t>(digit));
    }
    bytes.insert(bytes.end(), zeros, std::uint8_t{0});
    if (bytes.size() > most) return too_long;
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

std::string encode_base58check(ByteView payload) {
    SecretBytes bytes;
    bytes.reserve(payload.size() + checksum_bytes);
    bytes.assign(payload.begin(), payload.end());
    const auto digest = chain::hash256(payload);
    bytes.insert(bytes.end(), digest.bytes.begin(), digest.bytes.begin() + checksum_bytes);
    return encode_base58(bytes);
}

result<SecretBytes> decode_base58check(std::string_view text, std::size_t most) {
    auto bytes = decode_base58(text, most + checksum_bytes);
    if (!bytes) return bytes;
    if (bytes->size() < checksum_bytes)
        return Error{errc::malformed, "the base58 text is too short",
                     std::to_string(text.size()) + " characters"};
    const auto payload = ByteView(*bytes).first(bytes->size() - checksum_bytes);
    const auto digest = chain::hash256(payload);
    if (!std::equal(bytes->end() - checksum_bytes, bytes->end(), digest.bytes.begin()))
        return Error{errc::bad_checksum, "the base58 checksum does not hold",
                     "a character is wrong, missing or too many", "Copy the text again"};
    bytes->resize(payload.size());
    return bytes;
}

} // namespace headlight::wallet
