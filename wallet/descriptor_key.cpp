// One key in a descriptor: read, checked, written, and derived at each branch and index.
#include "wallet/descriptor_key.hpp"

#include "wallet/key_version.hpp"
#include "wallet/text.hpp"
#include "wallet/wif.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

using Wildcard = KeyPath::Wildcard;

bool is_hardened(const std::vector<std::uint32_t>& step) {
    return std::any_of(step.begin(), step.end(), [](auto number) { return number >= hardened; });
}

// How many steps there are up to the last hardened one, with it.
std::size_t hardened_length(const KeyPath& path) {
    const auto last = std::find_if(path.steps.rbegin(), path.steps.rend(), is_hardened);
    return static_cast<std::size_t>(path.steps.rend() - last);
}

result<ExtendedPublicKey> derive_privately(ExtendedPrivateKey key, const KeyPath& path,
                                           std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
        auto child = derive(key, path.steps[i].front());
        if (!child) return child.error();
        key = *child;
    }
    return neuter(key);
}

} // namespace

// Fills one KeyExpression, in the order in which its parts stand.
class KeyExpression::Reader {
  public:
    Reader(std::string_view text, std::size_t position, const KeyRules& rules,
           const chain::Network& network)
        : text_(text), rules_(rules), network_(network) {
        key_.name_ = "the key at character " + std::to_string(position + 1);
    }

    result<KeyExpression> read() {
        if (auto error = read_origin()) return *std::move(error);
        if (auto error = read_base()) return *std::move(error);
        if (auto error = check_form()) return *std::move(error);
        if (origin_) key_.origin_ = origin_->text();
        return std::move(key_);
    }

  private:
    using Failure = std::optional<Error>;

    Error bad(std::string what, std::string cause, std::string cure = {}) const {
        return Error{errc::bad_descriptor, key_.name_ + " " + what, std::move(cause),
                     std::move(cure)};
    }

    Error bad(const Error& inner) const {
        return Error{inner.code == errc::bad_checksum ? errc::bad_checksum : errc::bad_descriptor,
                     key_.name_ + ": " + inner.message, inner.cause, inner.cure};
    }

    Failure read_origin() {
        if (!text_.starts_with('[')) return std::nullopt;
        const auto close = text_.find(']');
        if (close == std::string_view::npos)
            return bad("has an origin without end", "its ] is missing");
        auto origin = parse_key_origin(text_.substr(1, close - 1));
        if (!origin) return bad(origin.error());
        origin_ = std::move(*origin);
        text_.remove_prefix(close + 1);
        if (text_.empty())
            return bad("is missing", "nothing follows the origin", "Give the key behind the ]");
        return std::nullopt;
    }

    Failure read_base() {
        const auto slash = std::min(text_.find('/'), text_.size());
        const auto base = text_.substr(0, slash);
        const auto path_text = text_.substr(slash);
        if (find_key_version(base) != nullptr) return read_extended(base, path_text);
        auto plain = from_hex(base);
        if (const auto wif = plain ? std::nullopt : parse_wif(base)) {
            key_.is_private_ = true;
            plain = wif->bytes();
        }
        if (!plain)
            return bad("is none: " + quote(base, 8),
                       "a key is 66 hex digits (64 in tr, 130 uncompressed) or an extended public "
                       "key");
        if (!path_text.empty())
            return bad("has the path " + quote(path_text),
                       "only extended keys (xpub, tpub) have children");
        return take_plain(std::move(*plain));
    }

    Failure take_plain(Bytes bytes) {
        if (bytes.size() == 32) {
            if (!rules_.x_only)
                return bad("is an x-only key", "only tr() takes 64 hex digits",
                           "Give the 66 digits that start with 02 or 03");
            curve::Scalar x{};
            std::copy(bytes.begin(), bytes.end(), x.begin());
            if (!curve::valid_x_only(x)) return bad("is not on the curve", "no point has that x");
        } else if (!curve::Point::parse(bytes)) {
            return bad("is no public key: " + quote(to_hex(bytes), 8),
                       "it needs 33 bytes (02, 03) or 65 bytes (04) and a point on the curve");
        }
        key_.base_ = to_hex(bytes);
        key_.ends_.push_back({std::move(bytes), std::nullopt});
        return std::nullopt;
    }

