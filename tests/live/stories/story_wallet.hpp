// A wallet of ours in a folder of its own, as the live stories use it: made from a mnemonic that
// the story knows, so that bitcoind can hold the same keys and sign.
#pragma once

#include "client/client.hpp"
#include "regtest/bitcoind.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/wallet.hpp"

namespace headlight::stories {

using regtest::Bitcoind;
using wallet::AccountKind;
using wallet::Birthday;

inline const std::vector<AccountKind> all_kinds{AccountKind::pkh, AccountKind::sh_wpkh,
                                                AccountKind::wpkh, AccountKind::tr};

/// What the files say while nothing runs.
struct Books {
    wallet::Balance balance;
    std::vector<wallet::Coin> coins;
    std::vector<wallet::HistoryEntry> history;
    std::int32_t scanned = -1;
    std::int32_t tip = -1; ///< of the stored headers
    std::optional<Birthday> rescan;

    /// Nothing when the wallet does not know it.
    std::optional<wallet::HistoryEntry> entry(const chain::Hash256& txid) const;
};

struct NewWallet {
    std::vector<AccountKind> kinds{AccountKind::wpkh};
    Birthday birthday{};
    std::uint32_t gap = 20;
};

class StoryWallet {
  public:
    /// No file is made yet. Two wallets with one `datadir` share their headers.
    StoryWallet(std::filesystem::path datadir, std::string name = "default",
                chain::NetworkId network = chain::NetworkId::regtest);

    /// Makes the wallet's file, from a mnemonic that no other story has.
    void create(const NewWallet& how = {});
    /// Adds what `headlight watch` would, to a new or an existing wallet.
    void watch(const std::vector<std::string>& items, Birthday birthday = {});

    const client::Paths& paths() const { return paths_; }
    const chain::Network& network() const { return *paths_.network; }

    Bytes script(AccountKind kind, std::uint32_t branch, std::uint32_t index) const;
    std::string address(AccountKind kind, std::uint32_t branch, std::uint32_t index) const;
    /// A receive address of the first account.
    std::string address(std::uint32_t index = 0) const;

    /// Public and canonical, as stored.
    std::vector<std::string> descriptors() const;
    /// The accounts' descriptors with the master key in them.
    std::vector<std::string> private_descriptors() const;
    Books books() const;

  private:
    client::Paths paths_;
    std::optional<wallet::ExtendedPrivateKey> master_;
    std::vector<AccountKind> kinds_;
};

/// A master key that depends on `number` alone.
wallet::ExtendedPrivateKey master_from(std::uint32_t number);

} // namespace headlight::stories
