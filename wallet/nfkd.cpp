// Unicode normalization of secrets (NFKD), as BIP-39 asks for.
#include "wallet/nfkd.hpp"

#include <utf8proc.h>

#include <cstdlib>

namespace headlight::wallet {

namespace {

bool is_blank(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::uint8_t lower(std::uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte - 'A' + 'a') : byte;
}

} // namespace

std::optional<SecretBytes> nfkd(std::string_view text) {
    std::uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(
        reinterpret_cast<const std::uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &mapped,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT));
    if (length < 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(length);
    SecretBytes bytes(mapped, mapped + size);
    OPENSSL_cleanse(mapped, size);
    std::free(mapped);
    return bytes;
}

std::vector<SecretBytes> split_words(ByteView normalized) {
    std::vector<SecretBytes> words;
    bool inside = false;
    for (const auto byte : normalized) {
        if (is_blank(byte)) {
            inside = false;
            continue;
        }
        if (!inside) words.emplace_back();
        inside = true;
        words.back().push_back(lower(byte));
    }
    return words;
}

} // namespace headlight::wallet
