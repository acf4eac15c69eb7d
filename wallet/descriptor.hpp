// Output descriptors (BIP-380 to 386): public ones only. What is watched is always one of these.
#pragma once

#include "chain/network.hpp"
#include "chain/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace headlight::wallet {

/// A parsed descriptor: pk, pkh, wpkh, sh(wpkh), multi, sortedmulti, sh(multi), wsh(multi),
/// sh(wsh(multi)), tr(KEY), addr, raw. Keys are hex, xpub/tpub, with origin, /*, /<0;1>/*.
class Descriptor {
  public:
    /// Errors (all name the part of the text): bad_descriptor; bad_checksum; private_key with the
    /// public form as cure; wrong_network for a key or address of another network. A missing
    /// checksum is accepted, a wrong one is not. raw() and addr() whose script a filter cannot
    /// match are refused.
    static result<Descriptor> parse(std::string_view text, const chain::Network& network);

    /// Canonical text with checksum: what is stored and shown.
    const std::string& text() const { return text_; }
    /// 1, or the number of alternatives in <a;b>.
    std::uint32_t branches() const;
    /// Whether it holds a `*`, so that each index gives another script.
    bool ranged() const;
    /// The scriptPubKey at `branch` < branches() and `index` (0 when not ranged, below 2^31). Fails
    /// only for an index whose key BIP-32 calls invalid.
    result<Bytes> script_pubkey(std::uint32_t branch, std::uint32_t index) const;

    friend bool operator==(const Descriptor& a, const Descriptor& b) { return a.text_ == b.text_; }

    struct Node;

  private:
    std::string text_;
    std::shared_ptr<const Node> root_;
};

/// "text#checksum" for a descriptor text without one; bad_descriptor for a character outside its
/// set.
result<std::string> with_checksum(std::string_view text);

/// What `watch` takes: an address, a descriptor, or an extended public key. An xpub says nothing of
/// its scripts, so it becomes all four (pkh, sh(wpkh), wpkh, tr) over /<0;1>/*; ypub/upub and
/// zpub/vpub (SLIP-132) become the one that they name; Ypub and the like (multisig) are refused
/// with the cure.
result<std::vector<Descriptor>> parse_watch_item(std::string_view text,
                                                 const chain::Network& network);

} // namespace headlight::wallet
