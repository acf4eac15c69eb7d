// Scripts of descriptors, derived once for the whole process: simulations load the same few wallets
// thousands of times, and key derivation would be most of what they do.
#pragma once

#include "wallet/script_book.hpp"

namespace headlight::regtest {

/// Derives as a descriptor does, and remembers. Not for more than one thread.
wallet::DeriveScript remembered_scripts();

} // namespace headlight::regtest
