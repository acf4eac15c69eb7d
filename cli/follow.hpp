// Notices as the lines of `sync --follow`: one JSON object each.
#pragma once

#include "cli/output.hpp"
#include "sync/events.hpp"
#include "wallet/wallet.hpp"

namespace headlight::cli {

class Follow {
  public:
    explicit Follow(Output& out) : out_(out) {}
    /// Once, before the first notice; the wallet lives as long as notices come.
    void open(const wallet::Wallet& wallet) { wallet_ = &wallet; }
    void on(const sync::Notice& notice);

  private:
    void print(const sync::notice::Progress& progress);
    void print(const sync::notice::Transaction& transaction);
    void print(const sync::notice::Block& block);
    void print(const sync::notice::Warning& warning);
    void print(const sync::notice::PeerLog& log);
    void print(const sync::notice::Finished&) {} // the result of the run is the last line

    Output& out_;
    const wallet::Wallet* wallet_ = nullptr;
    std::optional<sync::notice::Phase> phase_;
};

} // namespace headlight::cli
