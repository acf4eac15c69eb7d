#include "cli/service.hpp"

#include <chrono>

namespace headlight::cli {

namespace {

std::int64_t steady_milliseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string manager_text(const sync::notice::Progress& progress) {
    using sync::notice::Phase;
    const auto scanned = std::to_string(progress.scanned);
    const auto headers = std::to_string(progress.headers);
    switch (progress.phase) {
    case Phase::connecting:
        return "Connecting";
    case Phase::headers:
        return "Headers at " + headers;
    case Phase::blocks:
        return "Blocks at " + scanned + " of " + headers;
    case Phase::mempool:
    case Phase::at_tip:
        break;
    }
    return "At the tip, block " + scanned;
}

} // namespace

result<std::unique_ptr<Service>> Service::open(Context& context, const command::Sync& sync) {
    std::unique_ptr<Service> service(new Service(context));
    const auto now = [&context] { return context.now(); };
    if (sync.follow || sync.events == "-")
        service->printed_.emplace([&context](const auto& line) { context.out.line(line); },
                                  context.out.verbose(), now);
    if (!sync.events.empty() && sync.events != "-") {
        auto file = EventFile::open(sync.events);
        if (!file) return file.error();
        auto& opened = service->file_.emplace(std::move(*file));
        service->written_.emplace([&opened](const auto& line) { opened.line(line); },
                                  context.out.verbose(), now);
    }
    if (!sync.follow) return service;
    service->manager_ = client::ServiceNotify::from_environment();
    if (!sync.on_tx.empty() || !sync.on_block.empty())
        service->hooks_.emplace(context.paths, client::HookCommands{sync.on_tx, sync.on_block});
    return service;
}

void Service::attach(const wallet::Wallet& wallet, const chain::HeaderArchive& headers) {
    if (printed_) printed_->open(wallet);
    if (written_) written_->open(wallet);
    if (hooks_) hooks_->attach(wallet, headers);
}

void Service::on(const sync::Notice& notice) {
    if (printed_) printed_->on(notice);
    if (written_) written_->on(notice);
    if (hooks_) hooks_->on(notice);
    if (!manager_) return;
    if (const auto* progress = std::get_if<sync::notice::Progress>(&notice))
        tell_manager(*progress);
    if (std::holds_alternative<sync::notice::Finished>(notice)) manager_->stopping();
}

void Service::tell_manager(const sync::notice::Progress& progress) {
    status_ = manager_text(progress);
    if (progress.phase != sync::notice::Phase::at_tip) return;
    manager_->status(status_);
    manager_->ready();
}

void Service::tick() {
    if (hooks_) warn(hooks_->tick());
    if (file_) {
        if (const auto error = file_->take_error()) {
            if (printed_) printed_->on(sync::notice::Warning{*error});
            if (!printed_) context_.out.warn(*error);
        }
    }
    if (!manager_) return;
    if (!status_.empty()) manager_->status(status_);
    manager_->alive(steady_milliseconds());
}

void Service::finish() {
    if (hooks_) warn(hooks_->finish());
}

void Service::warn(const std::optional<Error>& error) {
    if (!error) return;
    const sync::notice::Warning warning{*error};
    if (printed_) printed_->on(warning);
    if (written_) written_->on(warning);
    if (!printed_) context_.out.warn(*error);
}

void Service::tell_result(const boost::json::object& result) {
    if (printed_) printed_->finished(result);
    if (written_) written_->finished(result);
}

} // namespace headlight::cli
