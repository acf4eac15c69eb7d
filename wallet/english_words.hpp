// BIP-39's English word list.
#pragma once

#include <array>
#include <string_view>

namespace headlight::wallet {

/// In the order of the list, which is alphabetical.
extern const std::array<std::string_view, 2048> english_words;

} // namespace headlight::wallet
