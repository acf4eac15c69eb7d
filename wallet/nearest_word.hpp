// Which word of the list was probably meant.
#pragma once

#include <span>
#include <string_view>

namespace headlight::wallet {

/// The English BIP-39 word nearest to a mistyped one: the only one that it begins, else the one
/// with the fewest single-letter mistakes (two at most). Empty when none is near.
std::string_view nearest_word(std::string_view word);
/// The same among other words, of at most 12 letters.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

} // namespace headlight::wallet
