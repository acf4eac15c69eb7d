// What the files say, without changing them: a wallet, and the tip of the stored headers.
#pragma once

#include "cli/context.hpp"
#include "client/client.hpp"

namespace headlight::cli {

struct ChainTip {
    std::int32_t height = -1; ///< -1: no headers are stored
    chain::Hash256 hash;
    std::int64_t time = 0;
};

struct View {
    client::OpenWallet opened;
    std::unique_ptr<wallet::store::HeaderFile> headers;
    ChainTip chain;

    const wallet::Wallet& wallet() const { return *opened.wallet; }
    /// The best height known: of the headers, or the scan's where the header file was reset.
    std::int32_t best_height() const;
    /// 0 for what is not confirmed.
    std::int32_t confirmations(std::int32_t height) const;
};

/// Errors: as client::open_wallet and HeaderFile::open. A notice of the header file becomes a
/// warning.
result<View> open_view(Context& context);
/// The header file alone, for reading.
result<std::unique_ptr<wallet::store::HeaderFile>> open_headers(Context& context);

/// {confirmed, unconfirmed, immature, total}.
boost::json::object to_json(const wallet::Balance& balance);
/// One line for people.
std::string to_text(const wallet::Balance& balance);

} // namespace headlight::cli
