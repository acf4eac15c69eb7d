// Base58 and base58check: the text form of old addresses, WIF keys and extended keys.
#pragma once

#include "chain/result.hpp"
#include "wallet/secret.hpp"

namespace headlight::wallet {

std::string encode_base58(ByteView bytes);
/// Wiped when done with, since the text may spell a private key. Errors: malformed naming the first
/// bad character and its position (from 1), or when there would be more than `most` bytes.
result<SecretBytes> decode_base58(std::string_view text, std::size_t most);

/// With the first four bytes of the double SHA-256 behind the payload.
std::string encode_base58check(ByteView payload);
/// The payload, of at most `most` bytes. Errors: as decode_base58; bad_checksum.
result<SecretBytes> decode_base58check(std::string_view text, std::size_t most);

} // namespace headlight::wallet
