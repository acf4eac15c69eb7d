// Notices as the lines of `sync --follow` and --events: one JSON object each.
#pragma once

#include "cli/output.hpp"
#include "sync/events.hpp"
#include "wallet/wallet.hpp"

#include <boost/json/object.hpp>

namespace headlight::cli {

class Follow {
  public:
    using Line = std::function<void(const boost::json::object&)>;
    /// `line` takes each event; `verbose`: what happens with each peer as well.
    Follow(Line line, bool verbose, std::function<std::int64_t()> now)
        : line_(std::move(line)), verbose_(verbose), now_(std::move(now)) {}
    /// Once, before the first notice; the wallet lives as long as notices come.
    void open(const wallet::Wallet& wallet) { wallet_ = &wallet; }
    void on(const sync::Notice& notice);
    /// The last line: the result of the run.
    void finished(const boost::json::object& result);

  private:
    void print(const sync::notice::Progress& progress);
    void print(const sync::notice::Transaction& transaction);
    void print(const sync::notice::Block& block);
    void print(const sync::notice::Warning& warning);
    void print(const sync::notice::PeerLog& log);
    void print(const sync::notice::Finished&) {} // the result of the run is the last line
    void event(std::string_view name, const boost::json::object& members);

    Line line_;
    bool verbose_;
    std::function<std::int64_t()> now_;
    const wallet::Wallet* wallet_ = nullptr;
    std::optional<sync::notice::Phase> phase_;
};

} // namespace headlight::cli
