// What `watch` takes: an address, a descriptor or an extended public key, as descriptors.
#include "wallet/address.hpp"
#include "wallet/descriptor.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/key_version.hpp"
#include "wallet/mnemonic.hpp"
#include "wallet/text.hpp"

#include <algorithm>

namespace headlight::wallet {

namespace {

using Scripts = KeyVersion::Scripts;
using Forms = std::vector<std::pair<std::string_view, std::string_view>>; // open, close

// The scripts that an extended key may stand for, by what its version says of them.
Forms forms_of(Scripts scripts) {
    switch (scripts) {
    case Scripts::any:
        return {{"pkh(", ")"}, {"sh(wpkh(", "))"}, {"wpkh(", ")"}, {"tr(", ")"}};
    case Scripts::sh_wpkh:
        return {{"sh(wpkh(", "))"}};
    case Scripts::wpkh:
        return {{"wpkh(", ")"}};
    case Scripts::sh_wsh_multi:
        return {{"sh(wsh(sortedmulti(", ")))"}};
    case Scripts::wsh_multi:
        return {{"wsh(sortedmulti(", "))"}};
    }
    return {};
}

Error refuse_private(const ParsedExtendedKey& key, const KeyVersion& version) {
    return Error{errc::private_key,
                 "an extended private key (" + std::string(version.private_prefix) +
                     ") was given where a public one is due",
                 "headlight never takes private keys",
                 "Use the public form: " + to_string(key.public_key, version.public_version)};
}

Error refuse_multisig(const ParsedExtendedKey& key, const KeyVersion& version) {
    const auto form = forms_of(version.scripts).front();
    return Error{errc::bad_descriptor,
                 std::string(version.public_prefix) + " is one key of a multisig wallet",
                 "its scripts depend on the other keys too",
                 "Give the descriptor: " + std::string(form.first) + "THRESHOLD," +
                     to_string(key.public_key, version.standard_version) + "/<0;1>/*,OTHER KEYS" +
                     std::string(form.second)};
}

// `origin` is "[fingerprint/path]" or empty.
result<std::vector<Descriptor>> watch_key(std::string_view origin, std::string_view text,
                                          const chain::Network& network) {
    const auto key = parse_extended_key(text);
    if (!key) {
        auto error = key.error();
        error.message = "the extended key " + quote(text, 12) + ": " + error.message;
        return error;
    }
    const auto& version = *find_key_version(key->version);
    if (key->is_private) return refuse_private(*key, version);
    if (!version.belongs_to(network))
        return wrong_network("the " + std::string(version.public_prefix) + " " + quote(text, 12),
                             network_names([&](const auto& n) { return version.belongs_to(n); }),
                             network);
    if (version.scripts == Scripts::sh_wsh_multi || version.scripts == Scripts::wsh_multi)
        return refuse_multisig(*key, version);
    std::vector<Descriptor> descriptors;
    for (const auto& [open, close] : forms_of(version.scripts)) {
        auto descriptor = Descriptor::parse(std::string(open) + std::string(origin) +
                                                to_string(key->public_key, network) + "/<0;1>/*" +
                                                std::string(close),
                                            network);
        if (!descriptor) return descriptor.error();
        descriptors.push_back(std::move(*descriptor));
    }
    return descriptors;
}

result<std::vector<Descriptor>> watch_descriptor(std::string_view text,
                                                 const chain::Network& network) {
    auto descriptor = Descriptor::parse(text, network);
    if (!descriptor) return descriptor.error();
    return std::vector<Descriptor>{std::move(*descriptor)};
}

// What an address of this network or one that was cut or mistyped looks like, so that its own error
// says most.
bool resembles_address(std::string_view text) {
    constexpr std::size_t least_base58 = 26, most_base58 = 35;
    return text.empty() || has_bech32_prefix(text) ||
           (text.size() >= least_base58 && text.size() <= most_base58);
}

Error refuse_unknown(std::string_view text, const chain::Network& network,
                     const Error& as_address) {
    const std::string address(network.bech32_prefix);
    const auto* key = network.bip32_public == find_key_version("xpub")->public_version
                          ? "xpub, ypub or zpub"
                          : "tpub, upub or vpub";
    return Error{errc::bad_address,
                 quote(text, text.size() <= 35 ? 35 : 12) +
                     " is neither an address, a descriptor nor an extended public key",
                 "as an address, " + as_address.cause +
                     "; a descriptor is a function with parentheses; an extended public key "
                     "starts with " +
                     key,
                 "Give an address (such as " + address +
                     "1...), a descriptor (such as wpkh(KEY)) or an extended public key"};
}

bool is_mnemonic(std::string_view text) {
    const auto entropy = entropy_from_mnemonic(text);
    return entropy.has_value() || entropy.error().code == errc::bad_checksum;
}

} // namespace

result<std::vector<Descriptor>> parse_watch_item(std::string_view text,
                                                 const chain::Network& network) {
    text = trim(text);
    if (text.find('(') != std::string_view::npos) return watch_descriptor(text, network);
    const auto close = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    const auto origin = text.substr(0, close == std::string_view::npos ? 0 : close + 1);
    const auto key = text.substr(origin.size());
    if (find_key_version(key) != nullptr) return watch_key(origin, key, network);
    const auto script = decode_address(text, network);
    if (script) return watch_descriptor("addr(" + std::string(text) + ")", network);
    if (is_mnemonic(text))
        return Error{errc::private_key, "a mnemonic was given where a public item is due",
                     "`watch` never takes secrets",
                     "Restore it with `create --mnemonic-file`, which keeps public keys only"};
    const auto& error = script.error();
    const bool none = error.code == errc::bad_address || error.code == errc::bad_checksum;
    return none && !resembles_address(text) ? refuse_unknown(text, network, error) : error;
}

} // namespace headlight::wallet
