// Derivation paths in descriptors: an origin's steps, and the steps, <0;1> and /* behind a key.
#pragma once

#include "chain/result.hpp"

#include <cstdint>
#include <vector>

namespace headlight::wallet {

struct KeyPath {
    enum class Wildcard { none, index, hardened_index };

    /// Each step is one child number, or several for <a;b>, which stands at most once.
    std::vector<std::vector<std::uint32_t>> steps;
    Wildcard wildcard = Wildcard::none;

    /// 1, or the number in <a;b>.
    std::size_t alternatives() const;
    /// "/84h/<0;1>/*": hardened steps are marked with h.
    std::string text() const;
};

/// "/1/2h/<0;1>/*" or "". The error's message names the step: bad_descriptor.
result<KeyPath> parse_key_path(std::string_view text);

/// "[deadbeef/84h/0h]" in front of a key: where it comes from.
struct KeyOrigin {
    std::string fingerprint; ///< 8 hex digits
    KeyPath path;            ///< plain steps only

    std::string text() const { return "[" + fingerprint + path.text() + "]"; }
};

/// What stands between the brackets. Error: bad_descriptor naming the part.
result<KeyOrigin> parse_key_origin(std::string_view text);

} // namespace headlight::wallet
