// What `sync` does for the programs around it: events as lines of JSON, commands for events, and
// news for a service manager.
#pragma once

#include "cli/context.hpp"
#include "cli/event_file.hpp"
#include "cli/follow.hpp"
#include "client/hooks.hpp"
#include "client/service_notify.hpp"

namespace headlight::cli {

class Service {
  public:
    /// Error: those of EventFile::open.
    static result<std::unique_ptr<Service>> open(Context& context, const command::Sync& sync);

    /// Whether events stand on stdout, which is theirs alone then.
    bool prints_events() const { return printed_.has_value(); }
    void attach(const wallet::Wallet& wallet, const chain::HeaderArchive& headers);
    void on(const sync::Notice& notice);
    void tick();
    /// After the run: waits a little for commands.
    void finish();
    /// The last line of events.
    void tell_result(const boost::json::object& result);

  private:
    explicit Service(Context& context) : context_(context) {}
    void tell_manager(const sync::notice::Progress& progress);
    void warn(const std::optional<Error>& error);

    Context& context_;
    std::optional<EventFile> file_;
    std::optional<Follow> printed_;
    std::optional<Follow> written_;
    std::optional<client::Hooks> hooks_;
    std::optional<client::ServiceNotify> manager_;
    std::string status_; ///< told with the next tick: progress comes often
};

} // namespace headlight::cli
