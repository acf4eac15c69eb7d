#include "tests/live/stories/story_wallet.hpp"

#include "wallet/address.hpp"
#include "wallet/mnemonic.hpp"

#include <algorithm>
#include <ctime>

namespace headlight::stories {

namespace {

using wallet::store::HeaderFile;
using wallet::store::WalletDb;

std::uint32_t next_number() {
    static std::uint32_t number = 0;
    return ++number;
}

std::string private_descriptor(const std::string& master, AccountKind kind) {
    constexpr std::string_view branches = "/<0;1>/*";
    const auto key = [&](int purpose) {
        return master + "/" + std::to_string(purpose) + "h/1h/0h" + std::string(branches);
    };
    switch (kind) {
    case AccountKind::pkh:
        return "pkh(" + key(44) + ")";
    case AccountKind::sh_wpkh:
        return "sh(wpkh(" + key(49) + "))";
    case AccountKind::wpkh:
        return "wpkh(" + key(84) + ")";
    case AccountKind::tr:
        break;
    }
    return "tr(" + key(86) + ")";
}

} // namespace

wallet::ExtendedPrivateKey master_from(std::uint32_t number) {
    Bytes entropy(16, 0x5a);
    for (std::size_t i = 0; i < 4; ++i)
        entropy[i] = static_cast<std::uint8_t>(number >> (8 * i));
    const auto mnemonic = wallet::mnemonic_from_entropy(entropy).value();
    return wallet::master_key(wallet::seed_from_mnemonic(mnemonic, "")).value();
}

std::optional<wallet::HistoryEntry> Books::entry(const chain::Hash256& txid) const {
    const auto found = std::find_if(history.begin(), history.end(),
                                    [&](const auto& one) { return one.txid == txid; });
    return found == history.end() ? std::nullopt : std::optional(*found);
}

StoryWallet::StoryWallet(std::filesystem::path datadir, std::string name, chain::NetworkId network)
    : paths_{std::move(datadir), &chain::network(network), std::move(name)} {}

void StoryWallet::create(const NewWallet& how) {
    master_ = master_from(next_number());
    kinds_ = how.kinds;
    auto opened = client::create_wallet(paths_, to_hex(wallet::neuter(*master_).fingerprint()),
                                        std::time(nullptr))
                      .value();
    for (const auto kind : kinds_) {
        const auto text = wallet::account_descriptor(*master_, kind, 0, network()).value();
        const auto descriptor = wallet::Descriptor::parse(text, network()).value();
        opened.wallet->add(descriptor, how.gap, how.birthday, true).value();
    }
    opened.save().value();
}

void StoryWallet::watch(const std::vector<std::string>& items, Birthday birthday) {
    auto opened = std::filesystem::exists(paths_.wallet_file())
                      ? client::open_wallet(paths_, WalletDb::Mode::read_write).value()
                      : client::create_wallet(paths_, {}, std::time(nullptr)).value();
    for (const auto& item : items)
        for (const auto& descriptor : wallet::parse_watch_item(item, network()).value())
            opened.wallet->add(descriptor, 20, birthday, false).value();
    opened.save().value();
}

Bytes StoryWallet::script(AccountKind kind, std::uint32_t branch, std::uint32_t index) const {
    const auto text = wallet::account_descriptor(*master_, kind, 0, network()).value();
    return wallet::Descriptor::parse(text, network()).value().script_pubkey(branch, index).value();
}

std::string StoryWallet::address(AccountKind kind, std::uint32_t branch,
                                 std::uint32_t index) const {
    return wallet::encode_address(script(kind, branch, index), network()).value();
}

std::string StoryWallet::address(std::uint32_t index) const {
    return address(kinds_.front(), 0, index);
}

std::vector<std::string> StoryWallet::descriptors() const {
    const auto opened = client::open_wallet(paths_, WalletDb::Mode::read_only).value();
    std::vector<std::string> texts;
    for (const auto& state : opened.wallet->scripts().descriptors())
        texts.push_back(state.descriptor);
    return texts;
}

std::vector<std::string> StoryWallet::private_descriptors() const {
    std::vector<std::string> texts;
    for (const auto kind : kinds_)
        texts.push_back(private_descriptor(to_string(*master_, network()), kind));
    return texts;
}

Books StoryWallet::books() const {
    const auto opened = client::open_wallet(paths_, WalletDb::Mode::read_only).value();
    const auto headers =
        HeaderFile::open(paths_.headers(), network(), HeaderFile::Mode::read_only).value();
    const auto& ledger = opened.wallet->ledger();
    const auto tip = headers.file->tip_height();
    return {.balance = ledger.balance(tip),
            .coins = ledger.coins(),
            .history = ledger.history(std::time(nullptr)),
            .scanned = opened.wallet->scan().height,
            .tip = tip,
            .rescan = opened.wallet->rescan()};
}

} // namespace headlight::stories