    Failure read_extended(std::string_view base, std::string_view path_text) {
        const auto parsed = parse_extended_key(base);
        if (!parsed) return bad(parsed.error());
        auto path = parse_key_path(path_text);
        if (!path) return bad(path.error());
        const auto& version = *find_key_version(parsed->version);
        if (parsed->is_private) return take_private(base, version, *std::move(path));
        if (!version.is_standard())
            return bad(
                std::string("is a ") + std::string(version.public_prefix),
                "a descriptor names its scripts itself, so SLIP-132 forms have no place in it",
                "Write it as " + to_string(parsed->public_key, version.standard_version));
        if (!version.belongs_to(network_))
            return wrong_network(
                key_.name_ + ", a " + std::string(version.public_prefix) + ",",
                network_names([&](const auto& n) { return version.belongs_to(n); }), network_);
        if (hardened_length(*path) > 0 || path->wildcard == Wildcard::hardened_index)
            return bad("has a hardened step: " + quote(path->text(), 40),
                       "a public key has no hardened children (BIP-32)",
                       "Give the public key behind the last hardened step, with its origin in []");
        return take_public(parsed->public_key, version, *path);
    }

    Failure take_private(std::string_view base, const KeyVersion& version, KeyPath path) {
        key_.is_private_ = true;
        key_.ranged_ = path.wildcard != Wildcard::none;
        const auto steps = hardened_length(path);
        const bool forked =
            std::any_of(path.steps.begin(), path.steps.begin() + static_cast<std::ptrdiff_t>(steps),
                        [](const auto& step) { return step.size() > 1; });
        if (path.wildcard == Wildcard::hardened_index || forked) {
            key_.no_public_form_ =
                path.wildcard == Wildcard::hardened_index ? "/*h" : "hardened <>";
            key_.ends_.assign(path.alternatives(), End{});
            return std::nullopt;
        }
        const auto secret = parse_extended_private_key(base);
        if (!secret) return bad(secret.error());
        const auto account = derive_privately(*secret, path, steps);
        if (!account) return bad(account.error());
        if (steps > 0) extend_origin(to_hex(neuter(*secret).fingerprint()), path, steps);
        path.steps.erase(path.steps.begin(),
                         path.steps.begin() + static_cast<std::ptrdiff_t>(steps));
        return take_public(*account, version, path);
    }

    void extend_origin(std::string fingerprint, const KeyPath& path, std::size_t steps) {
        if (!origin_) origin_ = KeyOrigin{std::move(fingerprint), {}};
        auto& into = origin_->path.steps;
        into.insert(into.end(), path.steps.begin(),
                    path.steps.begin() + static_cast<std::ptrdiff_t>(steps));
    }

    Failure take_public(const ExtendedPublicKey& top, const KeyVersion& version,
                        const KeyPath& path) {
        key_.base_ = to_string(top, version.standard_version);
        key_.path_ = path.text();
        key_.ranged_ = path.wildcard == Wildcard::index;
        std::vector<ExtendedPublicKey> keys{top};
        for (const auto& step : path.steps) {
            std::vector<ExtendedPublicKey> children;
            for (const auto& key : keys)
                for (const auto number : step) {
                    const auto child = wallet::derive(key, number);
                    if (!child) return bad(child.error());
                    children.push_back(*child);
                }
            keys = std::move(children);
        }
        for (const auto& key : keys) {
            if (key_.ranged_ && key.depth == 255)
                return bad("cannot have children", "it is at depth 255, the deepest of BIP-32");
            End end{{key.key.begin(), key.key.end()}, std::nullopt};
            if (key_.ranged_) end.parent = PublicParent::of(key);
            key_.ends_.push_back(std::move(end));
        }
        return std::nullopt;
    }

    Failure check_form() const {
        if (!rules_.uncompressed && key_.uncompressed())
            return bad("is an uncompressed key",
                       "outputs of " + std::string(rules_.function) +
                           " would be unspendable with one",
                       "Give the compressed form, which starts with 02 or 03");
        return std::nullopt;
    }

    std::string_view text_;
    const KeyRules& rules_;
    const chain::Network& network_;
    std::optional<KeyOrigin> origin_;
    KeyExpression key_;
};

result<KeyExpression> KeyExpression::parse(std::string_view text, std::size_t position,
                                           const KeyRules& rules, const chain::Network& network) {
    return Reader(text, position, rules, network).read();
}

result<Bytes> KeyExpression::derive(std::uint32_t branch, std::uint32_t index) const {
    const auto& end = ends_[ends_.size() == 1 ? 0 : branch];
    if (!end.parent) return end.key;
    const auto child = end.parent->child(index);
    if (!child) return child.error();
    return Bytes(child->key.begin(), child->key.end());
}

} // namespace headlight::wallet
