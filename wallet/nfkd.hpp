// Unicode normalization of secrets (NFKD), as BIP-39 asks for.
#pragma once

#include "wallet/secret.hpp"

namespace headlight::wallet {

/// Nothing for text that is not UTF-8.
std::optional<SecretBytes> nfkd(std::string_view text);

/// The words between blanks of any kind, ASCII letters in lower case, of text in NFKD.
std::vector<SecretBytes> split_words(ByteView normalized);

} // namespace headlight::wallet
