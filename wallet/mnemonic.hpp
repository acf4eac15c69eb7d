// BIP-39: mnemonics of 12 to 24 English words, and the seed they stand for.
#pragma once

#include "chain/bytes.hpp"
#include "chain/result.hpp"

#include <array>

namespace headlight::wallet {

/// The words for 16, 20, 24, 28 or 32 bytes of entropy. Error: bad_argument.
result<std::string> mnemonic_from_entropy(ByteView entropy);
/// From the system's random source. `words`: 12, 15, 18, 21 or 24. Errors: bad_argument; io.
result<std::string> new_mnemonic(std::size_t words);
/// The entropy of a mnemonic; spaces of any kind and number between words, any case, NFKD. Errors:
/// bad_mnemonic naming the word, its position (from 1) and a likely intended one; bad_checksum.
result<Bytes> entropy_from_mnemonic(std::string_view mnemonic);
/// PBKDF2-HMAC-SHA512, 2048 rounds, over the NFKD of both (no word list needed). Blanks between
/// words count as one space and ASCII letters as lower case, so that whatever entropy_from_mnemonic
/// takes for the same words gives the same seed. Text that is not UTF-8 is taken as it stands.
std::array<std::uint8_t, 64> seed_from_mnemonic(std::string_view mnemonic,
                                                std::string_view passphrase);

} // namespace headlight::wallet
