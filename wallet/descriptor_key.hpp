// One key in a descriptor: read, checked, written, and derived at each branch and index.
#pragma once

#include "wallet/key_path.hpp"
#include "wallet/public_parent.hpp"

namespace headlight::wallet {

/// What the function around a key lets it be.
struct KeyRules {
    std::string_view function; ///< "wpkh", for messages
    bool uncompressed = false;
    bool x_only = false;
};

class KeyExpression {
  public:
    /// `position` is where the text stands in its descriptor, for messages. A private key is read
    /// too: only its public form is kept, and is_private() set, for a refusal that names the cure.
    /// Errors: bad_descriptor; bad_checksum; wrong_network (public keys only).
    static result<KeyExpression> parse(std::string_view text, std::size_t position,
                                       const KeyRules& rules, const chain::Network& network);

    /// The public form, with h for hardened steps.
    std::string text() const { return origin_ + base_ + path_; }
    /// "the key at character 6".
    const std::string& name() const { return name_; }

    bool is_private() const { return is_private_; }
    /// Why a private key has no public form, and so can neither be written nor derived; else empty.
    const std::string& no_public_form() const { return no_public_form_; }

    std::size_t alternatives() const { return ends_.size(); }
    bool ranged() const { return ranged_; }
    /// Whether the key is an uncompressed one, of 65 bytes.
    bool uncompressed() const { return ends_.front().key.size() == 65; }
    /// 33 or 65 bytes, or 32 for an x-only key. `branch` counts only with alternatives.
    result<Bytes> derive(std::uint32_t branch, std::uint32_t index) const;

  private:
    struct End {
        Bytes key;                          ///< the key itself, or the parent's when ranged
        std::optional<PublicParent> parent; ///< when ranged
    };
    class Reader;

    std::string name_, origin_, base_, path_, no_public_form_;
    std::vector<End> ends_; ///< one for each alternative
    bool ranged_ = false;
    bool is_private_ = false;
};

} // namespace headlight::wallet
