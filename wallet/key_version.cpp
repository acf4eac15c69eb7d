// The version numbers of extended keys: BIP-32's own, and those of SLIP-132 that also name a
// script.
#include "wallet/key_version.hpp"

#include <algorithm>
#include <array>

namespace headlight::wallet {

namespace {

using Scripts = KeyVersion::Scripts;

constexpr std::uint32_t xpub = 0x0488b21e;
constexpr std::uint32_t tpub = 0x043587cf;

constexpr std::array<KeyVersion, 10> versions{{
    {xpub, 0x0488ade4, "xpub", "xprv", xpub, Scripts::any},
    {0x049d7cb2, 0x049d7878, "ypub", "yprv", xpub, Scripts::sh_wpkh},
    {0x04b24746, 0x04b2430c, "zpub", "zprv", xpub, Scripts::wpkh},
    {0x0295b43f, 0x0295b005, "Ypub", "Yprv", xpub, Scripts::sh_wsh_multi},
    {0x02aa7ed3, 0x02aa7a99, "Zpub", "Zprv", xpub, Scripts::wsh_multi},
    {tpub, 0x04358394, "tpub", "tprv", tpub, Scripts::any},
    {0x044a5262, 0x044a4e28, "upub", "uprv", tpub, Scripts::sh_wpkh},
    {0x045f1cf6, 0x045f18bc, "vpub", "vprv", tpub, Scripts::wpkh},
    {0x024289ef, 0x024285b5, "Upub", "Uprv", tpub, Scripts::sh_wsh_multi},
    {0x02575483, 0x02575048, "Vpub", "Vprv", tpub, Scripts::wsh_multi},
}};

template <class Predicate>
const KeyVersion* find(Predicate matches) {
    const auto* found = std::find_if(versions.begin(), versions.end(), matches);
    return found == versions.end() ? nullptr : found;
}

} // namespace

const KeyVersion* find_key_version(std::uint32_t version) {
    return find([&](const KeyVersion& known) {
        return known.public_version == version || known.private_version == version;
    });
}

const KeyVersion* find_key_version(std::string_view text) {
    return find([&](const KeyVersion& known) {
        return text.starts_with(known.public_prefix) || text.starts_with(known.private_prefix);
    });
}

} // namespace headlight::wallet
