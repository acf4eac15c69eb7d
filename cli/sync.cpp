// `sync`: to the tip of the chain, and on from there with --follow.
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/service.hpp"
#include "cli/sync_report.hpp"

#include <boost/json/object.hpp>

#include <chrono>

namespace headlight::cli {

namespace {

constexpr std::int64_t seconds_per_block = 600;

double steady_seconds() {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    return now.count();
}

ProgressDisplay::Style style(const Output& out) {
    if (out.json() && !out.verbose()) return ProgressDisplay::Style::none;
    return out.host().err_is_terminal ? ProgressDisplay::Style::bar : ProgressDisplay::Style::lines;
}

// Hands the notices of a run to whom they concern, and remembers what is reported in the end.
class Watcher {
  public:
    Watcher(Context& context, const command::Sync& sync, Service& service)
        : context_(context),
          progress_(context.out, style(context.out), steady_seconds),
          service_(service) {
        if (sync.follow || sync.mempool_wait_ms == 0) progress_.hide_mempool();
    }

    void open(const wallet::Wallet& wallet, const chain::HeaderArchive& headers) {
        wallet_ = &wallet;
        headers_ = &headers;
        service_.attach(wallet, headers);
    }

    void on(const sync::Notice& notice) {
        service_.on(notice);
        std::visit([this](const auto& one) { take(one); }, notice);
    }

    void tick() {
        progress_.tick();
        service_.tick();
    }
    const wallet::Balance& balance() const { return balance_; }

  private:
    void take(const sync::notice::Progress& progress) {
        if (progress.phase == sync::notice::Phase::headers) expect_headers(progress.headers);
        progress_.on(progress);
    }
    void take(const sync::notice::Warning& warning) {
        // Whoever follows has it on stdout.
        if (!service_.prints_events()) context_.out.warn(warning.error);
    }
    void take(const sync::notice::PeerLog& log) {
        progress_.on_peer(log.address);
        context_.out.detail(log.address + ": " + log.text);
    }
    void take(const sync::notice::Finished&) {
        progress_.clear();
        const auto best = std::max(headers_->tip_height(), wallet_->scan().height);
        balance_ = wallet_->ledger().balance(best);
    }
    void take(const sync::notice::Transaction&) {}
    void take(const sync::notice::Block&) {}

    // A guess from the age of the newest stored block. No peer is asked: its word is no proof.
    void expect_headers(std::int32_t height) {
        if (!context_.network().paced || headers_->tip_height() < 0) return;
        const auto tip = headers_->at(headers_->tip_height());
        const auto blocks = (context_.now() - tip.header.time) / seconds_per_block;
        progress_.expect_headers(std::max<std::int64_t>(tip.height + blocks - height, 0));
    }

    Context& context_;
    ProgressDisplay progress_;
    Service& service_;
    const wallet::Wallet* wallet_ = nullptr;
    const chain::HeaderArchive* headers_ = nullptr;
    wallet::Balance balance_;
};

client::SyncOptions options_for(const command::Sync& sync, Watcher& watcher) {
    client::SyncOptions options;
    options.config.peers = sync.peers;
    options.config.proxy = sync.proxy;
    options.config.until_height = sync.until_height;
    options.config.until_txid = sync.until_txid;
    options.config.mempool_wait_ms = sync.mempool_wait_ms;
    options.config.cross_check = sync.cross_check;
    options.method = sync.method;
    options.filter = sync.filter;
    options.config.follow = sync.follow;
    options.timeout_ms = sync.timeout_ms;
    options.on_open = [&watcher](const wallet::Wallet& wallet,
                                 const chain::HeaderArchive& headers) {
        watcher.open(wallet, headers);
    };
    options.every_second = [&watcher] { watcher.tick(); };
    return options;
}

void report(Context& context, Service& service, const client::SyncOutcome& outcome,
            const wallet::Balance& balance) {
    auto object = to_json(outcome, balance);
    service.tell_result(object);
    if (service.prints_events()) return;
    if (context.out.json()) return context.out.value(std::move(object));
    context.out.text(to_text(outcome, balance));
    if (one_peer_scanned(outcome)) context.out.note(omission_note);
}

} // namespace

result<void> perform(Context& context, const command::Sync& sync) {
    const auto service = Service::open(context, sync);
    if (!service) return service.error();
    Watcher watcher(context, sync, **service);
    const auto outcome =
        client::run_sync(context.paths, options_for(sync, watcher),
                         [&watcher](const headlight::sync::Notice& notice) { watcher.on(notice); });
    (*service)->finish();
    context.kept_part = outcome.kept_part;
    if (!outcome.error || outcome.kept_part) report(context, **service, outcome, watcher.balance());
    if (outcome.error) return *outcome.error;
    return {};
}

} // namespace headlight::cli
