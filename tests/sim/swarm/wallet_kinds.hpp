// Wallets of every kind of script, of keys that nobody uses. A few, always the same, so that their
// scripts are derived once for all seeds.
#pragma once

#include "wallet/descriptor.hpp"

namespace headlight::tests {

struct WalletKind {
    std::string name;
    std::vector<wallet::Descriptor> descriptors;
};

const std::vector<WalletKind>& wallet_kinds();

} // namespace headlight::tests
